/** Programs that start another one which stands among their words: where it stands, or why that can't be told. */
import { baseName } from "./match.ts";

/** `start` and `end` bound the inner command; `unknown` says that words which aren't on the line are added to it. */
export interface Inner {
  readonly start: number;
  readonly end: number;
  readonly unknown: boolean;
  /** Text that stands for words which aren't on the line (`{}` of `find`, the word after `xargs -I`). */
  readonly placeholder: string | null;
}

/** What a wrapper starts: commands on the line, or something that can't be read. */
export type Unwrapped =
  | { readonly kind: "inner"; readonly inner: readonly Inner[] }
  | { readonly kind: "opaque"; readonly why: string };

type Texts = readonly (string | null)[];

/** Options of a simple wrapper: `flags` stand alone, `values` take the next word (or the rest of theirs). */
interface Options {
  readonly flags: readonly string[];
  readonly values: readonly string[];
  /** Words between the options and the command. */
  readonly operands: number;
}

const SIMPLE: Readonly<Record<string, Options>> = {
  nohup: { flags: [], values: [], operands: 0 },
  setsid: { flags: ["-f", "-w", "-c", "--fork", "--wait", "--ctty"], values: [], operands: 0 },
  timeout: {
    flags: ["--preserve-status", "--foreground", "-v", "--verbose"],
    values: ["-k", "-s", "--kill-after", "--signal"],
    operands: 1,
  },
  nice: { flags: [], values: ["-n", "--adjustment"], operands: 0 },
  ionice: {
    flags: ["-t", "--ignore"],
    values: ["-c", "-n", "--class", "--classdata"],
    operands: 0,
  },
  stdbuf: {
    flags: [],
    values: ["-i", "-o", "-e", "--input", "--output", "--error"],
    operands: 0,
  },
  time: { flags: ["-p", "-v"], values: [], operands: 0 },
  sudo: { flags: ["-n", "--non-interactive"], values: ["-u", "--user"], operands: 0 },
  doas: { flags: ["-n"], values: ["-u"], operands: 0 },
  command: { flags: [], values: [], operands: 0 },
  xargs: {
    flags: ["-0", "-r", "-t", "-x", "--null", "--no-run-if-empty", "--verbose", "--exit"],
    values: [
      "-n",
      "-P",
      "-L",
      "-I",
      "-d",
      "-s",
      "--max-args",
      "--max-procs",
      "--max-lines",
      "--delimiter",
      "--max-chars",
    ],
    operands: 0,
  },
};

/** Programs that start others in ways which their words don't show for certain. */
const OPAQUE: readonly string[] =
  ("watch parallel script flock busybox toybox chroot unshare nsenter bwrap firejail strace ltrace gdb valgrind perf " +
    "chrt taskset numactl prlimit setarch setpriv runuser su ssh scp sftp rsh npx bunx pnpx uvx pipx dlx start-stop-daemon " +
    "systemd-run at batch crontab screen tmux expect dbus-run-session xvfb-run fakeroot entr socat nc ncat telnet run-parts " +
    "vi vim nvim emacs ed ex view rsync hyperfine ccache sccache distcc bear watchexec nodemon cross-env concurrently " +
    "chronic unbuffer torify torsocks proxychains proxychains4 pkexec run0 sg newgrp gosu su-exec tini dumb-init ip " +
    "cpulimit daemonize daemon sem envdir chpst setlock faketime eatmydata rr heaptrack nix-shell")
    .split(" ");

/**
 * What `texts` (a command's words, null where one isn't certain) starts besides its own program; null for a program
 * that is no wrapper, and for a wrapper without a command.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(unwrap(["timeout", "5", "touch", "x"]), {
 *   kind: "inner",
 *   inner: [{ start: 2, end: 4, unknown: false, placeholder: null }],
 * });
 * assertEquals(unwrap(["ls"]), null);
 * ```
 */
