/** `cst-agent patch`: applies a patch as the tool does (SPEC 10). */
import { ConfigError, EXIT, UsageError } from "../errors.ts";
import { byteTextOf } from "../patch/byte_text.ts";
import type { Change } from "../patch/patch.ts";
import { reportApplied, reportMisfits } from "../patch/report.ts";
import { FileError } from "../system/system.ts";
import { tryLock } from "../system/lock.ts";
import { type Worked, workOut } from "../tools/apply_patch.ts";
import { removeSet, sha256Of } from "../tools/journal.ts";
import type { Target } from "../tools/target.ts";
import { commitChanges, recoverJournal, TransactionError } from "../tools/transaction.ts";
import { type CommandSpec, helpText, parseCommandLine } from "./args.ts";
import { absolute, readInput, type World } from "./command.ts";

/** What the command takes. */
export const PATCH_SPEC: CommandSpec = {
  name: "patch",
  usage: "patch [--check] [--directory D] [--json] [FILE or -]",
  summary: "Applies a patch as the tool does: all of it, or nothing.",
  options: [
    { name: "check", help: "Say whether it fits, and where; write nothing" },
    { name: "directory", short: "C", value: "D", help: "The folder that the patch is for" },
    { name: "json", help: "Print the outcome as one JSON object" },
  ],
  example: "git diff | cst-agent patch --check --directory ../copy",
};

/** What came of the patch; `failed` is what the system said. */
type Outcome = Worked | { readonly kind: "failed"; readonly message: string };

/** Applies the patch of FILE or standard input. Returns 0 when it was applied, 1 when not and nothing changed. */
export async function patchCommand(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseCommandLine(argv, PATCH_SPEC);
  if (parsed.flag("help")) {
    world.stdout(helpText(PATCH_SPEC));
    return EXIT.done;
  }
  const [source = "-", extra] = parsed.positional;
  if (extra !== undefined) throw new UsageError(`Cannot read more than one patch: "${extra}"`);
  const check = parsed.flag("check");
  const directory = absolute(parsed.value("directory") ?? ".", world);
  const outcome = await patchFolder({ source, directory, check }, world);
  if (parsed.flag("json")) world.stdout(`${JSON.stringify(asJson(outcome, check))}\n`);
  else print(outcome, { check, world });
  return outcome.kind === "changes" ? 0 : 1;
}

interface Job {
  readonly source: string;
  readonly directory: string;
  readonly check: boolean;
}

async function patchFolder({ source, directory, check }: Job, world: World): Promise<Outcome> {
  try {
    const patch = await readPatch(source, world);
    const root = await world.files.realPath(directory);
    const refuse = (target: Target) => outsideOf(root, target);
    const place = { cwd: root, refuse, mayKeepPrefix: true };
    if (check) return await workOut(patch, world.files, place);
    return await withStore(root, world, async (store) => {
      const worked = await workOut(patch, world.files, place);
      if (worked.kind === "changes") {
        const set = await commitChanges(world.files, worked.changes, { store, callId: "patch" });
        await removeSet(world.files, set);
      }
      return worked;
    });
  } catch (error) {
    if (!(error instanceof FileError || error instanceof TransactionError)) throw error;
    return { kind: "failed", message: error.message };
  }
}

/** The patch as byte text, so that bytes which aren't UTF-8 survive. */
async function readPatch(source: string, world: World): Promise<string> {
  if (source !== "-") {
    return byteTextOf(await world.files.readFile(absolute(source, world)));
  }
  let text = "";
  for await (const chunk of readInput(world)) text += byteTextOf(chunk);
  return text;
}

/** A path may not lead out of the folder, whether by `..`, by an absolute name or through a link. */
function outsideOf(root: string, { path, target }: Target): string | undefined {
  const inside = target.startsWith(root === "/" ? "/" : `${root}/`);
  return inside ? undefined : `"${path}" leads out of "${root}"`;
}

/** Runs `step` with the folder's journal store: locked, and with what a crash left put back first. */
async function withStore<T>(
  root: string,
  world: World,
  step: (store: string) => Promise<T>,
): Promise<T> {
  const { XDG_STATE_HOME: state, HOME: home } = world.env;
  if (!state && !home) {
    throw new ConfigError("Cannot keep a journal: neither HOME is set nor XDG_STATE_HOME");
  }
  const name = (await sha256Of(new TextEncoder().encode(root))).slice(0, 16);
  const store = `${state || `${home}/.local/state`}/cst-agent/patch/${name}`;
  await world.files.mkdir(store, { recursive: true, mode: 0o700 });
  const lock = tryLock(`${store}/lock`);
  if (!lock) throw new TransactionError(`Another patch is being applied in "${root}": try again`);
  try {
    for (const notice of await recoverJournal(world.files, store)) world.stderr(`${notice}\n`);
    return await step(store);
  } finally {
    lock.release();
  }
}

function print(outcome: Outcome, { check, world }: { check: boolean; world: World }): void {
  switch (outcome.kind) {
    case "changes":
      return world.stdout((check ? "The patch fits:\n" : "") + reportApplied(outcome.applied));
    case "misfits":
      return world.stderr(reportMisfits(outcome.misfits));
    case "failed":
      return world.stderr(`${outcome.message}\n`);
  }
}

function asJson(outcome: Outcome, check: boolean) {
  switch (outcome.kind) {
    case "changes": {
      const files = outcome.applied.changes.map((change) => ({
        path: change.path,
        change: changeName(change),
      }));
      return { applied: !check, fits: true, files, hunks: outcome.applied.placements, errors: [] };
    }
    case "misfits":
      return { applied: false, fits: false, files: [], hunks: [], errors: outcome.misfits };
    case "failed": {
      const errors = [{ kind: "system", message: outcome.message }];
      return { applied: false, fits: null, files: [], hunks: [], errors };
    }
  }
}

function changeName({ before, after }: Change): "created" | "updated" | "deleted" {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
}
