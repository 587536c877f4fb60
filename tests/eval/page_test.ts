import { assert, assertEquals } from "@std/assert";
import {
  type Browser,
  findBrowser,
  type Page,
  startBrowser,
  type View,
} from "../../scripts/browser.ts";
import { chartPlace } from "../../src/eval/charts.ts";
import type { Timeline } from "../../src/eval/measure.ts";
import { writeReport } from "../../src/eval/report.ts";
import type { Row } from "../../src/eval/row.ts";
import { PROTOCOL_NAMES } from "../../src/protocol/mod.ts";
import { makeTempFolder, removeFolder, writeText } from "../../src/system/folders.ts";
import { ROW } from "./rows.ts";

const VIEWS: readonly View[] = [
  { width: 900, height: 900, scheme: "light" },
  { width: 900, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
];

/** A run of a protocol; `violations` as given. */
function rowOf(protocol: Row["protocol"], model: string, violations: Row["violations"]): Row {
  const tokens = { inputTokens: 12_345, cost: null };
  return { ...ROW, ...tokens, protocol, model, fixture: "a fixture", violations, forms: {} };
}

const TIMELINE: Timeline = {
  messages: [{ start: 0, end: 90, bytes: [[10, 5], [50, 5]], serverEnd: 80 }],
  calls: [
    { message: 0, id: "a", name: "run", confirmed: 20, start: 30, end: 60, exit: 0, early: true },
    { message: 0, id: "b", name: "run", confirmed: 85, start: 91, end: 99, exit: 1, early: false },
  ],
};

/** What a reader would see, asked in the page. */
const SEEN = `({
  charts: [...document.querySelectorAll(".chart")].map((it) => ({
    title: it.getAttribute("aria-label"),
    bars: it.querySelectorAll(".ct-bar").length,
    whiskers: it.querySelectorAll(".whisker").length,
    notes: it.querySelectorAll(".note").length,
    labels: [...it.querySelectorAll(".ct-label.ct-vertical")].map((label) => label.textContent),
    points: [...it.querySelectorAll(".ct-line")].map((line) =>
      new Set(line.getAttribute("d").match(/[\\d.]+,/g)).size),
    table: (it.closest("section") ?? it.parentElement).querySelectorAll("details tbody tr").length,
  })),
  timelines: [...document.querySelectorAll("svg[role=img]")].map((it) => it.querySelectorAll("rect").length),
  width: document.documentElement.scrollWidth,
  strangers: document.querySelectorAll("main script, main img").length,
  noteEnds: Math.max(...[...document.querySelectorAll(".note")].map((it) => it.getBoundingClientRect().right)),
  colours: [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".ct-label")).color],
})`;

interface Seen {
  readonly charts: readonly {
    readonly title: string;
    readonly bars: number;
    readonly whiskers: number;
    readonly notes: number;
    readonly labels: readonly string[];
    readonly points: readonly number[];
    readonly table: number;
  }[];
  readonly timelines: readonly number[];
  readonly width: number;
  readonly strangers: number;
  readonly noteEnds: number;
  readonly colours: readonly [string, string];
}

/** Gives `use` a browser and an address of a report on `rows`; only without CI may a browser be missing. */
async function withReport(
  rows: readonly Row[],
  use: (browser: Browser, address: string) => Promise<void>,
): Promise<void> {
  const program = await findBrowser();
  if (program === undefined) {
    assert(Deno.env.get("CI") === undefined, "no Chromium is installed");
    return console.log("left out: no Chromium is installed");
  }
  const shares = Array.from({ length: 101 }, (_, i) => i / 100);
  const curves = [{ name: "ctl", shares }, { name: "xml", shares: shares.map((it) => it / 2) }];
  const html = writeReport(rows, {
    where: "Here.",
    timed: [{ row: rows[0]!, timeline: TIMELINE }],
    sections: [{ title: "Cuts", html: chartPlace("Cuts", { kind: "curves", curves }) }],
  });
  const folder = await makeTempFolder("cst-page-");
  const browser = await startBrowser(program);
  try {
    await writeText(`${folder}/report.html`, html);
    await use(browser, `file://${folder}/report.html`);
  } finally {
    await browser.close();
    await removeFolder(folder);
  }
}

/** Width and height in a PNG's first chunk. */
function sizeOf(png: Uint8Array<ArrayBuffer>): readonly [number, number] {
  assertEquals(new TextDecoder("latin1").decode(png.subarray(1, 4)), "PNG");
  const view = new DataView(png.buffer);
  return [view.getUint32(16), view.getUint32(20)];
}

/** The luminance of `rgb(…)`, near enough to tell light from dark. */
function brightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

async function look(page: Page): Promise<Seen> {
  return await page.ask(SEEN) as Seen;
}

Deno.test("the report draws every chart in Chromium, on a desk and a phone, light and dark, and asks for nothing", async () => {
  const counts = { bad_xml: 2, body_eof: 3 };
  const rows = PROTOCOL_NAMES.map((it, i) => rowOf(it, "sim", i === 0 ? {} : counts));
  await withReport(rows, async (browser, address) => {
    for (const view of VIEWS) {
      const page = await browser.open(address, view);
      const seen = await look(page);
      const labels = [...PROTOCOL_NAMES].reverse();
      const plain = { whiskers: 0, notes: 5, labels, points: [], table: 5 };
      assertEquals(seen.charts.slice(0, 6), [
        { ...plain, title: "Pass rate", bars: 5, whiskers: 5 },
        { ...plain, title: "Steps", bars: 5 },
        { ...plain, title: "Tokens", bars: 10 },
        { ...plain, title: "Time to first action", bars: 5 },
        { ...plain, title: "Early calls", bars: 5 },
        { ...plain, title: "Violations by kind", bars: 10 },
      ]);
      assertEquals(seen.charts.slice(6).map((it) => [it.title, it.points]), [["Cuts", [101, 101]]]);
      assertEquals(seen.timelines, [1 + 2], "a stream and two calls");
      assert(seen.width <= view.width, `${seen.width} wide in ${view.width}`);
      assert(seen.noteEnds <= view.width, `a figure ends at ${seen.noteEnds} of ${view.width}`);
      const [paper, ink] = seen.colours.map(brightness) as [number, number];
      assertEquals([paper > ink, Math.abs(paper - ink) > 150], [view.scheme === "light", true]);
      assertEquals([page.asked, page.errors], [[address], []]);
      assertEquals(sizeOf(await page.shoot())[0], view.width);
    }
  });
});

Deno.test("names in a report are text, whatever they hold", async () => {
  const model = `"></script><script>throw 1</script><img src=x onerror=alert(1)>`;
  await withReport([rowOf("ctl", "a", {}), rowOf("ctl", model, {})], async (browser, address) => {
    const page = await browser.open(address, VIEWS[2]!);
    const { charts, strangers, width } = await look(page);
    assertEquals(charts[0]!.labels, ["ctl a", `ctl ${model}`]);
    assertEquals([strangers, page.errors, page.asked], [0, [], [address]]);
    assert(width <= 390, `${width} wide`);
  });
});

Deno.test("a report without any violation, or with tiny and huge figures, still draws its bars", async () => {
  const rows = [
    { ...rowOf("ctl", "sim", {}), firstActionMs: 0, inputTokens: 0, outputTokens: 0 },
    { ...rowOf("xml", "sim", {}), firstActionMs: 1e-6, inputTokens: 98_765_432, outputTokens: 3 },
  ];
  await withReport(rows, async (browser, address) => {
    const page = await browser.open(address, VIEWS[0]!);
    const seen = await look(page);
    assertEquals(seen.charts.slice(0, 6).map((it) => it.bars), [2, 2, 4, 2, 2, 2]);
    assertEquals(page.errors, []);
    assert(seen.noteEnds <= 900, `a figure ends at ${seen.noteEnds}`);
  });
});
