/**
 * A small shell beside the program that kills what still runs when the program is gone, even by SIGKILL: it reads
 * `+ GROUP` and `- GROUP` lines from a pipe, and the end of that pipe is the end of the program.
 *
 * One for the whole program, in its own session (a SIGKILL to our whole group misses it), started with the first
 * command. It costs one process and about 20 µs a command; a watchdog in each command would be a fork each time and a
 * child that the command doesn't know.
 */

/** Tells the watchdog which groups to kill. */
export interface Watchdog {
  guard(group: number): void;
  release(group: number): void;
  /** Resolves when it has ended. */
  close(): Promise<void>;
}

const SCRIPT = `
trap '' HUP INT TERM
live=" "
while read -r change group; do
  case $change in
    +) live="$live$group " ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
for group in $live; do kill -s KILL -- "-$group"; done
`;

/** Starts a watchdog, by `setsid` where that is; where none can be started, one that does nothing. */
export function createWatchdog(setsid: string | undefined): Watchdog {
  const [program, ...args] = [...(setsid === undefined ? [] : [setsid]), "/bin/sh", "-c", SCRIPT];
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program!, {
      args,
      cwd: "/",
      clearEnv: true,
      detached: setsid === undefined,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    child.unref();
  } catch {
    return { guard: () => {}, release: () => {}, close: () => Promise.resolve() };
  }
  const pipe = child.stdin.getWriter();
  const encoder = new TextEncoder();
  // A watchdog that somebody killed must not take a command with it.
  const tell = (line: string) => void pipe.write(encoder.encode(line)).catch(() => {});
  return {
    guard: (group) => tell(`+ ${group}\n`),
    release: (group) => tell(`- ${group}\n`),
    async close() {
      child.ref();
      await pipe.close().catch(() => {});
      await child.status;
    },
  };
}
