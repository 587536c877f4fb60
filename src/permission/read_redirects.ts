/** Redirections: what the line itself opens. */
import type { HereDoc, Redirection } from "unbash";
import { doubt, type Reading } from "./reading.ts";
import { merge, readQuoted, readWord } from "./read_words.ts";
import { literal, type Part, type Redirect } from "./shell_syntax.ts";

/** The redirect that `node` is; null, with a doubt, where it can't be admitted. */
export function readRedirect(node: Redirection, reading: Reading): Redirect | null {
  if (node.descriptor?.type === "FileDescriptorVariable") {
    doubt(reading, `the descriptor in {${node.descriptor.name}}`);
  }
  const descriptor = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
  if (node.type === "HereDoc") return readHereDoc(node, descriptor, reading);
  if (!node.target) {
    doubt(reading, "a redirection without a target");
    return null;
  }
  const target = readWord(node.target, reading);
  // `> 2>&1`: bash takes the digits for the next redirection's descriptor.
  if (/^\d+$/.test(node.target.text) && /[<>]/.test(reading.source[node.target.end] ?? "")) {
    doubt(reading, "a redirection without a target");
  }
  const { operator } = node;
  if (operator === "<<<") return { descriptor, operator, target };
  const path = literal(target);
  if (path === null || path === "") {
    doubt(reading, `where ${operator} ${node.target.text} leads`);
    return null;
  }
  if (operator === ">&" || operator === "<&") {
    if (/^(\d+|-)$/.test(path)) return { descriptor, operator, target };
    // bash 5.2 expands the target of `>&` a second time.
    if (operator === "<&" || (descriptor !== null && descriptor !== 1) || /[$`\\]/.test(path)) {
      doubt(reading, `where ${operator} ${node.target.text} leads`);
      return null;
    }
    open("write", path, reading);
    return { descriptor: null, operator: "&>", target };
  }
  open(operator === "<" ? "read" : "write", path, reading);
  return { descriptor, operator, target };
}

function open(kind: "read" | "write", path: string, reading: Reading): void {
  reading.openings.push({ kind, path, moved: false });
}

/** A here-document is printed as a here-string, which gives the same input: its word and one line end. */
function readHereDoc(node: HereDoc, descriptor: number | null, reading: Reading): Redirect {
  if (!node.closing) doubt(reading, "a here-document without its end");
  const parts = hereDocParts(node, reading);
  const last = parts.at(-1);
  if (parts.every((part) => part.kind === "text" && part.text === "")) {
    const target = { parts: [{ kind: "text", text: "/dev/null" } as const] };
    return { descriptor, operator: "<", target };
  }
  if (last?.kind !== "text" || !last.text.endsWith("\n")) {
    doubt(reading, "the end of a here-document");
    return { descriptor, operator: "<<<", target: { parts } };
  }
  const body: Part[] = parts.slice(0, -1);
  if (last.text !== "\n") body.push({ kind: "text", text: last.text.slice(0, -1) });
  return { descriptor, operator: "<<<", target: { parts: merge(body) } };
}

function hereDocParts(node: HereDoc, reading: Reading): Part[] {
  const { body, delimiter, operator } = node;
  if (delimiter?.quoted) {
    const text = operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text;
    return [{ kind: "text", text }];
  }
  if (operator === "<<-" && /^\t/m.test(body.text)) {
    if (body.parts || body.text.includes("\\")) doubt(reading, "the tabs of a here-document");
    return [{ kind: "text", text: body.text.replace(/^\t+/gm, "") }];
  }
  if (body.parts) return readQuoted(body.parts, reading);
  if (/[\\$`]/.test(body.text)) doubt(reading, "the escapes in a here-document");
  return [{ kind: "text", text: body.text }];
}
