/** What the simulated model does when nobody gave it a plan: a first task in any folder, to see the agent work without a key. */
import type { Plan } from "./plan.ts";

const FILE = "hello-from-cst-agent.txt";

/** Looks around, writes a file and counts its lines, in the folder where the agent works. */
export const FIRST_PLAN: Plan = {
  steps: [
    {
      text: "I am no real model and do the same whatever you say. First I look at what is here.",
      calls: [{ name: "list_files", arguments: {} }],
    },
    {
      text: "I write a file and count its lines by a command.",
      calls: [
        {
          name: "write_file",
          arguments: { path: FILE, content: "hello\nfrom a first task\n" },
        },
        { name: "run", arguments: { command: `wc -l ${FILE}` } },
      ],
    },
    {
      when: /exit=126/,
      text: `"${FILE}" is written; the command was refused, since nothing allows it.`,
      calls: [],
    },
    {
      when: /exit=0\n *2 /,
      text: `"${FILE}" is written and has 2 lines. A real model would do what you say.`,
      calls: [],
    },
    { text: 'That is all I know: "cst-agent sim --plan FILE" gives me a plan.', calls: [] },
  ],
};
