/** The moments of a run at which Esc may come: what the server does, and what is on the screen then. */
import type { ScriptedAnswer } from "../../scripted_server.ts";
import { hangsAfter, runs, says } from "./answers.ts";

/** One moment. */
export interface Phase {
  readonly name: string;
  readonly answer: ScriptedAnswer;
  /** On the screen when the moment has come. */
  readonly shown: RegExp;
  readonly flags: readonly string[];
}

export const PHASES: readonly Phase[] = [
  {
    name: "connect",
    answer: { status: 200, end: "silent" },
    shown: /waiting for the model/,
    flags: [],
  },
  {
    name: "wait",
    answer: { status: 200, body: ": hello\n\n", holdOpenMs: 60_000 },
    shown: /waiting for the model/,
    flags: [],
  },
  { name: "text", answer: hangsAfter("Some words"), shown: /Some words/, flags: [] },
  {
    name: "mid-call",
    answer: hangsAfter("call c1 run\narg command <<END\necho half\n"),
    shown: /○ run/,
    flags: [],
  },
  {
    name: "tool",
    answer: says(runs("echo started; sleep 60")),
    shown: /│ started/,
    flags: ["--allow-run"],
  },
  { name: "approval", answer: says(runs("sleep 60")), shown: /Allow\?/, flags: [] },
];
