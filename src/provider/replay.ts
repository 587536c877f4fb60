/** `replay:DIR`: recorded replies in order, through the same stream as a server's. */
import { ProviderError } from "../errors.ts";
import type { Files } from "../system/system.ts";
import { createClosedSource } from "./body_source.ts";
import { type ByteSource, createModelStream, type ModelClient } from "./model_stream.ts";

/** A slice as a network would hand it over. */
const SLICE = 16_384;

/**
 * The client that answers each request with the next `*.sse` of `folder`. Throws `ProviderError` where the folder has
 * none; a request beyond the last is a `ProviderError` too.
 */
export async function createReplayClient(files: Files, folder: string): Promise<ModelClient> {
  const names = await listRecordings(files, folder);
  let next = 0;
  return {
    async openStream(_body, signal) {
      if (signal.aborted) return createModelStream(createClosedSource({ kind: "cancelled" }));
      const name = names[next++];
      if (name === undefined) {
        throw new ProviderError(`The recording "${folder}" has only ${names.length} replies`);
      }
      return createModelStream(
        createBytesSource(await files.readFile(`${folder}/${name}`), signal),
      );
    },
  };
}

async function listRecordings(files: Files, folder: string): Promise<readonly string[]> {
  let entries;
  try {
    entries = await files.readDir(folder);
  } catch (cause) {
    throw new ProviderError(`Cannot read the recording "${folder}"`, { cause });
  }
  const names = entries.map((entry) => entry.name).filter((name) => name.endsWith(".sse")).sort();
  if (names.length === 0) throw new ProviderError(`No recorded reply (*.sse) in "${folder}"`);
  return names;
}

function createBytesSource(bytes: Uint8Array, signal: AbortSignal): ByteSource {
  let at = 0;
  return {
    contentType: "text/event-stream",
    read() {
      if (signal.aborted) return Promise.resolve({ kind: "cancelled" });
      if (at >= bytes.length) return Promise.resolve({ kind: "eof" });
      const slice = bytes.subarray(at, at + SLICE);
      at += slice.length;
      return Promise.resolve(slice);
    },
    close() {},
  };
}
