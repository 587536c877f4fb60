import { assertEquals, assertMatch } from "@std/assert";
import { SLASH_COMMANDS } from "../../../src/cli/chat/slash.ts";
import { type ScriptedAnswer, startScriptedServer } from "../../scripted_server.ts";
import { hangsAfter, runs, says } from "./answers.ts";
import { hasTmux, type Pane, send, startChat, withPane } from "./tmux.ts";

/** A test with a chat in a high terminal of 140 columns and a server that plays `answers`. */
function slashTest(
  name: string,
  answers: readonly ScriptedAnswer[],
  body: (pane: Pane, url: string) => Promise<void>,
  options: { readonly flags?: readonly string[]; readonly columns?: number } = {},
): void {
  Deno.test({
    name,
    ignore: !hasTmux(),
    fn: async () => {
      const server = startScriptedServer(answers);
      try {
        await withPane(async (pane) => {
          await startChat(pane, server.url, ...options.flags ?? []);
          await body(pane, server.url);
        }, { columns: options.columns ?? 140, rows: 70 });
      } finally {
        await server.close();
      }
    },
  });
}

const SESSION = /\d{8}-\d{6}-[0-9a-f]{6}/g;
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d/g;

/** The rows of the screen down to the input, with what differs from run to run named. */
async function rowsOf(pane: Pane): Promise<string[]> {
  const rows = (await pane.screen()).trimEnd().split("\n").map((row) => row.trimEnd());
  const status = rows.findLastIndex((row) => /^[\w-]+\/\S+ · /.test(row));
  return rows.slice(0, status).map((row) =>
    row.replaceAll(pane.cwd, "CWD").replace(SESSION, "SESSION").replace(TIME, "TIME").replace(
      /^index .*/,
      "index HASH",
    )
      .replace(/context {2}\d+ of/, "context  N of")
  );
}

/** Types `line` on an empty screen; below it the screen must show exactly `expected`, then an empty input. */
async function shows(pane: Pane, line: string, expected: readonly string[]): Promise<void> {
  await settles(pane, line, [`> ${line}`, ...expected, ">"]);
}

/** The same for a line that isn't taken: it stays in the input. */
async function refuses(pane: Pane, line: string, words: string): Promise<void> {
  await settles(pane, line, [words, `> ${line}`]);
  await pane.press("C-u");
}

