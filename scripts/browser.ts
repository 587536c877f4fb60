/**
 * A headless Chromium by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/): opens a page at
 * a size and colour scheme, asks it questions, takes its picture.
 */
import { TextLineStream } from "@std/streams/text-line-stream";

/** How a page is looked at. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** A page that is open. */
export interface Page {
  /** The value of an expression in the page; it must be JSON. */
  ask(expression: string): Promise<unknown>;
  /** A PNG of the page from top to bottom. */
  shoot(): Promise<Uint8Array<ArrayBuffer>>;
  /** Addresses that the page asked for, its own first. */
  readonly asked: readonly string[];
  /** What the page's scripts threw, and what it reported as errors. */
  readonly errors: readonly string[];
}

/** A browser that runs. */
export interface Browser {
  open(address: string, view: View): Promise<Page>;
  close(): Promise<void>;
}

type Fields = { readonly [name: string]: unknown };
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The program's path; undefined where none is installed. */
export async function findBrowser(): Promise<string | undefined> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of NAMES) {
      const found = await Deno.stat(`${folder}/${name}`).catch(() => undefined);
      if (found?.isFile) return `${folder}/${name}`;
    }
  }
  return undefined;
}

/** Starts a browser with a profile of its own. */
export async function startBrowser(program: string): Promise<Browser> {
  const profile = await Deno.makeTempDir();
  const child = new Deno.Command(program, {
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--hide-scrollbars",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).getReader();
  const wire = await connect(await addressIn(lines));
  // The pipe must be emptied, or the browser waits for it.
  const drained = drain(lines);
  return {
    open: (address, view) => openPage(wire, address, view),
    async close() {
      await wire.send("Browser.close", {});
      await child.status;
      await drained;
      await wire.closed;
      await Deno.remove(profile, { recursive: true }).catch(() => {});
    },
  };
}

/** The address that the browser prints when it is ready. */
async function addressIn(lines: ReadableStreamDefaultReader<string>): Promise<string> {
  const seen: string[] = [];
  for (;;) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`The browser ended: ${seen.join("\n")}`);
    const address = /^DevTools listening on (ws:\S+)/.exec(value)?.[1];
    if (address !== undefined) return address;
    seen.push(value);
  }
}

async function drain(lines: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await lines.read()).done);
}

interface Wire {
  send(method: string, params: Fields, session?: string): Promise<Fields>;
  /** Calls `hear` with each event of a session. */
  listen(session: string, hear: (method: string, params: Fields) => void): void;
  readonly closed: Promise<void>;
}

async function connect(address: string): Promise<Wire> {
  const socket = new WebSocket(address);
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  const waiting = new Map<number, (message: Message) => void>();
  const hearers = new Map<string, (method: string, params: Fields) => void>();
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else hearers.get(message.sessionId ?? "")?.(message.method ?? "", message.params ?? {});
  };
  const closed = new Promise<void>((done) => socket.onclose = () => done());
  let last = 0;
  return {
    closed,
    listen: (session, hear) => void hearers.set(session, hear),
    async send(method, params, sessionId) {
      const id = ++last;
      const answer = new Promise<Message>((done) => waiting.set(id, done));
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      const { result, error } = await answer;
      waiting.delete(id);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result ?? {};
    },
  };
}

async function openPage(wire: Wire, address: string, view: View): Promise<Page> {
  const { targetId } = await wire.send("Target.createTarget", { url: "about:blank" });
  const attached = await wire.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached.sessionId);
  const send = (method: string, params: Fields = {}) => wire.send(method, params, session);
  const asked: string[] = [];
  const errors: string[] = [];
  const loaded = new Promise<void>((done) =>
    wire.listen(session, (method, params) => {
      if (method === "Page.loadEventFired") done();
      if (method === "Network.requestWillBeSent") {
        asked.push(String((params.request as Fields).url));
      }
      if (method === "Runtime.exceptionThrown") {
        errors.push(JSON.stringify(params.exceptionDetails));
      }
      if (method === "Log.entryAdded") errors.push(String((params.entry as Fields).text));
    })
  );
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`);
  const { width, height, scheme } = view;
  const size = { width, height, deviceScaleFactor: 1, mobile: width < 600 };
  await send("Emulation.setDeviceMetricsOverride", size);
  const features = [{ name: "prefers-color-scheme", value: scheme }];
  await send("Emulation.setEmulatedMedia", { features });
  await send("Page.navigate", { url: address });
  await loaded;
  return {
    asked,
    errors,
    async ask(expression) {
      const answer = await send("Runtime.evaluate", { expression, returnByValue: true });
      if (answer.exceptionDetails !== undefined) {
        throw new Error(`Cannot ask the page: ${JSON.stringify(answer.exceptionDetails)}`);
      }
      return (answer.result as Fields).value;
    },
    async shoot() {
      const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
      return Uint8Array.from(atob(String(data)), (it) => it.charCodeAt(0));
    },
  };
}
