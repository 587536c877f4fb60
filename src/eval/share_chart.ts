/** A chart of executable calls against the prefix, as SVG that needs nothing else: light ground, system fonts. */
import type { Way } from "./truncation.ts";

/** One way's curve: for 0, 1, … 100 % of the bytes the share of its calls that is executable. */
export interface Curve {
  readonly way: Way;
  readonly note: string;
  readonly shares: readonly number[];
}

const WIDTH = 900;
const HEIGHT = 500;
const PLOT = { left: 70, top: 70, width: 600, height: 350 };

/** Colours that stay apart for colour-blind eyes; dashes, since some lines lie on each other. */
const STYLES: Readonly<Record<Way, { readonly colour: string; readonly dash: string }>> = {
  "ctl": { colour: "#0072b2", dash: "" },
  "ctl-heredoc": { colour: "#56b4e9", dash: "7 4" },
  "json-object": { colour: "#d55e00", dash: "11 9" },
  "json-whole": { colour: "#5c5c5c", dash: "" },
  "xml": { colour: "#cc79a7", dash: "8 5" },
  "native-inc": { colour: "#009e73", dash: "" },
  "native-eos": { colour: "#b58900", dash: "3 4" },
};

/** The chart, with a title and a line under it that says what was counted. */
export function shareChart(title: string, subtitle: string, curves: readonly Curve[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#222">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${PLOT.left}" y="28" font-size="18" font-weight="600">${escape(title)}</text>
<text x="${PLOT.left}" y="49" fill="#555">${escape(subtitle)}</text>
${axes()}
${[...curves].sort(solidFirst).map(curveLine).join("\n")}
${curves.map(legendEntry).join("\n")}
</svg>
`;
}

/** Dashed lines lie on top, so that what is under them shows through. */
function solidFirst(a: Curve, b: Curve): number {
  return Number(STYLES[a.way].dash !== "") - Number(STYLES[b.way].dash !== "");
}

function axes(): string {
  const marks = [0, 25, 50, 75, 100];
  const across = marks.map((percent) => {
    const y = placeY(percent / 100);
    return `<line x1="${PLOT.left}" x2="${
      PLOT.left + PLOT.width
    }" y1="${y}" y2="${y}" stroke="#ddd"/>` +
      `<text x="${PLOT.left - 10}" y="${y + 4}" text-anchor="end">${percent} %</text>`;
  });
  const along = marks.map((percent) => {
    const x = placeX(percent);
    const bottom = PLOT.top + PLOT.height;
    return `<line x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 5}" stroke="#888"/>` +
      `<text x="${x}" y="${bottom + 21}" text-anchor="middle">${percent} %</text>`;
  });
  const middle = PLOT.top + PLOT.height / 2;
  return [
    ...across,
    ...along,
    `<text x="${PLOT.left + PLOT.width / 2}" y="${
      HEIGHT - 30
    }" text-anchor="middle">bytes of the stream that have arrived</text>`,
    `<text transform="translate(20 ${middle}) rotate(-90)" text-anchor="middle">calls that are executable</text>`,
  ].join("\n");
}

/** Steps: nothing is executable before it is. */
function curveLine({ way, shares }: Curve): string {
  const { colour, dash } = STYLES[way];
  const steps = shares.map((share, percent) => {
    const x = placeX(percent);
    const y = placeY(share);
    return percent === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  });
  const dashes = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
  return `<path d="${steps.join("")}" fill="none" stroke="${colour}" stroke-width="3"${dashes}/>`;
}

function legendEntry({ way, note }: Curve, index: number): string {
  const { colour, dash } = STYLES[way];
  const x = PLOT.left + PLOT.width + 28;
  const y = PLOT.top + 14 + index * 38;
  const dashes = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
  return `<line x1="${x}" x2="${
    x + 32
  }" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="3"${dashes}/>` +
    `<text x="${x + 42}" y="${y + 4}" font-weight="600">${way}</text>` +
    `<text x="${x + 42}" y="${y + 19}" font-size="11" fill="#666">${escape(note)}</text>`;
}

function placeX(percent: number): number {
  return round(PLOT.left + PLOT.width * percent / 100);
}

function placeY(share: number): number {
  return round(PLOT.top + PLOT.height * (1 - share));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
