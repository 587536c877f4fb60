/**
 * The least that a client of a model server can do: ask, read the stream, run or write what it asks for, ask again.
 * It runs under Deno and under Node. Under Deno it can also keep, one by one, what cst-agent keeps about a command:
 *
 * - `sync`: the intent is on the disk before the command runs, the result is in the file after it;
 * - `detached`: the command leads a session of its own, by Deno's own fork; `setsid`: by a plain spawn of that program;
 * - `bwrap`: the command runs in bubblewrap, the whole system read-only but the working directory.
 *
 * Usage: deno run -A bare_client.mjs BASE_URL [PROMISE…]     or: node bare_client.mjs BASE_URL
 */
const [base, ...promises] = globalThis.Deno
  ? Deno.args
  : (await import("node:process")).default.argv.slice(2);
const TOOLS = ["run", "write_file"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
}));
const decoder = new TextDecoder();

const BWRAP = "bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --bind"
  .split(" ");

async function runInDeno(command) {
  const script = promises.includes("setsid") ? 'exec setsid "$@" 2>&1' : 'exec "$@" 2>&1';
  const around = promises.includes("bwrap") ? [...BWRAP, Deno.cwd(), Deno.cwd()] : [];
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", script, "sh", ...around, "/bin/sh", "-c", command],
    detached: promises.includes("detached"),
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return decoder.decode(stdout);
}

async function runInNode(command) {
  const { spawn } = await import("node:child_process");
  return await new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => output += chunk);
    child.on("close", () => resolve(output));
  });
}

async function writeFile(path, content) {
  if (globalThis.Deno) await Deno.writeTextFile(path, content);
  else await (await import("node:fs/promises")).writeFile(path, content);
  return "ok";
}

const log = promises.includes("sync")
  ? await Deno.open(await Deno.makeTempFile({ dir: "." }), { append: true })
  : undefined;

async function record(value, sync) {
  if (!log) return;
  log.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  if (sync) await log.syncData();
}

async function settle(call) {
  const args = JSON.parse(call.function.arguments);
  await record({ call }, true);
  const output = call.function.name === "write_file"
    ? await writeFile(args.path, args.content)
    : await (globalThis.Deno ? runInDeno : runInNode)(args.command);
  await record({ result: output }, false);
  return output;
}

/** Reads one answer: its text and its calls. */
async function read(response) {
  const calls = [];
  let text = "";
  let held = "";
  for await (const chunk of response.body) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    held = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const { content, tool_calls = [] } = JSON.parse(line.slice(6)).choices[0].delta;
      text += content ?? "";
      for (const { index, id, function: part } of tool_calls) {
        calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
        calls[index].function.arguments += part.arguments ?? "";
      }
    }
  }
  return { text, calls };
}

const messages = [{ role: "user", content: "Work" }];
for (;;) {
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages, tools: TOOLS }),
  });
  const { text, calls } = await read(response);
  if (calls.length === 0) break;
  messages.push({ role: "assistant", content: text, tool_calls: calls });
  for (const call of calls) {
    messages.push({ role: "tool", tool_call_id: call.id, content: await settle(call) });
  }
}
