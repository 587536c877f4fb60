/**
 * The one substitution whose outcome is known without starting anything (SPEC 8): `cat` with a quoted here-document,
 * as models write a message of several lines.
 *
 *     git commit -m "$(cat <<'EOF'
 *     Mend the tests
 *     EOF
 *     )"
 */
import type { CommandExpansionPart, ParsedScript } from "unbash";

/** First line, body, end and bracket; nothing is expanded behind a quoted word. */
const FORM = /^\$\([ \t\n]*cat[ \t]*<<[ \t]*(['"])(\w+)\1[ \t]*\n([\s\S]*?)(?<=\n)\2\n[ \t\n]*\)$/;

/**
 * The text that stands for `part` in double quotes, without the line ends at its end, as a substitution leaves them
 * out; null for any other substitution, and where the parser read it otherwise.
 */
export function hereText(part: CommandExpansionPart): string | null {
  const [, , , body] = FORM.exec(part.text) ?? [];
  if (body === undefined || !isRead(part.script, body)) return null;
  return body.replace(/\n+$/, "");
}

/** Did the parser see one command `cat` with nothing but this here-document? */
function isRead(script: ParsedScript | undefined, body: string): boolean {
  const [statement, ...others] = script?.commands ?? [];
  const command = statement?.command;
  if (command?.type !== "Command" || others.length > 0 || script?.errors?.length) return false;
  const [redirection, ...more] = command.redirects;
  return command.name?.text === "cat" && command.prefix.length === 0 &&
    command.suffix.length === 1 && more.length === 0 && !statement?.background &&
    redirection?.type === "HereDoc" && redirection.operator === "<<" &&
    redirection.delimiter?.quoted === true && redirection.body.text === body;
}
