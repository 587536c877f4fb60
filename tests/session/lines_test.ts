import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonObject } from "../../src/vocab.ts";
import { crc32 } from "../../src/session/crc32.ts";
import { foldRecords } from "../../src/session/fold.ts";
import { encodeLine, readLines } from "../../src/session/lines.ts";
import type { SessionRecord } from "../../src/session/records.ts";
import { header, message, result, runCall } from "./samples.ts";

const TIME = "2026-12-01T02:00:00.000Z";

function fileOf(records: readonly SessionRecord[]): Uint8Array {
  let previousCrc = 0;
  const bytes: number[] = [];
  records.forEach((record, index) => {
    const line = encodeLine(record, { n: index + 1, time: TIME, previousCrc });
    previousCrc = line.crc;
    bytes.push(...line.bytes);
  });
  return new Uint8Array(bytes);
}

/** Any text a model or a command may write, halves of characters too. */
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom("\ud83d", "\ude00", "\n", "\0", '"', "\\", "\u2028"), fc.string()),
  maxLength: 20,
});
const anyArguments = fc.dictionary(anyText, fc.jsonValue()) as fc.Arbitrary<JsonObject>;

Deno.test("whatever a record holds, its line is one line and reads back to the same turns", () => {
  fc.assert(fc.property(anyText, anyArguments, anyText, (said, args, output) => {
    const records: SessionRecord[] = [
      { kind: "header", version: 1, ...header() },
      { kind: "user", text: said },
      { kind: "call", call: { ...runCall("c1"), arguments: args, values: "json" } },
      result("c1", output),
      message(said),
    ];
    const bytes = fileOf(records);
    assertEquals(bytes.filter((byte) => byte === 10).length, records.length);
    const read = readLines(bytes);
    assertEquals(read.fault, undefined);
    const live = foldRecords(records.map((record, index) => ({ ...record, n: index + 1 })));
    const again = foldRecords(read.records);
    assertEquals(JSON.stringify(again.turns()), JSON.stringify(live.turns()));
    assertEquals(again.turns()[0], { kind: "user", text: said });
  }));
});

Deno.test("any change of any byte is found", () => {
  const bytes = fileOf([{ kind: "header", version: 1, ...header() }, { kind: "user", text: "é" }]);
  for (let at = 0; at < bytes.length; at++) {
    for (const change of [1, 0x20, 0xff]) {
      const changed = bytes.slice();
      changed[at]! ^= change;
      assertEquals(readLines(changed).fault === undefined, false, `byte ${at} ^ ${change}`);
    }
  }
});

Deno.test("the checksum is that of zip, over bytes in any pieces", () => {
  const bytes = new TextEncoder().encode("The quick brown fox jumps over the lazy dog");
  assertEquals(crc32(bytes), 0x414fa339);
  for (let at = 0; at <= bytes.length; at++) {
    assertEquals(crc32(bytes.subarray(at), crc32(bytes.subarray(0, at))), 0x414fa339);
  }
  assertEquals(crc32(new Uint8Array()), 0);
});
