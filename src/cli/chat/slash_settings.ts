/** Slash commands that change what is in use. */
import { providerNames } from "../../provider/catalog.ts";
import type { Scope } from "../../permission/flags.ts";
import { splitPermissionFlags } from "../read_rules.ts";
import { hanging } from "./layout.ts";
import type { Site } from "./site.ts";
import { runWords } from "./status_line.ts";

export async function setting(
  flag: "model" | "protocol",
  value: string,
  site: Site,
): Promise<void> {
  const now = () => {
    const { provider, protocol } = site.desk.settings.task;
    return flag === "model" ? `${provider.name}/${provider.model}` : protocol;
  };
  if (value === "") return site.say(`The ${flag} is ${now()}: /${flag} NAME changes it`);
  await site.desk.change({ [flag]: value });
  site.say(`The ${flag} is ${now()} from here on`);
}

export async function provider(value: string, site: Site): Promise<void> {
  if (value === "") {
    const { provider } = site.desk.settings.task;
    site.say(
      `The server is ${provider.name} (${provider.baseUrl}); there are ${
        providerNames().join(", ")
      }`,
    );
    return;
  }
  // Address and model were another server's.
  await site.desk.change({ provider: value, "base-url": undefined, model: undefined });
  const { provider } = site.desk.settings.task;
  site.say(`The server is ${provider.name} with ${provider.model} from here on`);
}

export async function permissions(argument: string, site: Site): Promise<void> {
  // A rule may hold blanks: `--allow-run=git log`.
  const words = argument.split(/\s+(?=-)/).filter((word) => word !== "");
  const [wrong] = splitPermissionFlags(words).rest;
  if (wrong !== undefined) {
    return site.say(`"${wrong}" is no permission flag: --allow-run=make,git for example`, "red");
  }
  if (words.length > 0) await site.desk.change({}, words);
  const rules = site.desk.rules;
  const { read, write, run } = rules;
  const programs = run.deny.kind === "list"
    ? { kind: "list", items: run.deny.items.map(({ text }) => text) } as const
    : run.deny;
  const lines = [
    ["reads", allowedWords(read.allow) + deniedWords(read.deny)],
    ["writes", allowedWords(write.allow) + deniedWords(write.deny)],
    ["run", runWords(rules) + deniedWords(programs)],
    ["net", rules.net ? "commands have a network" : "no network in the sandbox"],
  ] as const;
  site.add(lines.flatMap(([kind, text]) => hanging(kind, text, site.columns(), { indent: 10 })));
}

function allowedWords(scope: Scope<string>): string {
  switch (scope.kind) {
    case "list":
      return scope.items.join(", ") || "nothing";
    case "all":
      return "everything";
    case "absent":
      return "nothing";
  }
}

function deniedWords(scope: Scope<string>): string {
  switch (scope.kind) {
    case "list":
      return scope.items.length > 0 ? `, but not ${scope.items.join(", ")}` : "";
    case "all":
      return ", but denied";
    case "absent":
      return "";
  }
}

export async function sandbox(mode: string, site: Site): Promise<void> {
  if (mode !== "") await site.desk.change({ sandbox: mode });
  site.say(`Around commands: ${site.desk.sandbox}; mode ${site.desk.settings.sandboxMode}`);
}
