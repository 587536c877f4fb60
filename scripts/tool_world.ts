/** A world for the tool `run` outside of a task, with real files and real time. */
import { createClock } from "../src/system/clock.ts";
import { createFiles } from "../src/system/files.ts";
import type { Processes } from "../src/system/system.ts";
import type { ToolWorld } from "../src/tools/tool.ts";

/** The world of a call that works in `folder` and puts its spill files there too. */
export function createToolWorld(folder: string, processes: Processes): ToolWorld {
  return {
    cwd: folder,
    spillDir: folder,
    processes,
    files: createFiles(),
    clock: createClock(),
    env: { PATH: "/usr/bin:/bin" },
    callId: "c1",
    outputCap: 24_000,
    signal: new AbortController().signal,
    shell: (command) => ["/bin/sh", "-c", command],
    killBackground: false,
    mayRead: () => Promise.resolve(true),
    onOutput: () => {},
  };
}
