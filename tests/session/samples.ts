/** Records and faulty files for the tests of the session room. */
import type { ToolCall } from "../../src/vocab.ts";
import { FileError, type LogFile, type LogFiles } from "../../src/system/system.ts";
import { createLogFiles } from "../../src/system/log_file.ts";
import type { HeaderFields, LogParts } from "../../src/session/log.ts";
import type { SessionRecord } from "../../src/session/records.ts";

export const logFiles: LogFiles = createLogFiles();

/** A clock that advances a second with each look. */
export function steppingClock(start = Date.UTC(2026, 11, 1, 2, 0, 0)): { now(): number } {
  let ms = start - 1000;
  return { now: () => ms += 1000 };
}

export function partsWith(files: LogFiles = logFiles): LogParts {
  return { logFiles: files, clock: steppingClock() };
}

export function header(id = "20261201-020000-000001", cwd = "/project"): HeaderFields {
  const model = { protocol: "ctl-heredoc", provider: "sim", model: "m" } as const;
  return { id, cwd, ...model, system: "You are a careful programmer" };
}

export function runCall(id: string, command = "make"): ToolCall {
  return { id, name: "run", arguments: { command }, values: "text" };
}

export function result(id: string, output = "ok\n", exit = 0): SessionRecord {
  return { kind: "result", result: { id, name: "run", exit, output }, ms: 12 };
}

export function message(kept: string, usage = true): SessionRecord {
  return {
    kind: "message",
    kept,
    how: "complete",
    finishReason: "stop",
    usage: usage ? { inputTokens: 100, outputTokens: 20 } : null,
  };
}

/** A task of two messages: one with two calls, then the answer. */
export function sampleRecords(): SessionRecord[] {
  return [
    { kind: "user", text: "Fix é字😀 it" },
    { kind: "call", call: runCall("c1") },
    result("c1", "a\tb\r\nline\u0000 two\n"),
    { kind: "call", call: runCall("c2", "make test"), ran: "'make' 'test'" },
    result("c2", "fine\n"),
    { kind: "text", text: "Let me look" },
    message("Let me look\ncall c1 run\n…"),
    { kind: "text", text: "Done é" },
    message("Done é"),
  ];
}

/** Writes text and calls as a text protocol might. */
export function writeMessage(text: string, calls: readonly ToolCall[]): string {
  return text + calls.map(({ id, name }) => `call ${id} ${name}\nend\n`).join("");
}

export function tempFolder(): string {
  return Deno.makeTempDirSync({ prefix: "cst-session-" });
}

/** What goes wrong at the write with this number (from 1) of a file. */
export interface WriteFault {
  readonly at: number;
  /** Bytes that are taken before the disk is full; `throws`: the write fails with ENOSPC after them. */
  readonly taken: number;
  readonly throws: boolean;
}

/** Real files whose n-th write fails. */
export function failingFiles(fault: WriteFault): LogFiles {
  let writes = 0;
  const wrap = (file: LogFile): LogFile => ({
    ...file,
    write(bytes) {
      if (++writes !== fault.at) return file.write(bytes);
      if (fault.taken > 0) file.write(bytes.subarray(0, fault.taken));
      if (!fault.throws) return fault.taken;
      throw new FileError("ENOSPC", "x", `Cannot write "x": no space left on the disk`);
    },
  });
  return {
    ...logFiles,
    create: (path) => wrap(logFiles.create(path)),
    open: (path) => wrap(logFiles.open(path)),
  };
}
