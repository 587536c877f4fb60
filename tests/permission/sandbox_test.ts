import { assert, assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../../src/errors.ts";
import { bwrapArgv } from "../../src/permission/bubblewrap.ts";
import { chooseSandbox, describeSandbox } from "../../src/permission/sandbox.ts";
import type { SandboxPolicy } from "../../src/permission/sandbox_policy.ts";
import { seatbeltArgv } from "../../src/permission/seatbelt.ts";
import type { Sandbox } from "../../src/vocab.ts";

const POLICY: SandboxPolicy = {
  cwd: "/w",
  writable: ["/w", "/out"],
  pinned: ["/w/.git"],
  readOnly: [
    { path: "/w/.git/hooks", kind: "directory", missing: true },
    { path: "/w/.git/config", kind: "file" },
  ],
  hidden: [{ path: "/s", kind: "directory" }, { path: "/c.json", kind: "file" }],
  shown: ["/s/spill"],
  tmp: "/s/tmp",
  network: false,
};
const BWRAP: Sandbox = { kind: "bwrap", program: "/usr/bin/bwrap" };
const NONE: Sandbox = { kind: "none", why: "bubblewrap is not installed" };

Deno.test("bwrapArgv() mounts from the widest to the narrowest", () => {
  const argv = bwrapArgv("/usr/bin/bwrap", POLICY, ["sh", "-c", "make"]).join(" ");
  assertEquals(
    argv,
    "/usr/bin/bwrap --die-with-parent --new-session --unshare-pid --unshare-ipc --unshare-uts --unshare-net " +
      "--cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind-try /proc/sys /proc/sys " +
      "--ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --tmpfs /run " +
      "--ro-bind-try /run/systemd/resolve /run/systemd/resolve " +
      "--ro-bind-try /run/current-system /run/current-system --ro-bind-try /run/wrappers /run/wrappers " +
      "--bind /s/tmp /tmp --bind /w /w --bind /out /out --bind /w/.git /w/.git " +
      "--ro-bind /w/.git/config /w/.git/config --tmpfs /w/.git/hooks " +
      "--tmpfs /s --ro-bind /dev/null /c.json --ro-bind /s/spill /s/spill " +
      "--remount-ro /w/.git/hooks --remount-ro /s --chdir /w -- sh -c make",
  );
});

Deno.test("bwrapArgv() leaves the network where it is allowed, and all writable where that is", () => {
  const argv = bwrapArgv("bwrap", { ...POLICY, network: true, writable: ["/w", "/"] }, ["true"]);
  assert(!argv.includes("--unshare-net"));
  assertEquals(argv.slice(argv.indexOf("ALL") + 1, argv.indexOf("ALL") + 4), ["--bind", "/", "/"]);
});

Deno.test("seatbeltArgv() writes a profile in which later rules win and paths are parameters", () => {
  const [program, , profile, ...rest] = seatbeltArgv(POLICY, ["sh", "-c", "make"]);
  assertEquals(program, "/usr/bin/sandbox-exec");
  assertEquals(profile!.split("\n"), [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    '(allow file-write* (subpath (param "P1")))',
    '(allow file-write* (subpath (param "P2")))',
    '(allow file-write* (subpath (param "P3")))',
    '(deny file-write-unlink (literal (param "P0")))',
    '(deny file-write* (subpath (param "P4")))',
    '(deny file-write* (subpath (param "P5")))',
    '(deny file-read* file-write* (subpath (param "P6")))',
    '(deny file-read* file-write* (subpath (param "P7")))',
    '(allow file-read* (subpath (param "P8")))',
    "(deny network*)",
  ]);
  assertEquals(rest, [
    "-DP0=/w/.git",
    "-DP1=/w",
    "-DP2=/out",
    "-DP3=/s/tmp",
    "-DP4=/w/.git/hooks",
    "-DP5=/w/.git/config",
    "-DP6=/s",
    "-DP7=/c.json",
    "-DP8=/s/spill",
    "--",
    "sh",
    "-c",
    "make",
  ]);
});

Deno.test("chooseSandbox() takes what works, and fails where what was asked for doesn't", () => {
  assertEquals(chooseSandbox("auto", BWRAP), BWRAP);
  assertEquals(chooseSandbox("auto", NONE), NONE);
  assertEquals(chooseSandbox("bwrap", BWRAP), BWRAP);
  assertEquals(chooseSandbox("off", BWRAP), { kind: "none", why: "it was turned off" });
  const error = assertThrows(() => chooseSandbox("bwrap", NONE), ConfigError);
  assertEquals(
    error.message,
    'Cannot start the sandbox "bwrap": bubblewrap is not installed (--sandbox=auto goes on with what there is)',
  );
});

Deno.test("describeSandbox() says plainly where there are only rules", () => {
  assertEquals(describeSandbox(BWRAP, { network: false }), "bubblewrap, without network");
  assertEquals(
    describeSandbox(NONE, { network: true }),
    "rules only (no sandbox: bubblewrap is not installed)",
  );
});
