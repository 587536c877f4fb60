/** The binary as an ordinary user: sessions that this user may not write or read. */
import { assertEquals } from "@std/assert";
import { createSession } from "../../src/session/log.ts";
import { createClock } from "../../src/system/clock.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import { freshBinary, runIn, withBarePlace } from "./binary.ts";

const NOBODY = 65534;
const AS_NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];

interface Row {
  readonly title: string;
  /** The folder of sessions in `DIR`, and the modes of what is in it. */
  readonly folder: string;
  readonly modes: { readonly [name: string]: number };
  readonly args: readonly string[];
  readonly exit: number;
  readonly stdout?: string;
  /** Ids of new sessions stand as ID. */
  readonly stderr: string;
}

const RUN = ["run", "-A", "--quiet", "-p", "hi"];
/** Nobody listens there: what is told is told before a model is asked. */
const SERVER = [
  "--provider=custom",
  "--model=m",
  "--base-url=http://127.0.0.1:9/v1",
  "--retries=0",
];
const ELSEWHERE = "(--session-dir names another folder)";

const ROWS: readonly Row[] = [
  {
    title: "a new session in a folder that is read-only",
    folder: "old",
    modes: { old: 0o555 },
    args: RUN,
    exit: 3,
    stderr: `Cannot start a session "DIR/old/ID.jsonl": permission denied ${ELSEWHERE}`,
  },
  {
    title: "a new session in a folder that can't be made",
    folder: "old/new",
    modes: { old: 0o555 },
    args: RUN,
    exit: 3,
    stderr: `Cannot start a session "DIR/old/new": permission denied ${ELSEWHERE}`,
  },
  {
    title: "going on with a session that is read-only",
    folder: "old",
    modes: { old: 0o555, "old/s.jsonl": 0o444 },
    args: [...RUN, "--continue"],
    exit: 3,
    stderr: 'Cannot go on with the session "DIR/old/s.jsonl": permission denied',
  },
  {
    title: "going on with a session that can't be read",
    folder: "old",
    modes: { old: 0o555, "old/s.jsonl": 0o600 },
    args: [...RUN, "--continue"],
    exit: 3,
    stderr: 'Cannot read "DIR/old/s.jsonl": permission denied',
  },
  {
    title: "going on in a folder that can't be read",
    folder: "old",
    modes: { old: 0o700 },
    args: [...RUN, "--continue"],
    exit: 3,
    stderr: `Cannot list "DIR/old": permission denied ${ELSEWHERE}`,
  },
  {
    title: "a session whose outputs can't be kept beside it",
    folder: "old",
    modes: { old: 0o555, "old/s.jsonl": 0o666 },
    args: [...RUN, "--continue"],
    exit: 3,
    stderr: 'Cannot make the folder "DIR/old/s.data/tmp": permission denied',
  },
  {
    title: "looking at a session that is read-only",
    folder: "old",
    modes: { old: 0o555, "old/s.jsonl": 0o444 },
    args: ["sessions", "verify", "s"],
    exit: 0,
    stdout: '"DIR/old/s.jsonl" is whole: 1 records\n',
    stderr: "",
  },
  {
    title: "a list with a session that can't be read",
    folder: "old",
    modes: { old: 0o555, "old/s.jsonl": 0o600 },
    args: ["sessions", "list"],
    exit: 0,
    stdout: "",
    stderr: 'Cannot read "DIR/old/s.jsonl": permission denied\nThere is no session in "DIR/old"\n',
  },
];

Deno.test("An ordinary user is told of a session that may not be written or read, and nothing is lost", async (t) => {
  if (Deno.uid() !== 0) return console.log("left out: only root can become an ordinary user");
  const binary = await freshBinary();
  if (binary === undefined) return;
  for (const row of ROWS) {
    await t.step(row.title, () => check(row, binary));
  }
});

/** A session with its header and no more. */
function beginSession(path: string): void {
  createSession(path, {
    id: "s",
    cwd: "/",
    protocol: "ctl-heredoc",
    provider: "custom",
    model: "m",
    system: "",
  }, { logFiles: createLogFiles(), clock: createClock() }).log.close();
}

async function check(row: Row, binary: string): Promise<void> {
  await withBarePlace([], async (place) => {
    const { folder, work } = place;
    await Deno.mkdir(`${folder}/old`);
    const path = `${folder}/old/s.jsonl`;
    beginSession(path);
    const before = await Deno.readTextFile(path);
    for (const [name, mode] of Object.entries(row.modes)) Deno.chmodSync(`${folder}/${name}`, mode);
    Deno.chmodSync(folder, 0o755);
    for (const own of [work, place.home, place.env.TMPDIR]) Deno.chownSync(own, NOBODY, NOBODY);
    // The sources may stand where this user may not look.
    await Deno.copyFile(binary, `${folder}/cst-agent`);
    const sessionDir = `--session-dir=${folder}/${row.folder}`;
    const server = row.args[0] === "run" ? SERVER : [];
    const ended = await runIn(place, "/usr/bin/setpriv", [
      ...AS_NOBODY,
      `${folder}/cst-agent`,
      ...row.args,
      ...server,
      sessionDir,
    ]);
    const plain = (text: string) =>
      text.replaceAll(folder, "DIR").replace(/\d{8}-\d{6}-[0-9a-f]{6}/, "ID");
    assertEquals(
      { exit: ended.code, stdout: plain(ended.stdout), stderr: plain(ended.stderr) },
      {
        exit: row.exit,
        stdout: row.stdout ?? "",
        stderr: row.exit === 0 ? row.stderr : `cst-agent: ${row.stderr}\n`,
      },
    );
    assertEquals((await Deno.readTextFile(path)).startsWith(before), true);
  });
}
