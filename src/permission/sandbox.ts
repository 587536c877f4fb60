/** The choice of the boundary around the commands that a model runs, and how it is put around one (SPEC 8). */
import { ConfigError } from "../errors.ts";
import type { Sandbox } from "../vocab.ts";
import { bwrapArgv } from "./bubblewrap.ts";
import type { SandboxPolicy } from "./sandbox_policy.ts";
import { seatbeltArgv } from "./seatbelt.ts";

/** `--sandbox`: on when it works, on or fail, off. */
export type SandboxMode = "auto" | "bwrap" | "off";

/** The sandbox to use, given what a trial found; throws `ConfigError` where one was asked for by name and there is none. */
export function chooseSandbox(mode: SandboxMode, tried: Sandbox): Sandbox {
  switch (mode) {
    case "off":
      return { kind: "none", why: "it was turned off" };
    case "auto":
      return tried;
    case "bwrap":
      if (tried.kind === "bwrap") return tried;
      throw new ConfigError(
        `Cannot start the sandbox "bwrap": ${
          tried.kind === "none" ? tried.why : "this is macOS"
        } ` +
          "(--sandbox=auto goes on with what there is)",
      );
  }
}

/** What the start line says of it. */
export function describeSandbox(sandbox: Sandbox, policy: Pick<SandboxPolicy, "network">): string {
  switch (sandbox.kind) {
    case "none":
      return `rules only (no sandbox: ${sandbox.why})`;
    case "seatbelt":
      return `sandbox-exec, ${policy.network ? "with" : "without"} network`;
    case "bwrap":
      return `bubblewrap, ${policy.network ? "with" : "without"} network`;
  }
}

/**
 * The argv that runs `argv` in the sandbox; `argv` itself where there is none.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const policy = { cwd: "/w", writable: ["/w"], pinned: [], readOnly: [], hidden: [], shown: [], network: false };
 * assertEquals(sandboxArgv({ kind: "none", why: "it was turned off" }, policy, ["true"]), ["true"]);
 * assertEquals(sandboxArgv({ kind: "bwrap", program: "/bin/bwrap" }, policy, ["true"])[0], "/bin/bwrap");
 * ```
 */
export function sandboxArgv(
  sandbox: Sandbox,
  policy: SandboxPolicy,
  argv: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  switch (sandbox.kind) {
    case "none":
      return argv;
    case "bwrap":
      return bwrapArgv(sandbox.program, policy, argv);
    case "seatbelt":
      return seatbeltArgv(policy, argv);
  }
}
