/** Which processes are a command's once its leader has ended and its number may be somebody else's (Linux). */
import { assertEquals } from "@std/assert";
import { listMembers, RUN_MARK, sessionIsOwn, ticksNow } from "../../src/system/members.ts";
import { findSetsid } from "../../src/system/process_group.ts";
import { killGroup } from "../../src/system/stop_group.ts";

const LONG_AGO = 0;
const MARK = "this-command";

interface Row {
  readonly title: string;
  readonly env: { readonly [name: string]: string };
  /** From the leader's end as seen by the command, given the ticks after the process began. */
  readonly endedAt: (after: number) => number | undefined;
  readonly own: boolean;
}

const ROWS: readonly Row[] = [
  { title: "the leader lives", env: {}, endedAt: () => undefined, own: true },
  { title: "older than the leader's end", env: {}, endedAt: (after) => after, own: true },
  { title: "bears the mark", env: { [RUN_MARK]: MARK }, endedAt: () => LONG_AGO, own: true },
  { title: "a stranger by its time", env: {}, endedAt: () => LONG_AGO, own: false },
  {
    title: "a stranger by another mark",
    env: { [RUN_MARK]: "another" },
    endedAt: () => LONG_AGO,
    own: false,
  },
];

for (const { title, env, endedAt, own } of findSetsid() === undefined ? [] : ROWS) {
  Deno.test(`a process with the number of the session is ${own ? "told" : "left alone"}: ${title}`, async () => {
    const child = new Deno.Command(findSetsid()!, {
      args: ["sh", "-c", "echo up; exec sleep 300"],
      env,
      clearEnv: true,
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    const of = { session: child.pid, mark: MARK, endedAt: endedAt(ticksNow()) };
    assertEquals(sessionIsOwn(of), own);
    assertEquals(listMembers(of), own ? [{ pid: child.pid, group: child.pid }] : []);
    killGroup({ pid: child.pid, mark: MARK, endedAt: of.endedAt });
    if (!own) child.kill("SIGTERM");
    await reader.cancel();
    assertEquals((await child.status).signal, own ? "SIGKILL" : "SIGTERM");
  });
}

const UNSHARE = ["unshare", ...(Deno.uid() === 0 ? [] : ["-Ur"]), "-pf", "--mount-proc", "--"];

function inNumbersOfItsOwn(argv: readonly string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command(UNSHARE[0]!, { args: [...UNSHARE.slice(1), ...argv], stdin: "null" })
    .output();
}

async function numbersCanBeSet(): Promise<boolean> {
  if (findSetsid() === undefined) return false;
  const script = "echo 100 > /proc/sys/kernel/ns_last_pid";
  const { success, stderr } = await inNumbersOfItsOwn(["sh", "-c", script]);
  if (!success) console.log(`REUSE OF NUMBERS NOT TESTED: ${new TextDecoder().decode(stderr)}`);
  return success;
}

Deno.test(
  "who got the number of an ended command's session isn't killed with the command's children",
  {
    ignore: !await numbersCanBeSet(),
  },
  async () => {
    const stub = new URL("reuse_stub.ts", import.meta.url).pathname;
    const { stdout, stderr } = await inNumbersOfItsOwn(
      [Deno.execPath(), "run", "-A", "--no-check", stub],
    );
    assertEquals(
      new TextDecoder().decode(stdout),
      '{"left":true,"bystander":"SIGTERM"}\n',
      new TextDecoder().decode(stderr),
    );
  },
);
