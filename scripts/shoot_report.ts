/**
 * Takes four pictures of a page in headless Chromium: a desk and a phone, light and dark.
 *
 * Usage: deno run -A scripts/shoot_report.ts out/matrix/report.html OUT_DIR
 */
import { findBrowser, startBrowser } from "./browser.ts";

const [page, out] = Deno.args;
const program = await findBrowser();
if (page === undefined || out === undefined || program === undefined) {
  console.error(program === undefined ? "No Chromium is installed" : "Name a page and a folder");
  Deno.exit(2);
}
await Deno.mkdir(out, { recursive: true });
const address = `file://${await Deno.realPath(page)}`;
const browser = await startBrowser(program);
for (const [name, width, height] of [["desk", 900, 900], ["phone", 390, 844]] as const) {
  for (const scheme of ["light", "dark"] as const) {
    const path = `${out}/${name}-${scheme}.png`;
    await Deno.writeFile(
      path,
      await (await browser.open(address, { width, height, scheme })).shoot(),
    );
    console.log(path);
  }
}
await browser.close();
