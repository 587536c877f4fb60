import { assertEquals, assertMatch } from "@std/assert";
import { build, freshBinary, runIn, withBarePlace, withSim } from "./binary.ts";

const root = new URL("../../", import.meta.url).pathname;

Deno.test("The binary says its version, commit, Deno and V8 and leaves no file behind", async () => {
  const binary = await freshBinary();
  if (binary === undefined) return;
  await withBarePlace([], async (place) => {
    const version = await runIn(place, binary, ["--version"]);
    assertMatch(
      version.stdout,
      /^cst-agent \d+\.\d+\.\d+ \([0-9a-f]{12}(\+changes)?, Deno 2\.7\.11, V8 [\d.]+.*\)\n$/,
    );
    assertEquals([version.code, version.stderr], [0, ""]);
    for (const folder of [place.work, place.home, place.env.TMPDIR]) {
      assertEquals(Array.from(Deno.readDirSync(folder)), []);
    }
  });
});

Deno.test("The binary kills what left a command's session when its time is over", async () => {
  const binary = await freshBinary();
  if (binary === undefined) return;
  await withBarePlace(["sh", "setsid", "sleep"], async (place) => {
    const { folder, work } = place;
    const command = `setsid sh -c 'echo $$ > ${work}/pid; exec sleep 60' & sleep 60`;
    const steps = [
      { text: "", calls: [{ name: "run", arguments: { command, timeout_s: 1 } }] },
      { text: "Done." },
    ];
    await Deno.writeTextFile(`${folder}/plan.json`, JSON.stringify({ steps }));
    await withSim(binary, `${folder}/plan.json`, async (url) => {
      const args = ["Go", "--provider=sim", `--base-url=${url}`, "--allow-run"];
      const ended = await runIn(place, binary, args);
      assertEquals([ended.code, ended.stdout], [0, "Done.\n"], ended.stderr);
    });
    const pid = Number(await Deno.readTextFile(`${work}/pid`));
    assertEquals(await isAlive(pid), false);
  });
});

async function isAlive(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") X");
  return !/\) [ZX]/.test(stat);
}

Deno.test("Two builds of the same sources in different folders are the same to the last byte", async () => {
  if (await freshBinary() === undefined) return;
  await withBarePlace([], async ({ folder }) => {
    const copy = `${folder}/elsewhere`;
    await Deno.mkdir(`${copy}/dist`, { recursive: true });
    const parts = ["src", "scripts", "types", "main.ts", "deno.json", "deno.lock"];
    const { success } = await new Deno.Command("cp", {
      args: ["-r", ...parts.map((part) => `${root}${part}`), copy],
    }).output();
    assertEquals(success, true);
    // The base is the same for both and is fetched only once.
    await Deno.symlink(`${root}dist/base`, `${copy}/dist/base`);
    const args = ["--commit=0123456789ab"];
    assertEquals(await build([...args, `--out=${folder}/a`]), undefined);
    assertEquals(await build([...args, `--out=${folder}/b`], copy), undefined);
    const sums = ["a", "b"].map((it) => Deno.readTextFileSync(`${folder}/${it}/SHA256SUMS`));
    assertMatch(sums[0]!, /^[0-9a-f]{64} {2}cst-agent-[a-z]+-(x64|arm64)(\.exe)?\n$/);
    assertEquals(sums[0], sums[1]);
  });
});
