/** Gives up what the runtime would let this program do. */

const ALL = ["read", "write", "net", "run", "env", "sys", "ffi", "import"] as const;

/**
 * Gives up every permission of the runtime for good: what runs after this computes, and uses the standard streams.
 *
 * For the program as a whole that can't be had. A permission can only be given up altogether (`write` but not `write` in
 * one folder), and as soon as any is gone Deno no longer opens `/proc`, by which a command's strays are found.
 */
export function giveUpPermissions(): void {
  for (const name of ALL) Deno.permissions.revokeSync({ name });
}
