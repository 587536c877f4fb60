/** The boundary around commands made by bubblewrap, on Linux. */
import type { Place, SandboxPolicy } from "./sandbox_policy.ts";

/**
 * The argv that runs `argv` by bubblewrap behind `policy`. Each mount covers those before it, so the order is the
 * meaning: everything read-only, then what may be written, then what of it may not, then what isn't there.
 *
 * `--cap-drop ALL` is what holds root inside: with its capabilities it could remount everything writable. `/run` and
 * `/tmp` are private because sockets there (containers, the user's session bus, terminals) take orders from whoever
 * can connect, and a read-only mount doesn't stop a connection.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const policy = { cwd: "/w", writable: ["/w"], pinned: [], readOnly: [], hidden: [], shown: [], network: false };
 * const argv = bwrapArgv("/usr/bin/bwrap", policy, ["sh", "-c", "make"]);
 * assertEquals(argv.slice(-6), ["--chdir", "/w", "--", "sh", "-c", "make"]);
 * ```
 */
export function bwrapArgv(
  program: string,
  policy: SandboxPolicy,
  argv: readonly string[],
): [string, ...string[]] {
  const [root, writable] = policy.writable.includes("/")
    ? ["--bind", policy.writable.filter((path) => path !== "/")]
    : ["--ro-bind", policy.writable];
  const missing = policy.readOnly.filter((place) => place.missing);
  const same = (option: string, paths: readonly string[]) =>
    paths.flatMap((path) => [option, path, path]);
  return [
    program,
    ...["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(policy.network ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...[root, "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...PROC_READ_ONLY.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--tmpfs", "/run", ...RUN_SHOWN.flatMap((path) => ["--ro-bind-try", path, path])],
    ...(policy.tmp === undefined ? ["--tmpfs", "/tmp"] : ["--bind", policy.tmp, "/tmp"]),
    ...same("--bind", writable),
    ...same("--bind", policy.pinned),
    ...same("--ro-bind", policy.readOnly.filter((place) => !place.missing).map(({ path }) => path)),
    ...missing.flatMap(empty),
    ...policy.hidden.flatMap(empty),
    ...same("--ro-bind", policy.shown),
    ...[...missing, ...policy.hidden].flatMap(close),
    ...["--chdir", policy.cwd, "--", ...argv],
  ];
}

/**
 * The kernel's own switches belong to root, and root without capabilities is still their owner: bubblewrap 0.8 leaves
 * `/proc/sys` writable to it, and `kernel.core_pattern` would start any program outside.
 */
const PROC_READ_ONLY = ["/proc/sys", "/proc/sysrq-trigger"];

/** What of `/run` programs need: the name server's address, and the programs themselves on NixOS. */
const RUN_SHOWN = ["/run/systemd/resolve", "/run/current-system", "/run/wrappers"];

/** An empty thing in the place of another. */
function empty(place: Place): string[] {
  return place.kind === "file" ? ["--ro-bind", "/dev/null", place.path] : ["--tmpfs", place.path];
}

/** What came to be empty stays so. */
function close(place: Place): string[] {
  return place.kind === "file" ? [] : ["--remount-ro", place.path];
}
