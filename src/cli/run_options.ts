/** The options that every face of the agent shares, in the words of Deno and GNU (SPEC 10). */
import type { OptionSpec } from "./args.ts";

/** Which model, how it's asked, where it's recorded. */
export const MODEL_OPTIONS: readonly OptionSpec[] = [
  {
    name: "protocol",
    value: "NAME",
    help: "native-eos, native-inc, ctl, ctl-heredoc (default) or xml",
  },
  {
    name: "provider",
    value: "NAME",
    help: "deepseek, minimax, openai, openrouter, ollama, custom, sim or replay:DIR",
  },
  { name: "model", short: "m", value: "NAME", help: "Model name as the server knows it" },
  { name: "base-url", value: "URL", help: "Where the server is" },
  { name: "retries", value: "N", help: "Retries of a failed request (default 4)" },
  { name: "idle-timeout", value: "S", help: "Seconds without a byte that end a stream (120)" },
  { name: "context-limit", value: "N", help: "Tokens that the model takes" },
  { name: "record", value: "DIR", help: "Write each response's raw bytes to DIR" },
];

/** What is around the commands. */
export const SANDBOX_OPTIONS: readonly OptionSpec[] = [
  {
    name: "sandbox",
    value: "MODE",
    help: "auto, bwrap (fail without it) or off (default with -A)",
  },
  {
    name: "pass-env",
    value: "NAMES",
    many: true,
    help: "Variables that commands get though they look like secrets",
  },
];

/** Where a run happens and how long it may take. */
export const TASK_OPTIONS: readonly OptionSpec[] = [
  { name: "cwd", value: "DIR", help: "Working directory" },
  { name: "max-steps", value: "N", help: "Most requests of a run (default 50)" },
  { name: "timeout", value: "S", help: "Seconds that a run may take" },
  { name: "session", value: "ID", help: "Go on with this session" },
  { name: "continue", help: "Go on with the newest session of this directory" },
  { name: "session-dir", value: "DIR", help: "Where sessions lie" },
  { name: "repair", help: "Go on with a damaged session from what is before the damage" },
  { name: "tool-out-cap", value: "BYTES", help: "Bytes of a result that the model sees (24000)" },
  { name: "kill-background", help: "Kill what a command left running when it ended" },
  { name: "line-limit", value: "BYTES", help: "Longest line of a text protocol (65536)" },
  { name: "max-arg", value: "BYTES", help: "Longest argument of a call (16777216)" },
  { name: "redact", value: "REGEX", many: true, help: "Mask what matches in everything recorded" },
];
