/**
 * Checks the arrows between folders and the purity of the pure ones (ARCHITECTURE.md, "Layers").
 *
 * Usage: deno run -A scripts/check_layers.ts
 */
import { findFaults } from "./layers.ts";

const root = new URL("../", import.meta.url).pathname;

function* sources(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(root + folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sources(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

const files = new Map(
  Array.from(sources("src"), (path) => [path, Deno.readTextFileSync(root + path)] as const),
);
const faults = findFaults(files);
for (const fault of faults) console.error(fault);
if (faults.length > 0) Deno.exit(1);
console.log(`layers: ${files.size} files, no fault`);