export function unwrap(texts: Texts): Unwrapped | null {
  const name = baseName(texts[0] ?? "");
  if (OPAQUE.includes(name)) return opaque(`"${name}" starts other programs`);
  switch (name) {
    case "env":
      return unwrapEnv(texts);
    case "find":
      return unwrapFind(texts);
    case "command":
      if (/^-[vV]$/.test(texts[1] ?? "")) return null;
  }
  const options = Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
  return options ? unwrapSimple(texts, name, options) : null;
}

function opaque(why: string): Unwrapped {
  return { kind: "opaque", why };
}

function innerFrom(start: number, texts: Texts): Unwrapped | null {
  if (start >= texts.length) return null;
  return {
    kind: "inner",
    inner: [{ start, end: texts.length, unknown: false, placeholder: null }],
  };
}

function unwrapSimple(texts: Texts, name: string, options: Options): Unwrapped | null {
  let at = 1;
  let placeholder: string | null = null;
  for (; at < texts.length; at++) {
    const text = texts[at]!;
    if (text === null) return opaque(`the words of "${name}" are not literal`);
    if (text === "--") {
      at++;
      break;
    }
    if (!text.startsWith("-") || text === "-") break;
    const value = options.values.find((option) =>
      option.startsWith("--") ? text.startsWith(`${option}=`) : text.startsWith(option)
    );
    if (options.flags.includes(text)) continue;
    if (options.values.includes(text)) at++;
    else if (value === undefined && !(name === "nice" && /^-\d+$/.test(text))) {
      return opaque(`"${text}" of "${name}" is not known`);
    }
    if (name === "xargs" && value === "-I") {
      placeholder = text === "-I" ? texts[at] ?? null : text.slice(2);
      if (placeholder === null) return opaque('the word after "-I" is not literal');
    }
  }
  at += options.operands;
  if (texts.slice(0, at).includes(null)) return opaque(`the words of "${name}" are not literal`);
  if (name !== "xargs") return innerFrom(at, texts);
  if (at >= texts.length) return opaque('"xargs" without a command runs "echo"');
  return { kind: "inner", inner: [{ start: at, end: texts.length, unknown: true, placeholder }] };
}

/** Variables that may be set for one command: they change words and colours, never what is started. */
const HARMLESS_VARIABLE =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|NODE_ENV|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|COLUMNS|LINES|CI)$/;

/** True when setting `name` to `value` for one command can't change which programs it starts or what they load. */
export function isHarmlessAssignment(name: string, value: string): boolean {
  return HARMLESS_VARIABLE.test(name) && /^[\w.:+@-]*$/.test(value) ||
    name === "TZ" && /^[A-Za-z]\w*(\/\w+)*$/.test(value);
}

function unwrapEnv(texts: Texts): Unwrapped | null {
  let at = 1;
  for (; at < texts.length; at++) {
    const text = texts[at]!;
    if (text === null) return opaque('the words of "env" are not literal');
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
    if (text === "-u" || text === "--unset") at++;
    else if (["-", "-i", "--ignore-environment", "-0", "--null"].includes(text)) continue;
    else if (text.startsWith("--unset=")) continue;
    else if (text.startsWith("-")) return opaque(`"${text}" of "env" is not known`);
    else if (name === undefined || value === undefined) break;
    else if (!isHarmlessAssignment(name, value)) return opaque(`"env" sets the variable "${name}"`);
  }
  if (texts.slice(0, at).includes(null)) return opaque('the words of "env" are not literal');
  return innerFrom(at, texts);
}

/** `-exec command … ;` or `… {} +`, any number of them; a word that isn't certain might be one. */
function unwrapFind(texts: Texts): Unwrapped | null {
  if (texts.includes(null)) return opaque('the words of "find" are not literal');
  const inner: Inner[] = [];
  for (let at = 1; at < texts.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(texts[at]!)) continue;
    const start = at + 1;
    while (
      at < texts.length && texts[at] !== ";" && !(texts[at] === "+" && texts[at - 1] === "{}")
    ) at++;
    inner.push({ start, end: at, unknown: false, placeholder: "{}" });
  }
  return inner.length === 0 ? null : { kind: "inner", inner };
}
