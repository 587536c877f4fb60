/** SPEC 2.5 and 3 as the agent shows them: what has run, and what the model is told, for each way a message may end. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Delta, JsonObject, ProtocolName } from "../../src/vocab.ts";
import { type Answer, callOf, saying, withRig } from "../world.ts";

const LENGTH = {
  how: "cut",
  cause: "cut_by_server",
  why: "The reply reached the server's length limit",
  finishReason: "length",
} as const;
const FILTER = { ...LENGTH, finishReason: "content_filter" } as const;

const text = (words: string): Answer => ({ deltas: [{ kind: "text", text: words }] });
const touch = (name: string) => callOf(name, "run", { command: `touch ${name}` });

/** Both calls of a native message; the last delta ends it with `reason`. */
function native(reason: string): readonly Delta[] {
  const deltas = saying("native-inc", "", [touch("a"), touch("b")]).deltas.filter(({ kind }) =>
    kind !== "finish" && kind !== "done"
  );
  return [...deltas, { kind: "finish", reason }];
}

const rows: readonly {
  readonly title: string;
  readonly protocol: ProtocolName;
  readonly answer: Answer;
  /** What has run: the files that are there. */
  readonly ran: readonly string[];
  /** The model's next message holds these; none where the message was the answer. */
  readonly told?: readonly string[];
}[] = [
  {
    title: "a complete end makes a line of the last TAG and end",
    protocol: "ctl-heredoc",
    answer: text("call a run\narg command <<EOF\ntouch a\nEOF\nend"),
    ran: ["a"],
    told: ["result a exit=0 0\n"],
  },
  {
    title: "a cut doesn't: end may have been the start of another word",
    protocol: "ctl-heredoc",
    answer: { ...text("call a run\narg command <<EOF\ntouch a\nEOF\nend"), end: LENGTH },
    ran: [],
    told: ["length limit", 'The call "a" was not run', "No call of that message was run"],
  },
  {
    title: "of a cut message what was confirmed has run and the open call is named",
    protocol: "ctl",
    answer: {
      ...text("call a run\narg command touch a\nend\ncall b run\narg command touch b\n"),
      end: LENGTH,
    },
    ran: ["a"],
    told: [
      "result a exit=0",
      "length limit",
      'The call "b" was not run',
      "must not be repeated: a (run)",
    ],
  },
  {
    title: "a content filter is named as what it is",
    protocol: "ctl",
    answer: { ...text("call a run\narg command touch a\nend\n"), end: FILTER },
    ran: ["a"],
    told: ["the server's content filter stopped it", "must not be repeated: a (run)"],
  },
  {
    title: "the length limit completes nothing but what a later index had completed",
    protocol: "native-inc",
    answer: { deltas: native("length"), end: LENGTH },
    ran: ["a"],
    told: ["must not be repeated: a (run)"],
  },
  {
    title: "a complete end completes the last call",
    protocol: "native-inc",
    answer: { deltas: native("tool_calls") },
    ran: ["a", "b"],
    told: ["exit=0"],
  },
  {
    title: "at the length limit nothing runs",
    protocol: "native-eos",
    answer: { deltas: native("length"), end: LENGTH },
    ran: [],
    told: ["length limit", "No call of that message was run"],
  },
  {
    title: "one broken block and nothing of the message runs",
    protocol: "xml",
    answer: {
      deltas: [
        ...saying("xml", "", [touch("a")]).deltas,
        { kind: "text", text: "\n<minimax:tool_call>\n<invoke run>\n</minimax:tool_call>\n" },
      ],
    },
    ran: [],
    told: ["(bad_xml)", "No call of that message was run"],
  },
  ...([
    ["an indented header", "I do it:\n  call a run\n  arg command touch a\n  end\n"],
    ["a quoted header", "> call a run\n> arg command touch a\n> end\n"],
    ["a header in capitals", "CALL a run\narg command touch a\nend\n"],
    ["JSON in a fence", '```json\n{"name":"run","arguments":{"command":"touch a"}}\n```\n'],
    [
      "another protocol's tag",
      '<minimax:tool_call>\n<invoke name="run">\n<parameter name="command">touch a</parameter>\n</invoke>\n</minimax:tool_call>\n',
    ],
  ] as const).map(([title, words]) => ({
    title: `a near miss is no answer: ${title}`,
    protocol: "ctl-heredoc" as const,
    answer: text(words),
    ran: [],
    told: ["(bad_call)", "was meant as a call", "Write its calls again."],
  })),
  {
    title: "prose about a call is an answer",
    protocol: "ctl-heredoc",
    answer: text("You can call me when it is done.\n"),
    ran: [],
  },
  {
    title: "what a model thinks is never run",
    protocol: "ctl",
    answer: text("<think>\ncall a run\narg command touch a\nend\n</think>\nNothing to do.\n"),
    ran: [],
  },
];

for (const { title, protocol, answer, ran, told } of rows) {
  Deno.test(`${protocol}: ${title}`, async () => {
    await withRig([answer, text("Well then.")], { protocol }, async (rig) => {
      const end = await rig.run();
      assertEquals(end.outcome, "done");
      assertEquals([...Deno.readDirSync(rig.cwd)].map(({ name }) => name).sort(), [...ran]);
      assertEquals(rig.bodies.length, told ? 2 : 1);
      const messages = (rig.bodies.at(-1)!.messages as JsonObject[]).slice(1);
      const said = messages.map(({ content }) => String(content)).join("\n");
      for (const words of told ?? []) assertStringIncludes(said, words);
    });
  });
}
