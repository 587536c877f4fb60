/** The three shells' completion scripts, as text. Pure. */
import type { OptionSpec } from "./args.ts";

/** A command as a shell completes it. */
export interface Subject {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow: `list`, `show`, … */
  readonly words: readonly string[];
  readonly options: readonly OptionSpec[];
}

/** Values of options that are one of a few. */
const VALUES: { readonly [option: string]: readonly string[] } = {
  protocol: ["native-eos", "native-inc", "ctl", "ctl-heredoc", "xml"],
  provider: ["deepseek", "minimax", "openai", "openrouter", "ollama", "custom", "sim"],
  sandbox: ["auto", "bwrap", "off"],
  format: ["md", "html", "json"],
};

function spellings({ name, short }: OptionSpec): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

/** For `bash`: one function; what no word completes is a file. */
export function bashScript(subjects: readonly Subject[]): string {
  const cases = subjects.map(({ name, words, options }) =>
    `    ${name}) words="${[...words, ...options.flatMap(spellings)].join(" ")}" ;;`
  );
  const values = Object.entries(VALUES).map(([option, list]) =>
    `    --${option}) COMPREPLY=($(compgen -W "${list.join(" ")}" -- "$current")); return ;;`
  );
  return `# Completions of cst-agent for bash; written by: cst-agent completions bash
_cst_agent() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$before" in
${values.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${subjects.map(({ name }) => name).join(" ")} --help --version"
  else case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _cst_agent cst-agent
`;
}

/** For `zsh`: to be named \`_cst-agent\` in a folder of \`fpath\`. */
export function zshScript(subjects: readonly Subject[]): string {
  const commands = subjects.map(({ name, summary }) => `    ${zshQuote(`${name}:${summary}`)}`);
  const cases = subjects.map(({ name, words, options }) => {
    const specs = options.flatMap((option) =>
      spellings(option).map((spelled) => `      ${zshQuote(zshOption(spelled, option))} \\`)
    );
    const rest = words.length > 0
      ? `'1:action:(${words.join(" ")})' '*:file:_files'`
      : "'*:file:_files'";
    return `    (${name}) _arguments \\\n${specs.join("\n")}\n      ${rest} ;;`;
  });
  return `#compdef cst-agent
# Completions of cst-agent for zsh; written by: cst-agent completions zsh
_cst_agent() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local chosen=$words[2]
  shift words
  (( CURRENT-- ))
  case $chosen in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _cst-agent ]; then _cst_agent "$@"; else compdef _cst_agent cst-agent; fi
`;
}

/** `--model[Model name]:NAME:` or, of a few values, `--sandbox[…]:MODE:(auto off)`. */
function zshOption(spelled: string, { name, value, optionalValue, help }: OptionSpec): string {
  const shown = `${spelled}${optionalValue ? "=-" : ""}[${help.replace(/[[\]:]/g, "\\$&")}]`;
  if (value === undefined) return shown;
  const list = VALUES[name];
  const action = list ? `(${list.join(" ")})` : /^(FILE|DIR)$/.test(value) ? "_files" : " ";
  return `${shown}${optionalValue ? "::" : ":"}${value.replaceAll(":", "\\:")}:${action}`;
}

function zshQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** For `fish`. */
export function fishScript(subjects: readonly Subject[]): string {
  const lines = subjects.flatMap(({ name, summary, words, options }) => [
    `complete -c cst-agent -n __fish_use_subcommand -a ${name} -d ${fishQuote(summary)}`,
    ...(words.length > 0
      ? [
        `complete -c cst-agent -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(" ")}'`,
      ]
      : []),
    ...options.map((option) => fishOption(name, option)),
  ]);
  return `# Completions of cst-agent for fish; written by: cst-agent completions fish\n${
    lines.join("\n")
  }\n`;
}

function fishOption(
  command: string,
  { name, short, value, optionalValue, help }: OptionSpec,
): string {
  const list = VALUES[name];
  return [
    `complete -c cst-agent -n '__fish_seen_subcommand_from ${command}' -l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined || optionalValue ? [] : ["-r"]),
    ...(list ? [`-f -a '${list.join(" ")}'`] : []),
    `-d ${fishQuote(help)}`,
  ].join(" ");
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
