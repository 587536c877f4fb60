/** The real program in a real terminal: `tmux` types, and shows what a person would see. */
import { assertEquals } from "@std/assert";

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;
/** A machine under load takes its time; a test that waits longer fails. */
const PATIENCE_MS = 15_000;

/** Is `tmux` here? Says so where it isn't, and fails with `CI` set. */
export function hasTmux(): boolean {
  try {
    return new Deno.Command("tmux", { args: ["-V"] }).outputSync().success;
  } catch {
    if (Deno.env.get("CI")) throw new Error("Cannot test the terminal: tmux is not installed");
    console.log("LEFT OUT: the tests of the terminal need tmux, which is not installed");
    return false;
  }
}

/** A terminal with a shell in it. */
export interface Pane {
  /** The folder of the shell. */
  readonly cwd: string;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Escape`, `C-c`, … */
  press(...keys: readonly string[]): Promise<void>;
  /** Pastes with the marks of a bracketed paste. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** What is on the screen; with `history` what has left it at the top too, with `colors` as it was written. */
  screen(options?: { readonly history?: boolean; readonly colors?: boolean }): Promise<string>;
  /** Resolves with the screen when `pattern` is on it. */
  waitFor(pattern: RegExp): Promise<string>;
  /** Ends the terminal; nothing is compared then. */
  close(): Promise<void>;
  /** Everything that was written to the terminal so far. */
  written(): Promise<string>;
}

async function tmux(socket: string, ...args: readonly string[]): Promise<string> {
  const end = await new Deno.Command("tmux", {
    args: ["-f", "/dev/null", "-L", socket, ...args],
    stderr: "piped",
  }).output();
  if (!end.success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(end.stderr)}`);
  return new TextDecoder().decode(end.stdout);
}

/** How a terminal differs from the usual one. */
export interface PaneOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** A module that is loaded before the program. */
  readonly preload?: string;
  /** What the shell does right behind the chat; sees its exit code as `$?`. */
  readonly after?: string;
  /** Over the usual environment. */
  readonly env?: { readonly [name: string]: string };
}

/**
 * Runs `test` in a terminal (90 × 28 unless told) with a plain `sh`, which, unlike bash, doesn't mend the modes of a terminal
 * that a program left broken. Before and after, `stty -a` must say the same.
 */
export async function withPane(
  test: (pane: Pane) => Promise<void>,
  { columns = 90, rows = 28, preload, after = "true", env = {} }: PaneOptions = {},
): Promise<void> {
  const socket = `cst-${crypto.randomUUID().slice(0, 8)}`;
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cst-tty-" }));
  const cwd = `${top}/project`;
  Deno.mkdirSync(cwd);
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux(socket, "new-session", "-d", ...size, "-c", cwd, "env -i /bin/sh");
  let closed = false;
  const pane: Pane = {
    cwd,
    async close() {
      closed = true;
      await tmux(socket, "kill-server");
    },
    type: async (text) => void await tmux(socket, "send-keys", "-l", "--", text),
    press: async (...keys) => void await tmux(socket, "send-keys", ...keys),
    async paste(text) {
      const file = `${top}/paste`;
      await Deno.writeTextFile(file, text);
      await tmux(socket, "load-buffer", file);
      await tmux(socket, "paste-buffer", "-p", "-r");
    },
    resize: async (columns, rows) =>
      void await tmux(socket, "resize-window", "-x", String(columns), "-y", String(rows)),
    screen: ({ history = false, colors = false } = {}) =>
      tmux(
        socket,
        "capture-pane",
        "-p",
        ...(colors ? ["-e"] : ["-J"]),
        ...(history ? ["-S", "-"] : []),
      ),
    async waitFor(pattern) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const shown = await pane.screen();
        if (pattern.test(shown)) return shown;
        if (performance.now() > until) {
          throw new Error(`${pattern} didn't come to the screen:\n${shown}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    written: () => Deno.readTextFile(`${top}/written`),
  };
  try {
    await tmux(socket, "set-option", "-g", "escape-time", "0");
    await tmux(socket, "pipe-pane", "-o", `cat > '${top}/written'`);
    await pane.type(
      startScript(top, { flags: preload ? `--preload '${preload}'` : "", after, env }),
    );
    await pane.press("Enter");
    await pane.waitFor(/ready \$ $/m);
    await test(pane);
    if (closed) return;
    await pane.type(`stty -a > '${top}/after'; echo over''`);
    await pane.press("Enter");
    await pane.waitFor(/^over$/m);
    assertEquals(
      Deno.readTextFileSync(`${top}/after`),
      Deno.readTextFileSync(`${top}/before`),
      "stty -a says the same before and after",
    );
  } finally {
    await tmux(socket, "kill-server").catch(() => {});
    Deno.removeSync(top, { recursive: true });
  }
}

/** A clean environment, the modes of the terminal as they are now, and a short name for the program. */
function startScript(
  top: string,
  { flags, after, env: over }: Required<Pick<PaneOptions, "after" | "env">> & { flags: string },
): string {
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: top,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    TERM: "tmux-256color",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    CST_SANDBOX: "off",
    CST_RETRIES: "0",
    PS1: "ready $ ",
    ...over,
  };
  const file = `${top}/start`;
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  Deno.writeTextFileSync(
    file,
    [
      ...lines,
      `chat() { '${Deno.execPath()}' run -A --no-check --quiet ${flags} '${MAIN}' chat "$@"; ${after}; }`,
      `stty -a > '${top}/before'`,
      "clear",
    ].join("\n"),
  );
  return `. '${file}'`;
}

/** Starts the chat with the server at `url` and waits for its prompt. */
export async function startChat(
  pane: Pane,
  url: string,
  ...flags: readonly string[]
): Promise<void> {
  const words = ["--provider", "custom", "--model", "m", "--base-url", url, ...flags];
  await pane.type(`chat ${words.join(" ")}`);
  await pane.press("Enter");
  await pane.waitFor(/custom\/m · /);
}

/** Types a message and sends it, as a hand does: not in one read. */
export async function send(pane: Pane, text: string): Promise<void> {
  await pane.type(text);
  await pane.waitFor(new RegExp(text.slice(-20).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  await pane.press("Enter");
}
