/** The permission flags as every command's help shows them; `permission/flags.ts` reads them. */
import type { OptionSpec } from "./args.ts";

/** Deno's words, and their meaning here (docs/permissions.md). */
export const PERMISSION_OPTIONS: readonly OptionSpec[] = [
  list("allow-read", "PATHS", "Read there; by default in the working directory"),
  list("allow-write", "PATHS", "Write there; by default in the working directory"),
  list("allow-run", "NAMES", 'Run these: "make", "/usr/bin/make", "git log"; all without a list'),
  { name: "allow-net", help: "Let commands in the sandbox use the network" },
  list("deny-read", "PATHS", "Never read there"),
  list("deny-write", "PATHS", "Never write there"),
  list("deny-run", "NAMES", "Never run these"),
  { name: "allow-all", short: "A", help: "Allow everything" },
];

function list(name: string, value: string, help: string): OptionSpec {
  return { name, value, optionalValue: true, many: true, help };
}
