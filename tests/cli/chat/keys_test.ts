// deno-lint-ignore-file no-control-regex
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createKeyReader, ESCAPE_MS, type Key, PASTE_MS } from "../../../src/cli/chat/keys.ts";
import { sharedData } from "../../shared_data.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (it: string): Key => ({ kind: "text", text: it });
const paste = (it: string): Key => ({ kind: "paste", text: it });
const key = (name: string): Key => ({ kind: "key", name }) as Key;

/** The keys of reads that come one by one; a pause of `ESCAPE_MS` or more is noticed. */
function readAll(reads: readonly { readonly ms: number; readonly data: Uint8Array }[]): Key[] {
  const reader = createKeyReader();
  const keys: Key[] = [];
  for (const { ms, data } of reads) {
    const wait = reader.waitMs();
    if (wait !== null && ms >= wait) keys.push(...reader.flush());
    keys.push(...reader.push(data, ms));
  }
  if (reader.waitMs() !== null) keys.push(...reader.flush());
  return joined(keys);
}

/** Neighbouring text is one text: reads decide how many parts there are. */
function joined(keys: readonly Key[]): Key[] {
  const out: Key[] = [];
  for (const each of keys) {
    const last = out.at(-1);
    if (each.kind === "text" && last?.kind === "text") {
      out[out.length - 1] = text(last.text + each.text);
    } else out.push(each);
  }
  return out;
}

const ROWS: readonly (readonly [string, readonly Key[]])[] = [
  ["abc", [text("abc")]],
  ["é字👩‍👧", [text("é字👩‍👧")]],
  ["\r", [key("enter")]],
  ["\n", [key("newline")]],
  ["ab\r", [text("ab"), key("enter")]],
  ["\x1b\r", [key("newline")]],
  ["\x1b[13;2u", [key("newline")]],
  ["\x1b[13u", [key("enter")]],
  ["\x1b[99;5u", [key("ctrl-c")]],
  ["\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"].map(key)],
  ["\x1bOA\x1bOH", [key("up"), key("home")]],
  ["\x1b[1;5D\x1b[1;3C", [key("word-left"), key("word-right")]],
  ["\x1b[1;2A", [key("up")]],
  ["\x1bb\x1bf", [key("word-left"), key("word-right")]],
  ["\x1b[3~\x1b[1~\x1b[8~", [key("delete"), key("home"), key("end")]],
  ["\x7f\x08\x1b\x7f", [key("backspace"), key("backspace"), key("delete-word")]],
  ["\x01\x05\x0b\x15\x17", ["home", "end", "kill-to-end", "kill-to-start", "delete-word"].map(key)],
  ["\x03\x04\x1a\x0c", ["ctrl-c", "ctrl-d", "ctrl-z", "ctrl-l"].map(key)],
  ["\t\x1b[Z", [key("tab"), key("shift-tab")]],
  ["\x1b[I\x1b[O\x1b[?1;2c\x1b[<0;1;1M", []],
  ["\x1b", [key("escape")]],
  ["\x1b\x1b", [key("escape"), key("escape")]],
  ["\x1bx", [key("escape"), text("x")]],
  ["\x1b[200~a\r\nb\tc\x1b[201~", [paste("a\nb\tc")]],
  ["\x1b[200~\x1b[31mred\x07\x1b[0m\x1b[201~", [paste("[31mred[0m")]],
  ["\x1b[200~\x03\x1b[201~", []],
  ["\x1b[200~never ends", [paste("never ends")]],
  ["\x1b[201~", []],
  ["one\rtwo\r", [paste("one\ntwo\n")]],
];

Deno.test("Bytes are read as the keys that they stand for", () => {
  for (const [input, keys] of ROWS) {
    assertEquals(readAll([{ ms: 1000, data: bytes(input) }]), joined(keys), JSON.stringify(input));
  }
});

