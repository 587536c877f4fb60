/** Which file may import which, and what the pure ones may not say (ARCHITECTURE.md, "Layers"). */

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

/** Which files each file imports; paths from the root, such as `src/agent/loop.ts`. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** One line for each fault in `files`, whose keys are paths such as `src/agent/loop.ts`. */
export function findFaults(files: ReadonlyMap<string, string>): string[] {
  const graph = new Map<string, readonly string[]>();
  const faults: string[] = [];
  for (const [path, text] of files) {
    const code = withoutComments(text);
    const edges = importsOf(path, code);
    graph.set(path, edges);
    for (const target of edges) {
      if (!mayImport(path, target)) faults.push(`${path} may not import ${target}`);
    }
    faults.push(...wordFaults(path, code));
  }
  const cycle = findCycle(graph);
  if (cycle) faults.push(`import cycle: ${cycle.join(" → ")}`);
  return faults;
}

/** Code without its comments; what looks like one in a string stays. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
    (_, kept: string | undefined) => kept ?? "",
  );
}

function importsOf(path: string, code: string): string[] {
  return Array.from(
    code.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g),
    ([, specifier]) => new URL(specifier!, `file:///${path}`).pathname.slice(1),
  ).filter((target) => target.startsWith("src/"));
}

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

/** What the file says that only others may say. */
function wordFaults(path: string, code: string): string[] {
  const room = roomOf(path);
  const faults: string[] = [];
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
  return faults;
}

/** A cycle among files, if there is one. */
function findCycle(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  function walk(path: string, trail: readonly string[]): string[] | undefined {
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
