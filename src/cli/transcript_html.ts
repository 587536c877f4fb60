/** A transcript as one self-contained HTML page: no script, no request, everything escaped. */
import {
  argumentText,
  type CallEntry,
  type Entry,
  type Transcript,
  verdictOf,
} from "./transcript.ts";

/** Outputs with more lines than this are folded until they are opened. */
const OPEN_LINES = 12;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --bad: #c0392b; --good: #1e8449 }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem; margin-bottom: .3rem } dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0 0 2rem; font-size: .875rem }
dt { opacity: .65 } dd { margin: 0; overflow-wrap: anywhere }
article { border-top: 1px solid var(--line); padding: 1rem 0 } article.user { background: var(--soft); padding: 1rem; border-radius: .5rem; border-top: 0 }
h2 { font-size: .8rem; margin: 0 0 .5rem; letter-spacing: .04em; text-transform: uppercase; opacity: .65 } h2 time { float: right; font-weight: normal; text-transform: none }
.text { white-space: pre-wrap; overflow-wrap: anywhere } .note { border-left: 3px solid var(--bad); padding-left: .75rem; font-size: .9rem; overflow-wrap: anywhere }
article.user + article { border-top: 0 } .event { border-left: 3px solid var(--line); padding-left: .75rem; font-size: .9rem; margin: .6rem 0; overflow-wrap: anywhere }
pre { font: 13px/1.45 ui-monospace, monospace; background: var(--soft); padding: .6rem .75rem; border-radius: .35rem; margin: .35rem 0; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4 }
section.call { margin: .9rem 0 } .name { font-weight: 600 } .verdict { font-size: .85rem } .ok { color: var(--good) } .failed { color: var(--bad) }
summary { cursor: pointer; font-size: .85rem; opacity: .75 } details.reasoning { margin-bottom: .6rem }
`.trim();

/** The transcript as a page. */
export function htmlOf(transcript: Transcript): string {
  const { header, entries, inputTokens, outputTokens } = transcript;
  const facts: [string, string][] = [
    ["Started", header.time],
    ["Folder", header.cwd],
    ["Model", `${header.provider}/${header.model}, ${header.protocol}`],
    ["Tokens", `${inputTokens} in, ${outputTokens} out`],
    ...(header.parent === undefined ? [] : [["Began as", header.parent] as [string, string]]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Session ${escape(header.id)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<h1>Session ${escape(header.id)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escape(value)}</dd>`).join("")}</dl>
${entries.map(entryHtml).join("\n")}
</body>
</html>
`;
}

function entryHtml(entry: Entry): string {
  const time = `<time datetime="${escape(entry.time)}">${escape(entry.time.slice(11, 19))}</time>`;
  switch (entry.kind) {
    case "user":
      return `<article class="user"><h2>User ${time}</h2>${textHtml(entry.text)}</article>`;
    case "note":
      return `<p class="event">${escape(entry.text)}</p>`;
    case "assistant": {
      const parts = [
        entry.reasoning === ""
          ? ""
          : `<details class="reasoning"><summary>Reasoning</summary>${
            textHtml(entry.reasoning)
          }</details>`,
        entry.text === "" ? "" : textHtml(entry.text),
        ...entry.calls.map(callHtml),
        ...entry.notes.map((note) => `<p class="note">${escape(note)}</p>`),
      ];
      return `<article><h2>Assistant ${time}</h2>${parts.join("")}</article>`;
    }
  }
}

function textHtml(text: string): string {
  return `<div class="text">${escape(text.trim())}</div>`;
}

function callHtml(entry: CallEntry): string {
  const { result, call } = entry;
  const ok = result?.exit === 0 ? "ok" : "failed";
  const head = `<span class="name">${escape(call.name)}</span> <span class="verdict ${ok}">${
    escape(verdictOf(entry))
  }</span>`;
  return `<section class="call">${head}${blockHtml(argumentText(entry), "arguments")}${
    result?.output ? blockHtml(result.output, "output") : ""
  }</section>`;
}

function blockHtml(text: string, what: string): string {
  const block = `<pre>${escape(text)}</pre>`;
  const lines = text.trimEnd().split("\n").length;
  return lines > OPEN_LINES
    ? `<details><summary>${what}, ${lines} lines</summary>${block}</details>`
    : block;
}

/** Text inside an element or a quoted attribute; what no page may hold (NUL, lone surrogates) becomes U+FFFD. */
function escape(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd").replace(/[&<>"']/g, (character) => {
    switch (character) {
      case "&":
        return "&amp;";
      case "<":
        return "&lt;";
      case ">":
        return "&gt;";
      case '"':
        return "&quot;";
      default:
        return "&#39;";
    }
  });
}