async function settles(pane: Pane, line: string, wanted: readonly string[]): Promise<void> {
  await pane.press("C-l");
  await pane.waitFor(/^\s*>\s*\n/);
  await send(pane, line);
  let rows: string[] = [];
  for (let i = 0; i < 100; i++) {
    rows = await rowsOf(pane);
    if (JSON.stringify(rows) === JSON.stringify(wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  assertEquals(rows, wanted);
}

/** The ID of the session that the chat is in. */
async function current(pane: Pane): Promise<string> {
  await send(pane, "/sessions");
  return /^\* (\S+)/m.exec(await pane.waitFor(/> \/sessions\n[^>]*^\* \S+ {2}\d{4}-/m))![1]!;
}

async function quit(pane: Pane): Promise<void> {
  await send(pane, "/quit");
  await pane.waitFor(/ready \$ $/m);
}

slashTest("/help names every command and key, one row each", [], async (pane) => {
  await shows(pane, "/help", [
    "  /help                        this list",
    "  /model [NAME]                use another model",
    "  /protocol [NAME]             native-eos, native-inc, ctl, ctl-heredoc, xml",
    "  /provider [NAME]             use another server",
    "  /permissions [FLAG…]         what is allowed; allow more: /permissions --allow-run=make",
    "  /sandbox [auto|bwrap|off]    what is around commands",
    "  /diff                        what changed here since the last commit",
    "  /undo                        put back what the last message's edits changed",
    "  /sessions                    the sessions of this folder",
    "  /resume ID                   go on with another session",
    "  /fork                        go on in a new session that begins with this one",
    "  /compact                     show the model old results in short from here on",
    "  /cost                        tokens, context and price",
    "  /export [FILE]               this session as Markdown, HTML (.html) or JSON (.json)",
    "  /clear                       a new session and an empty screen",
    "  /doctor                      check runtime, terminal, sandbox, keys, server and folders",
    "  /quit                        leave (Ctrl-D does too)",
    "  !COMMAND                     run a command of your own; its output goes with your next message",
    "  @PATH                        put a file's text into your message (Tab completes)",
    "  Esc, Ctrl-C                  stop what runs; Ctrl-C twice leaves",
    "  Alt-Enter, \\ Enter           a new line",
    "  Up, Down                     earlier messages",
    "  while it works               what you send goes with its next step",
  ]);
  await quit(pane);
});

slashTest("/help on a narrow terminal has the words under the commands", [], async (pane) => {
  await send(pane, "/help");
  await pane.waitFor(/^ {2}@PATH\n {6}put a file's text into your$/m);
  await quit(pane);
}, { columns: 40 });

slashTest(
  "What is no command, or has an argument too many, stays to be mended",
  [],
  async (pane) => {
    await refuses(pane, "/hel", 'There is no command "/hel": did you mean "/help"?');
    await refuses(pane, "/xylophone", 'There is no command "/xylophone": /help lists them');
    await refuses(pane, "/", 'There is no command "/": /help lists them');
    for (const { name, usage } of SLASH_COMMANDS) {
      if (usage === "") await refuses(pane, `/${name} x`, `/${name} takes no argument`);
    }
    await quit(pane);
  },
);

slashTest("/model, /protocol, /provider, /sandbox and /permissions show, change and refuse", [
  says("Answered by another."),
], async (pane, url) => {
  await shows(pane, "/model", ["The model is custom/m: /model NAME changes it"]);
  await shows(pane, "/model other", ["The model is custom/other from here on"]);
  await pane.waitFor(/^custom\/other · ctl-heredoc · /m);
  await shows(pane, "/protocol", ["The protocol is ctl-heredoc: /protocol NAME changes it"]);
  await shows(pane, "/protocol nonsense", [
    'Unknown protocol "nonsense": there are native-eos, native-inc, ctl, ctl-heredoc, xml',
  ]);
  await shows(pane, "/protocol xml", ["The protocol is xml from here on"]);
  await pane.waitFor(/^custom\/other · xml · /m);
  await shows(pane, "/sandbox", [
    "Around commands: rules only (no sandbox: it was turned off); mode off",
  ]);
  await shows(pane, "/sandbox nonsense", [
    'Unknown sandbox mode "nonsense": there are auto, bwrap and off',
  ]);
  await shows(pane, "/permissions", [
    "  reads   CWD",
    "  writes  CWD",
    "  run     asks before running",
    "  net     no network in the sandbox",
  ]);
  await shows(pane, "/permissions make", [
    '"make" is no permission flag: --allow-run=make,git for example',
  ]);
  await shows(pane, "/permissions --allow-fly", [
    '"--allow-fly" is no permission flag: --allow-run=make,git for example',
  ]);
  await shows(pane, "/permissions --allow-run=make,git log --deny-run=sudo --deny-write=secret", [
    "  reads   CWD",
    "  writes  CWD, but not CWD/secret",
    "  run     runs make, git log, but not sudo",
    "  net     no network in the sandbox",
  ]);
  await shows(pane, "/provider", [
    `The server is custom (${url}); there are deepseek, minimax, openai, openrouter, ollama, custom`,
  ]);
  await shows(pane, "/provider nonsense", [
    'Unknown provider "nonsense": there are deepseek, minimax, openai, openrouter, ollama, custom, sim and replay:DIR',
  ]);
  await shows(pane, "/provider openai", [
    'No key for "openai": set OPENAI_API_KEY in the environment, or choose another server (--provider NAME; to try it without a key: "cst-agent',
    '--help")',
  ]);
  await send(pane, "go");
  await pane.waitFor(/Answered by another\./);
  // Another server has its own address and model: nothing of the old one's goes there.
  await shows(pane, "/provider ollama", ["The server is ollama with qwen3-coder from here on"]);
  await shows(pane, "/provider", [
    `The server is ollama (http://127.0.0.1:11434/v1); there are deepseek, minimax, openai, openrouter, ollama, custom`,
  ]);
  await quit(pane);
});

slashTest(
  "/diff, /undo, /fork, /sessions, /resume, /compact, /export and /clear do what they say",
  [
    says("call c1 write_file\narg path a.txt\narg content <<END\nnew\nEND\nend\n"),
    says("Written."),
    says("Forked."),
  ],
  async (pane) => {
    await shows(pane, "/undo", ["There is nothing to undo"]);
    await shows(pane, "/compact", ["There is nothing old to shorten"]);
    await shows(pane, "/fork", ["Nothing was said here yet"]);
    await shows(pane, "/resume", [
      "Which one? /resume ID (the start of an ID is enough; /sessions lists them)",
    ]);
    await shows(pane, "/resume 1999", [
      'Cannot find the session "1999": the nearest is "SESSION"',
    ]);
    await shows(pane, "/diff", ["There is no git repository with a commit here"]);
    await Deno.writeTextFile(`${pane.cwd}/a.txt`, "old\n");
    const git = "git init -q . && git add . && git -c user.name=a -c user.email=b commit -qm c";
    await shows(pane, `!${git}`, ["exit 0; the model sees it with your next message"]);
    await shows(pane, "/diff", ["Nothing has changed since the last commit"]);
    await send(pane, "write it");
    await pane.waitFor(/Written\./);
    await Deno.writeTextFile(`${pane.cwd}/b.txt`, "b\n");
    await shows(pane, "/diff", [
      "diff --git a/a.txt b/a.txt",
      "index HASH",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1 +1 @@",
      "-old",
      "+new",
      "new file, not in git yet: b.txt",
    ]);
    await shows(pane, "/undo", ["Put back: a.txt"]);
    assertEquals(await Deno.readTextFile(`${pane.cwd}/a.txt`), "old\n");
    await shows(pane, "/undo", ["There is nothing to undo"]);
    await shows(pane, "/cost", [
      "  input    0 tokens (0 from the server's cache)",
      "  output   0 tokens",
      "  context  N of 32.8k (2 %)",
      "  price    not known for this model",
    ]);
    await shows(pane, "/fork", ["Goes on in the new session SESSION; the old one stays as it is"]);
    await send(pane, "go on");
    await pane.waitFor(/Forked\./);
    const forked = await current(pane);
    const title =
      "write it I ran `git init -q . && git add . && git -c user.name=a -c user.email=…";
    await shows(pane, "/sessions", [`* SESSION  TIME  ${title}`, `  SESSION  TIME  ${title}`]);
    await shows(pane, "/export", ['Written to "CWD/SESSION.md"']);
    await shows(pane, "/export all.json", ['Written to "CWD/all.json"']);
    await shows(pane, "/export all.json", ['Cannot write "CWD/all.json": it exists already']);
    await shows(pane, "/export no/such/x.html", [
      'Written to "CWD/no/such/x.html"',
    ]);
    assertEquals(
      JSON.parse(await Deno.readTextFile(`${pane.cwd}/all.json`)).records.length > 4,
      true,
    );
    assertMatch(await Deno.readTextFile(`${pane.cwd}/${forked}.md`), /Forked\./);
    await settles(pane, "/clear", ["A new session: SESSION", ">"]);
    await shows(pane, "/sessions", [
      "* SESSION  TIME",
      `  SESSION  TIME  ${title}`,
      `  SESSION  TIME  ${title}`,
    ]);
    await settles(pane, `/resume ${forked}`, [
      "> /resume SESSION",
      "Goes on with SESSION (6 turns)",
      ">",
    ]);
    // The one that was never used is gone.
    await shows(pane, "/sessions", [`* SESSION  TIME  ${title}`, `  SESSION  TIME  ${title}`]);
    await quit(pane);
  },
);

slashTest("/compact shortens what is old, and says how much", [
  says(runs("seq 1 400")),
  says("Seen."),
  says("word ".repeat(3_000)),
], async (pane) => {
  await send(pane, "count");
  await pane.waitFor(/Seen\./);
  await send(pane, "talk");
  await pane.waitFor(/word word\n>/);
  await shows(pane, "/compact", [
    "One old result is shown to the model in short (about 345 tokens less)",
  ]);
  await shows(pane, "/compact", ["There is nothing old to shorten"]);
  await quit(pane);
}, { flags: ["--allow-run", "--context-limit", "4000"] });

slashTest("/doctor says what is there, a row each", [], async (pane) => {
  await send(pane, "/doctor");
  await pane.waitFor(
    /^> \/doctor\n {2}✓ runtime {4}.*\n {2}✓ terminal {3}TERM=tmux-256color\n {2}✓ sandbox {4}.*\n {2}✓ key {8}CUSTOM_API_KEY is not set, nor needed\n {2}✓ server {5}127\.0\.0\.1:\d+ takes connections\n {2}✓ sessions {3}.*\n>/m,
  );
  await quit(pane);
});

slashTest("While the agent works, a command that would change what it works with waits", [
  hangsAfter("Some words"),
], async (pane) => {
  await send(pane, "go");
  await pane.waitFor(/Some words/);
  for (const { name, usage, anytime } of SLASH_COMMANDS) {
    const line = usage === "" ? `/${name}` : `/${name} x`;
    if (anytime) continue;
    await send(pane, line);
    await pane.waitFor(
      new RegExp(`^/${name} waits until the work is done \\(Esc stops it\\)$`, "m"),
    );
    await pane.press("C-u");
  }
  await send(pane, "!true");
  await pane.waitFor(/^A command of your own waits until the work is done \(Esc stops it\)$/m);
  await pane.press("C-u");
  await send(pane, "/cost");
  await pane.waitFor(/^ {2}price {4}not known for this model$/m);
  await send(pane, "/sessions");
  await pane.waitFor(/^\* \S+ {2}\S+ \S+ {2}go$/m);
  await send(pane, "/help");
  await pane.waitFor(/^ {2}\/help +this list$/m);
  await quit(pane);
});
