/** A transcript as Markdown. */
import { argumentText, type Entry, type Transcript, verdictOf } from "./transcript.ts";

/** The transcript as one Markdown document. */
export function markdownOf(transcript: Transcript): string {
  const { header, inputTokens, outputTokens } = transcript;
  const facts = [
    ["Session", header.id],
    ["Started", header.time],
    ["Folder", header.cwd],
    ["Model", `${header.provider}/${header.model}, ${header.protocol}`],
    ["Tokens", `${inputTokens} in, ${outputTokens} out`],
    ...(header.parent === undefined ? [] : [["Began as", header.parent]]),
  ];
  const head = `# Session ${header.id}\n\n${
    facts.map(([name, value]) => `- ${name}: ${value}`).join("\n")
  }\n`;
  return `${head}\n${transcript.entries.map(entryText).join("\n")}`;
}

function entryText(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return `## User\n\n${closedText(entry.text)}`;
    case "note":
      return `> ${oneLine(entry.text)}\n`;
    case "assistant": {
      const parts = [
        ...(entry.reasoning === "" ? [] : [quote(entry.reasoning)]),
        ...(entry.text === "" ? [] : [closedText(entry.text)]),
        ...entry.calls.map((call) =>
          `**${call.call.name}** (${verdictOf(call)})\n\n${fenced(argumentText(call))}${
            call.result?.output ? `\n${fenced(call.result.output)}` : ""
          }`
        ),
        ...entry.notes.map((note) => `> ${oneLine(note)}\n`),
      ];
      return `## Assistant\n\n${parts.join("\n")}`;
    }
  }
}

function closedText(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function quote(text: string): string {
  return `${text.trim().split("\n").map((line) => `> ${line}`).join("\n")}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${closedText(text)}${fence}\n`;
}
