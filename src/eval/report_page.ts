/**
 * The page around a report: style, script, and a policy under which it can ask for nothing.
 *
 * Chartist (npm `chartist`, MIT or WTFPL) comes in as the text of its own package, at the version that `deno.json` pins,
 * and goes out as it is.
 */
import chartist from "chartist/dist/index.umd.js" with { type: "text" };
import chartistStyle from "chartist/dist/index.css" with { type: "text" };
import script from "./report_page.js" with { type: "text" };
import { escapeHtml } from "./charts.ts";
import { STYLE } from "./report_style.ts";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/** A whole page of `content`, which draws the charts in it. */
export function wrapPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title><style>${
    withoutMap(chartistStyle)
  }</style><style>${STYLE}</style></head>
<body><main><noscript><p>The charts need a script; the tables have the same figures.</p></noscript>
${content}</main>
<script>/* Chartist, Copyright (c) 2013 Gion Kunz, MIT or WTFPL: https://chartist.dev */
${withoutMap(chartist)}</script>
<script>${script}</script></body></html>
`;
}

/** A browser's tools would ask for the map that a package's file names in its last line. */
function withoutMap(text: string): string {
  return text.replace(/\/[*/]# sourceMappingURL=.*/, "");
}
