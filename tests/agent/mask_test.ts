/** Secrets in any script, cut at any byte, on all their ways: to the spill file, the session, the listeners, the model. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataFolderOf } from "../../src/session/find.ts";
import { createRedactor, MASK } from "../../src/session/redact.ts";
import { createEventMasker } from "../../src/session/redact_values.ts";
import type { Files } from "../../src/system/system.ts";
import { utf8Length } from "../../src/text/utf8.ts";
import { createSpill } from "../../src/tools/spill.ts";
import { callOf, saying, withRig } from "../world.ts";

const SECRETS = ["contraseña-№-äöü", "密码钥匙", "😀😀", 'quote"d\\key', "plain-key-123"];

/** Any secret that is long enough. Pieces of the mask itself are no secrets: `[redacted]` would tell them. */
const anySecret = fc.string({ unit: "binary", minLength: 1, maxLength: 20 })
  .filter((text) => utf8Length(text) >= 8 && !/[[\]]/.test(text) && !MASK.includes(text));

/** A text with the secret in it once or twice, and where it's cut, as shares of its length. */
const anyText = fc.record({
  before: fc.string({ unit: "binary", maxLength: 10 }),
  after: fc.string({ unit: "binary", maxLength: 10 }),
  twice: fc.boolean(),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
});

function cutAt<T extends string | Uint8Array>(whole: T, shares: readonly number[]): T[] {
  const places = shares.map((share) => Math.round(share * whole.length)).toSorted((a, b) => a - b);
  return [0, ...places].map((from, at) => whole.slice(from, places[at] ?? whole.length) as T);
}

function bytesHold(bytes: Uint8Array, text: string): boolean {
  const latin = (some: Uint8Array) =>
    Array.from(some, (byte) => String.fromCharCode(byte)).join("");
  return latin(bytes).includes(latin(new TextEncoder().encode(text)));
}

/** What a spill file gets of the chunks. */
async function spilled(chunks: readonly Uint8Array[], secret: string): Promise<Uint8Array> {
  const written: number[] = [];
  const files: Partial<Files> = {
    createAppender: () => ({ append: (bytes) => void written.push(...bytes), close: () => {} }),
  };
  const mask = createRedactor([secret]).createStream();
  const spill = createSpill(files as Files, { folder: "/", callId: "c1", mask });
  for (const chunk of chunks) spill.push(chunk);
  await spill.finish({ keep: true });
  return Uint8Array.from(written);
}

Deno.test("a spill file never holds a secret, whatever its script, the bytes beside it and the cuts", async () => {
  const noise = fc.uint8Array({ maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(anySecret, anyText, noise, async (secret, text, bad) => {
      const { before, after, twice, cuts } = text;
      const encode = (part: string) => [...new TextEncoder().encode(part)];
      const parts = [before, secret, after, twice ? secret : ""].map(encode);
      const whole = Uint8Array.from([...bad, ...parts.flat(), ...bad]);
      const written = await spilled(cutAt(whole, cuts), secret);
      assertEquals(bytesHold(written, secret), false);
      assertEquals(written, await spilled([whole], secret));
    }),
    { numRuns: 300 },
  );
});

Deno.test("a spill file is the output where there is no secret, whatever its bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), anyText, async (whole, { cuts }) => {
      assertEquals(await spilled(cutAt(whole, cuts), "never-there-12"), whole);
    }),
    { numRuns: 300 },
  );
});

Deno.test("events never tell a secret, however its text is cut", () => {
  fc.assert(
    fc.property(anySecret, anyText, (secret, { before, after, twice, cuts }) => {
      const masker = createEventMasker(createRedactor([secret]));
      const whole = before + secret + after + (twice ? secret : "");
      const pieces = cutAt(whole, cuts).map((text) => ({ kind: "text" as const, text }));
      const events = [...pieces.flatMap((piece) => masker.push(piece)), ...masker.end()];
      const told = events.map((event) => event.kind === "text" ? event.text : "").join("");
      assertEquals(told.includes(secret), false);
    }),
    { numRuns: 300 },
  );
});

for (const secret of SECRETS) {
  Deno.test(`"${secret}" reaches neither session nor spill file nor listener nor model`, async () => {
    const bytes = new TextEncoder().encode(secret);
    const octal = (some: Uint8Array) =>
      [...some].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const commands = Array.from(bytes, (_, at) => {
      const [first, second] = [bytes.subarray(0, at), bytes.subarray(at)].map(octal);
      return `printf '${first}'; sleep 0.002; printf '${second}\\n'`;
    });
    const command = `${commands.join("; ")}; seq 1 9000; echo x > n; cat key`;
    const answers = [
      saying("native-eos", `I say ${secret}.`, [
        callOf("c1", "run", { command }),
        callOf("c2", "read_file", { path: "key" }),
      ]),
      { deltas: [...`It is ${secret}`].map((text) => ({ kind: "text" as const, text })) },
    ];
    const redactor = createRedactor([secret]);
    await withRig(answers, {
      protocol: "native-eos",
      redactor,
      furnish: (cwd) => {
        Deno.writeTextFileSync(`${cwd}/key`, `${secret}\n`);
        Deno.writeTextFileSync(`${cwd}/AGENTS.md`, `The key is ${secret}\n`);
      },
    }, async (rig) => {
      await rig.run(`Use ${secret}`);
      const data = dataFolderOf(rig.sessionPath);
      const spill = [...Deno.readDirSync(data)].filter(({ name }) => name.endsWith(".out"));
      assertEquals(spill.length, 1);
      const kept = Deno.readTextFileSync(`${data}/${spill[0]!.name}`);
      assertEquals(kept, `${`${MASK}\n`.repeat(bytes.length)}${numbers(9000)}${MASK}\n`);
      const told = [rig.records(), rig.events, rig.bodies].map(stringsOf);
      assertEquals(told.map((strings) => strings.join("").includes(secret)), [false, false, false]);
      assertEquals(told.map((strings) => strings.join("").includes(MASK)), [true, true, true]);
    });
  });
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("");
}

/** Every string in a value, as it is. */
function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
