import { assertEquals } from "@std/assert";
import { findNearMiss, type NearMissReader } from "../../src/protocol/near_miss.ts";

const CASES: [title: string, reader: NearMissReader, text: string, line: string | undefined][] = [
  ["an indented header", "ctl", "  call c1 run\n", "  call c1 run"],
  ["a quoted header", "ctl", "> call c1 run\n> arg command ls\n> end", "> call c1 run"],
  ["a header in inline code", "ctl", "`call c1 run`\n", "`call c1 run`"],
  ["a bold header", "ctl", "**call c1 run**", "**call c1 run**"],
  ["a header after a BOM", "ctl", "\ufeffcall c1 run\nend", "\ufeffcall c1 run"],
  ["capitals", "ctl", "CALL c1 run\nARG command ls\nEND", "CALL c1 run"],
  ["a header without digits, but with arguments", "ctl", " call a run\n arg x y\n", " call a run"],
  ["arguments without a header", "ctl", "arg content <<EOF\nx\nEOF\nend\n", "arg content <<EOF"],
  ["a result that the model wrote", "ctl", "result c1 exit=0 3\nabc\nend\n", "result c1 exit=0 3"],
  [
    "a fenced JSON call",
    "ctl",
    '```json\n{"name": "run", "arguments": {"command": "ls"}}\n```',
    '{"name": "run", "arguments": {"command": "ls"}}',
  ],
  [
    "a JSON call over several lines",
    "ctl",
    '```\n{\n  "name": "run",\n  "arguments": {\n  }\n}\n```',
    "{",
  ],
  [
    "a bare JSON call",
    "native",
    'Ok.\n{"name":"run","arguments":{}}',
    '{"name":"run","arguments":{}}',
  ],
  ["MiniMax's tag", "ctl", "<minimax:tool_call>\n", "<minimax:tool_call>"],
  ["an invoke tag", "native", '<invoke name="run">', '<invoke name="run">'],
  ["its own tag is left to its parser", "xml", '<invoke name="run">', undefined],
  ["a Hermes tag", "xml", "<tool_call>\n{}", "<tool_call>"],
  ["a DeepSeek token", "ctl", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜>"],
  ["a Mistral token", "native", "[TOOL_CALLS][{}]", "[TOOL_CALLS][{}]"],
  ["a CTL frame for others", "native", "call c1 run\narg command ls\nend\n", "call c1 run"],
  ["a CTL frame for XML", "xml", "call c1 run\narg command ls\nend\n", "call c1 run"],
  ["prose about calling", "ctl", "Call me later\n  call me later\nYou may call it.\n", undefined],
  [
    "prose that mentions a tag",
    "ctl",
    "Use `<invoke name=...>` here; a <tool_call> is a tag.",
    undefined,
  ],
  ["a tag in a fence is an example", "ctl", "```xml\n<tool_call>\n```\n", undefined],
  ["JSON that is no call", "ctl", '```json\n{"name": "cst", "version": "1"}\n```\n', undefined],
  ["nothing", "ctl", "", undefined],
];

for (const [title, reader, text, line] of CASES) {
  Deno.test(`findNearMiss() for ${reader}: ${title}`, () => {
    assertEquals(findNearMiss(text, reader)?.line, line);
  });
}
