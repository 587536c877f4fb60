/**
 * Checks the arrows between folders and the purity of the pure ones (ARCHITECTURE.md, "Layers").
 *
 * Usage: deno run -A scripts/check_layers.ts
 */
const WORDS = ["vocab", "errors", "text"];

/** What each room may import, itself aside. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  vocab: [],
  errors: ["vocab"],
  text: ["vocab"],
  sse: WORDS,
  protocol: WORDS,
  patch: WORDS,
  permission: WORDS,
  system: WORDS,
  provider: [...WORDS, "system/system", "sse", "protocol/protocol"],
  session: [...WORDS, "system/system"],
  tools: [...WORDS, "system/system", "patch"],
  agent: [
    ...WORDS,
    "system/system",
    "sse",
    "protocol",
    "permission",
    "provider",
    "session",
    "tools",
  ],
  cli: [
    ...WORDS,
    "system",
    "agent",
    "session",
    "provider",
    "protocol",
    "permission",
    "patch",
    "tools",
    "sse",
    "eval",
    "sim",
  ],
  eval: [...WORDS, "system", "agent", "session", "provider", "protocol", "sse", "sim"],
  sim: [...WORDS, "system", "protocol"],
};

/** Rooms that compute and touch nothing. */
const PURE = ["vocab", "errors", "text", "sse", "protocol", "patch", "permission"];
const IMPURE =
  /\b(Deno\.|fetch\(|Date\.now\(|new Date\(\)|performance\.|set(Timeout|Interval)\(|AbortSignal\.timeout\(|Math\.random\(|console\.|crypto\.)/;

const root = new URL("../", import.meta.url).pathname;
const faults: string[] = [];

function roomOf(path: string): string {
  return path.replace(/^src\//, "").split("/")[0]!.replace(/\.ts$/, "");
}

function mayImport(from: string, to: string): boolean {
  const room = roomOf(from);
  const inner = to.replace(/^src\//, "").replace(/\.ts$/, "");
  return roomOf(to) === room ||
    (MAY_IMPORT[room] ?? []).some((allowed) =>
      inner === allowed || inner.startsWith(allowed + "/")
    );
}

function* sources(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(root + folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sources(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

const graph = new Map<string, string[]>();
for (const path of sources("src")) {
  const text = Deno.readTextFileSync(root + path);
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const edges: string[] = [];
  for (const [, specifier] of code.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)) {
    const target = new URL(specifier!, `file:///${path}`).pathname.slice(1);
    if (!target.startsWith("src/")) continue;
    edges.push(target);
    if (!mayImport(path, target)) faults.push(`${path} may not import ${target}`);
  }
  graph.set(path, edges);
  const room = roomOf(path);
  const impure = PURE.includes(room) ? IMPURE.exec(code)?.[0] : undefined;
  if (impure) faults.push(`${path} is pure and may not use ${impure}`);
  if (room !== "system" && /\bDeno\./.test(code)) faults.push(`${path}: only system/ says Deno.`);
  if (room !== "system" && /\bglobalThis\b/.test(code)) {
    faults.push(`${path}: globalThis reaches what only system/ may name`);
  }
  if (/\bimport\((?!")/.test(code)) faults.push(`${path}: a computed import() loads any file`);
  if (path !== "src/provider/client.ts" && /(?<![.\w])fetch\(/.test(code)) {
    faults.push(`${path}: only provider/client.ts says fetch`);
  }
}

/** A cycle among files, if there is one. */
function findCycle(): string[] | undefined {
  const done = new Set<string>();
  function walk(path: string, trail: string[]): string[] | undefined {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = walk(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  }
  for (const path of graph.keys()) {
    const cycle = walk(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}

const cycle = findCycle();
if (cycle) faults.push(`import cycle: ${cycle.join(" → ")}`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) Deno.exit(1);
console.log(`layers: ${graph.size} files, no fault`);