Deno.test("Where the bytes are cut decides nothing, as long as they come at once", () => {
  for (const [input, keys] of ROWS) {
    // Line breaks between characters are a paste only when they come in one read.
    if (/[^\x00-\x1f]\r[^\x00-\x1f]/.test(input) && !input.includes("\x1b[200~")) continue;
    const all = bytes(input);
    for (let at = 1; at < all.length; at++) {
      const reads = [{ ms: 1000, data: all.slice(0, at) }, { ms: 1, data: all.slice(at) }];
      assertEquals(readAll(reads), joined(keys), `${JSON.stringify(input)} cut at ${at}`);
    }
    const single = Array.from(
      all,
      (byte, i) => ({ ms: i === 0 ? 1000 : 1, data: new Uint8Array([byte]) }),
    );
    assertEquals(readAll(single), joined(keys), `${JSON.stringify(input)} byte by byte`);
  }
});

Deno.test("A paste gives back what was in it but control characters, however it's cut", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.array(fc.nat(200), { maxLength: 6 }),
      (held, cuts) => {
        const clean = held.toWellFormed().replaceAll("\x1b", "");
        const all = bytes(`\x1b[200~${clean}\x1b[201~`);
        const ends = [...new Set(cuts.map((cut) => cut % all.length))].sort((a, b) => a - b);
        const reads = [...ends, all.length].map((end, i) => ({
          ms: i === 0 ? 1000 : 1,
          data: all.slice(i === 0 ? 0 : ends[i - 1], end),
        }));
        const expected = clean.replace(/\r\n?/g, "\n").replace(
          /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
          "",
        );
        assertEquals(readAll(reads), expected === "" ? [] : [paste(expected)]);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("No bytes make a control character of a key's text, and none are waited for without an end", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 8 }), (reads) => {
      const reader = createKeyReader();
      const keys = reads.flatMap((data) => reader.push(data, 1));
      keys.push(...reader.flush());
      assertEquals(reader.waitMs() === null, true);
      for (const each of keys) {
        if (each.kind !== "key") assertEquals(/[\x00-\x08\x0b-\x1f\x7f]/.test(each.text), false);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("An ESC waits for the rest of its sequence, not longer; a paste waits for its end mark", () => {
  const reader = createKeyReader();
  assertEquals(reader.waitMs(), null);
  reader.push(bytes("\x1b"), 1000);
  assertEquals(reader.waitMs(), ESCAPE_MS);
  assertEquals(reader.push(bytes("[200~x"), 1), []);
  assertEquals(reader.waitMs(), PASTE_MS);
  assertEquals(reader.flush(), [paste("x")]);
  assertEquals(reader.waitMs(), null);
});

/** The messages of reads when Enter sends and every other key writes. */
function messagesOf(keys: readonly Key[]): string[] {
  const messages: string[] = [];
  let written = "";
  for (const each of keys) {
    if (each.kind !== "key") written += each.text;
    else if (each.name === "newline") written += "\n";
    else if (each.name === "enter") {
      messages.push(written);
      written = "";
    } else written += `<${each.name}>`;
  }
  return messages;
}

async function readsOf(id: string): Promise<{ ms: number; data: Uint8Array }[] | undefined> {
  const place = sharedData(`cases/${id}/reads.json`);
  if (!place) return undefined;
  const reads = JSON.parse(await Deno.readTextFile(place)) as { after_ms: number; hex: string }[];
  return reads.map(({ after_ms, hex }) => ({
    ms: after_ms,
    data: Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
  }));
}

Deno.test("Case I05: a lone Esc cancels, the start of an arrow doesn't", async () => {
  const reads = await readsOf("I05");
  if (reads) assertEquals(readAll(reads), [key("escape"), key("up"), key("up")]);
});

Deno.test("Case I10: what comes right behind a paste's end mark is pasted too, and nothing of it is a key", async () => {
  const reads = await readsOf("I10");
  if (reads) assertEquals(messagesOf(readAll(reads)), ["red [31mtext and fake rm\n"]);
});

Deno.test("Case I11: lines that come at once are a paste, without marks too", async () => {
  const reads = await readsOf("I11");
  if (reads) assertEquals(messagesOf(readAll(reads)), ["请查：\n第二行"]);
});
