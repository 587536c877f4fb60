/**
 * A session in a real terminal, played with the simulated model: its screens as text (the captures of
 * docs/terminal.md), and as pictures to look at, light, dark and without colours.
 *
 * Usage: deno run -A scripts/shoot_terminal.ts OUT_DIR [COLUMNS]     88 columns unless told; needs tmux, pictures Chromium
 */
import { type Pane, send, withPane } from "../tests/cli/chat/tmux.ts";
import { findBrowser, startBrowser } from "./browser.ts";

const fixture = new URL("../fixtures/mini_calc/", import.meta.url).pathname;
const main = new URL("../main.ts", import.meta.url).pathname;
const [out, columns = "88"] = Deno.args;
if (out === undefined) {
  console.error("Name a folder");
  Deno.exit(2);
}
await Deno.mkdir(out, { recursive: true });

/** The simulated model and its address. */
async function startModel(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", main, "sim", `--plan=${fixture}`, "--delay=12"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  while (!line.endsWith("\n")) line += (await reader.read()).value ?? "\n";
  return {
    url: line.trim(),
    async stop() {
      child.kill("SIGTERM");
      await reader.cancel();
      await child.status;
    },
  };
}

/** The screens of a task and of some commands, by name. */
async function playSession(pane: Pane, url: string, shoot: (name: string) => Promise<void>) {
  for (const name of ["Makefile", "calc.c", "test.sh"]) {
    await Deno.copyFile(`${fixture}${name}`, `${pane.cwd}/${name}`);
  }
  const git = (...args: string[]) =>
    new Deno.Command("git", {
      args: ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
      cwd: pane.cwd,
    }).output();
  await git("init", "-q");
  await git("add", ".");
  await git("commit", "-qm", "start");
  await pane.type("clear");
  await pane.press("Enter");
  await pane.type(`chat --provider sim --base-url ${url}`);
  await pane.press("Enter");
  await pane.waitFor(/^sim\/sim · /m);
  await send(pane, "make the tests pass");
  await pane.waitFor(/Allow\? y once/);
  await shoot("question");
  await pane.press("a");
  await pane.waitFor(/○ apply_patch/);
  await send(pane, "then tell me what was wrong");
  await pane.waitFor(/queued:/);
  await shoot("work");
  await pane.waitFor(/subtraction now goes from left to right\.\n+>\s*\nsim/);
  await shoot("end");
  await pane.press("C-l");
  for (const command of ["/cost", "/permissions", "/sandbox", "/sessions", "/hel", "/diff"]) {
    await send(pane, command);
    await new Promise((resolve) => setTimeout(resolve, 400));
    if (command === "/hel") await pane.press("C-u");
  }
  await shoot("commands");
  await pane.press("C-l");
  await send(pane, "/help");
  await pane.waitFor(/while it works/);
  await pane.type("/");
  await pane.press("Tab");
  await pane.waitFor(/\/model {2}\/protocol/);
  await shoot("help");
  await pane.press("C-u");
  await pane.press("C-d");
  await pane.waitFor(/ready \$ $/m);
}

const COLORS = [31, 32, 33, 36];
// deno-lint-ignore no-control-regex
const SGR = /\x1b\[([\d;]*)m/g;

/** The screen with its colours as a page that follows the viewer's scheme. */
function pageOf(screen: string): string {
  const active = new Set<number>();
  const text = screen.replace(/[&<>]/g, (it) => `&#${it.charCodeAt(0)};`)
    .replace(SGR, (_, codes: string) => {
      for (const code of codes.split(";").map(Number)) {
        if (code === 0) active.clear();
        if (code >= 30 && code <= 39) COLORS.forEach((color) => active.delete(color));
        active.add(code);
      }
      return `</span><span class="${[...active].map((code) => `s${code}`).join(" ")}">`;
    });
  return `<!doctype html><meta charset="utf-8"><style>
:root { color-scheme: light dark; --bg: #fff; --fg: #000; --red: #b00; --green: #080; --yellow: #a60; --cyan: #088 }
@media (prefers-color-scheme: dark) {
  :root { --bg: #000; --fg: #ccc; --red: #c33; --green: #3c3; --yellow: #cc3; --cyan: #3cc } }
body { background: var(--bg); color: var(--fg); margin: 8px }
pre { font: 14px/1.25 "DejaVu Sans Mono", monospace; margin: 0 }
.s1 { font-weight: bold } .s2 { opacity: .6 } .s31 { color: var(--red) } .s32 { color: var(--green) }
.s33 { color: var(--yellow) } .s36 { color: var(--cyan) }
</style><pre><span>${text}</span></pre>`;
}

const program = await findBrowser();
const browser = program === undefined ? undefined : await startBrowser(program);
const model = await startModel();
try {
  for (const NO_COLOR of ["", "1"]) {
    await withPane(async (pane) => {
      await playSession(pane, model.url, async (name) => {
        const path = `${out}/${name}-${columns}${NO_COLOR && "-plain"}`;
        const rows = (await pane.screen()).split("\n").map((row) => row.trimEnd());
        await Deno.writeTextFile(`${path}.txt`, `${rows.join("\n").trimEnd()}\n`);
        const page = pageOf((await pane.screen({ colors: true })).trimEnd());
        await Deno.writeTextFile(`${path}.html`, page);
        for (const scheme of NO_COLOR ? [] : ["light", "dark"] as const) {
          const view = { width: Math.ceil(Number(columns) * 8.5) + 24, height: 700, scheme };
          const opened = await browser?.open(`file://${await Deno.realPath(`${path}.html`)}`, view);
          if (opened) await Deno.writeFile(`${path}-${scheme}.png`, await opened.shoot());
        }
        console.log(path);
      });
    }, { columns: Number(columns), rows: 62, env: { NO_COLOR, CST_SANDBOX: "auto" } });
  }
} finally {
  await model.stop();
  await browser?.close();
}
