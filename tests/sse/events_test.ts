import { assertEquals } from "@std/assert";
import { createEventReader, type SseItem } from "../../src/sse/events.ts";
import { assertSplitInvariant } from "../split.ts";

function read(slices: readonly Uint8Array[]): SseItem[] {
  const reader = createEventReader();
  return [...slices.flatMap((slice) => [...reader.push(slice)]), ...reader.end()];
}

const event = (data: string, name?: string): SseItem => ({ kind: "event", event: name, data });

const rows: readonly { readonly name: string; readonly text: string; readonly want: SseItem[] }[] =
  [
    { name: "two events", text: "data: a\n\ndata: b\n\n", want: [event("a"), event("b")] },
    { name: "no space after the colon", text: "data:{}\n\n", want: [event("{}")] },
    { name: "one space is dropped, no more", text: "data:  a \n\n", want: [event(" a ")] },
    { name: "CRLF", text: "data: a\r\n\r\ndata: b\r\n\r\n", want: [event("a"), event("b")] },
    { name: "lone CR", text: "data: a\r\rdata: b\r\r", want: [event("a"), event("b")] },
    { name: "several data lines", text: "data: {\ndata: }\n\n", want: [event("{\n}")] },
    {
      name: "an event name",
      text: "event: error\ndata: x\n\ndata: y\n\n",
      want: [event("x", "error"), event("y")],
    },
    {
      name: "no blank line at the end",
      text: "data: a\n\ndata: b",
      want: [event("a"), event("b")],
    },
    {
      name: "one newline at the end",
      text: "data: a\n\ndata: b\n",
      want: [event("a"), event("b")],
    },
    { name: "CR at the end", text: "data: a\r\n\r\ndata: b\r", want: [event("a"), event("b")] },
    {
      name: "comments and a field that isn't SSE",
      text: ': ping\n:\n\ndata: a\n\nerror: {"message": "no"}\n',
      want: [
        { kind: "comment", text: "ping" },
        { kind: "comment", text: "" },
        event("a"),
        { kind: "field", field: "error", value: '{"message": "no"}' },
      ],
    },
    { name: "id and retry say nothing", text: "id: 7\nretry: 5\ndata: a\n\n", want: [event("a")] },
    { name: "empty data", text: "data:\n\ndata\n\n", want: [event(""), event("")] },
    { name: "a byte-order mark, once", text: "\uFEFFdata: \uFEFFa\n\n", want: [event("\uFEFFa")] },
    {
      name: "a second byte-order mark makes another field",
      text: "\uFEFF\uFEFFdata: a\n\n",
      want: [
        { kind: "field", field: "\uFEFFdata", value: "a" },
      ],
    },
    {
      name: "characters of two, three and four bytes",
      text: "data: é你😀\n\n",
      want: [event("é你😀")],
    },
    { name: "nothing", text: "", want: [] },
    { name: "blank lines only", text: "\n\r\n\n", want: [] },
    {
      name: "a page",
      text: "<html>\n<p style='a:b'>\n</html>",
      want: [
        { kind: "field", field: "<html>", value: "" },
        { kind: "field", field: "<p style='a", value: "b'>" },
        { kind: "field", field: "</html>", value: "" },
      ],
    },
  ];

for (const { name, text, want } of rows) {
  Deno.test(`The event reader gives the same items for every cut: ${name}`, () => {
    const bytes = new TextEncoder().encode(text);
    assertEquals(read([bytes]), want);
    assertSplitInvariant(bytes, read);
  });
}

Deno.test("A character that is cut off by the end becomes U+FFFD", () => {
  assertEquals(read([new TextEncoder().encode("data: 你").subarray(0, -1)]), [event("\uFFFD")]);
});

Deno.test("A megabyte in one line, a few bytes at a time, takes linear time", () => {
  const bytes = new TextEncoder().encode(`data: ${"x".repeat(1_000_000)}\n\n`);
  const slices: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 12) slices.push(bytes.subarray(at, at + 12));
  assertEquals(read(slices), [event("x".repeat(1_000_000))]);
});
