/**
 * One confirmed call, settled: checked, permitted, its intent recorded, run, its result recorded (SPEC 5, 7, 8).
 * Whatever happens, exactly one `call` and one `result` record are written, and the call never runs twice.
 */
import type { AgentEvent, JsonObject, ToolCall, ToolResult } from "../vocab.ts";
import { SessionError } from "../errors.ts";
import type { SessionLog } from "../session/records.ts";
import type { Tool, ToolAnswer, ToolWorld } from "../tools/tool.ts";
import { validateArguments } from "../tools/validate.ts";
import { clipOutput } from "../text/clip.ts";
import { FileError } from "../system/system.ts";
import type { Gate } from "./gate.ts";

/** Where a call is settled. */
export interface CallSite {
  readonly tools: readonly Tool[];
  readonly gate: Gate;
  readonly session: SessionLog;
  /** The world of one call; `n` is its record's number, `shell` says how an accepted command text is run. */
  toolWorld(call: ToolCall, n: number, shell: ToolWorld["shell"]): ToolWorld;
  readonly signal: AbortSignal;
  monotonic(): number;
  listen(event: AgentEvent): void;
  /** Takes out what must not be told: known keys and `--redact` patterns. */
  redact(text: string): string;
}

/** A result and whether a permission was refused. */
export interface Settled {
  readonly result: ToolResult;
  readonly denied: boolean;
}

/** When a call was confirmed, for `confirmedToStartedMs`. */
export interface ConfirmedAt {
  readonly ms: number;
  readonly streamEnded: boolean;
}

/** What is to be done with a call: an answer that is known without running, or the run itself. */
type Plan =
  | { readonly kind: "answer"; readonly answer: ToolAnswer; readonly denied: boolean }
  | {
    readonly kind: "run";
    readonly tool: Tool;
    readonly args: JsonObject;
    readonly shell: ToolWorld["shell"];
    readonly ran?: string;
  };

/** Settles `call` and returns its result. Throws only `SessionError`: what can't be recorded isn't done. */
export async function settleCall(
  call: ToolCall,
  site: CallSite,
  confirmed: ConfirmedAt,
): Promise<Settled> {
  const plan = await planCall(call, site);
  const n = site.session.append({
    kind: "call",
    call,
    ...(plan.kind === "run" && plan.ran !== undefined ? { ran: plan.ran } : {}),
  });
  if (plan.kind === "run") await site.session.sync();
  const started = site.monotonic();
  site.listen({
    kind: "tool_start",
    call,
    confirmedToStartedMs: started - confirmed.ms,
    streamEnded: confirmed.streamEnded,
  });
  const answer = plan.kind === "answer" ? plan.answer : await runTool(call, plan, { site, n });
  const ms = site.monotonic() - started;
  const result: ToolResult = {
    id: call.id,
    name: call.name,
    exit: answer.exit,
    output: site.redact(answer.output),
  };
  const denied = plan.kind === "answer" && plan.denied;
  site.session.append({
    kind: "result",
    result,
    ms,
    ...(denied ? { note: "denied" as const } : {}),
  });
  site.listen({ kind: "tool_result", result, ms });
  return { result, denied };
}

async function planCall(call: ToolCall, site: CallSite): Promise<Plan> {
  const tool = site.tools.find(({ spec }) => spec.name === call.name);
  if (!tool) {
    const names = site.tools.map(({ spec }) => spec.name).join(", ");
    return answered(127, `There is no tool "${call.name}"; the tools are ${names}\n`);
  }
  const checked = validateArguments(call, tool.spec.parameters);
  if (checked.kind === "bad") return answered(2, `${checked.message}\n`);
  if (site.signal.aborted) return answered(130, "Not run: cancelled\n");
  const permission = await site.gate.permit(tool.needs(checked.args), call, site.signal);
  // A question that a cancel closed was not answered with "no".
  if (site.signal.aborted) return answered(130, "Not run: cancelled\n");
  if (permission.kind === "refused") return answered(126, `${permission.message}\n`, true);
  return {
    kind: "run",
    tool,
    args: permission.command === undefined
      ? checked.args
      : { ...checked.args, command: permission.command },
    shell: permission.shell,
    ...(permission.command === undefined ? {} : { ran: permission.command }),
  };
}

function answered(exit: number, output: string, denied = false): Plan {
  return { kind: "answer", answer: { exit, output }, denied };
}

async function runTool(
  call: ToolCall,
  plan: Plan & { kind: "run" },
  place: { readonly site: CallSite; readonly n: number },
): Promise<ToolAnswer> {
  const world = place.site.toolWorld(call, place.n, plan.shell);
  try {
    const answer = await plan.tool.run(plan.args, world);
    return answer.capped
      ? answer
      // Masked before the cut, which may go through a secret.
      : {
        exit: answer.exit,
        output: clipOutput(place.site.redact(answer.output), world.outputCap),
      };
  } catch (error) {
    if (error instanceof SessionError) throw error;
    if (error instanceof FileError) return { exit: 1, output: `${error.message}\n` };
    return { exit: 1, output: `The tool "${call.name}" failed: ${String(error)}\n` };
  }
}
