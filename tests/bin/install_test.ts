import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Ended, freshBinary, withBarePlace } from "./binary.ts";

const script = new URL("../../scripts/install.sh", import.meta.url).pathname;
const FILE = `cst-agent-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;

/** A release on loopback: what stands in `files`, by name. */
async function withRelease(
  files: Map<string, Uint8Array<ArrayBuffer> | string>,
  step: (url: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const file = files.get(new URL(request.url).pathname.slice(1));
    return file === undefined ? new Response("none", { status: 404 }) : new Response(file);
  });
  try {
    await step(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

async function install(home: string, url: string, ...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: [script, ...args],
    env: { HOME: home, PATH: Deno.env.get("PATH") ?? "", CST_AGENT_URL: url },
    clearEnv: true,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function sumOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

Deno.test("install.sh installs what the sums name, upgrades it and takes it away again", async () => {
  const binary = await freshBinary();
  if (binary === undefined) return;
  const bytes = await Deno.readFile(binary);
  const files = new Map<string, Uint8Array<ArrayBuffer> | string>([
    [FILE, bytes],
    ["SHA256SUMS", `${await sumOf(bytes)}  ${FILE}\n`],
  ]);
  await withBarePlace([], async ({ home }) => {
    await withRelease(files, async (url) => {
      const place = `${home}/.local/bin/cst-agent`;
      const first = await install(home, url);
      assertEquals(first.code, 0, first.stderr);
      assertStringIncludes(first.stdout, `Installed ${place}: cst-agent `);
      assertStringIncludes(first.stdout, "Put it on your PATH");
      const again = await install(home, url);
      assertEquals([again.code, again.stdout], [0, `${place} is up to date\n`]);

      await Deno.writeTextFile(place, "#!/bin/sh\necho an old one\n");
      const upgraded = await install(home, url);
      assertStringIncludes(upgraded.stdout, `Upgraded ${place}: cst-agent `);
      assertEquals(await sumOf(await Deno.readFile(place)), await sumOf(bytes));

      const removed = await install(home, url, "--uninstall");
      assertStringIncludes(removed.stdout, `Removed ${place}\n`);
      assertEquals(Array.from(Deno.readDirSync(`${home}/.local/bin`)), []);
    });
  });
});

Deno.test("install.sh keeps what is there when the release is damaged or missing", async () => {
  const program = "#!/bin/sh\necho new\n";
  const rows: readonly [sums: string | undefined, complaint: RegExp][] = [
    [`${"0".repeat(64)}  ${FILE}\n`, /has SHA-256 [0-9a-f]{64}, not 0{64}: nothing was installed/],
    [`${"0".repeat(64)}  another-file\n`, /SHA256SUMS doesn't name/],
    [undefined, /cannot fetch/],
  ];
  for (const [sums, complaint] of rows) {
    const files = new Map<string, string>([[FILE, program]]);
    if (sums !== undefined) files.set("SHA256SUMS", sums);
    await withBarePlace([], async ({ home }) => {
      const dir = `${home}/.local/bin`;
      await Deno.mkdir(dir, { recursive: true });
      await Deno.writeTextFile(`${dir}/cst-agent`, "the old one");
      await withRelease(files, async (url) => {
        const ended = await install(home, url);
        assertEquals(ended.code, 1);
        assertMatch(ended.stderr, complaint);
      });
      assertEquals(await Deno.readTextFile(`${dir}/cst-agent`), "the old one");
      assertEquals(Array.from(Deno.readDirSync(dir)).map(({ name }) => name), ["cst-agent"]);
    });
  }
});
