/** The terminal in raw mode: keys come one by one, and on every way out it is again as it was. */

/** Cells of the terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal that sends keys as they are typed. */
export interface Terminal {
  size(): TerminalSize;
  /** Bytes of keys as they're read. */
  keys(): AsyncIterable<Uint8Array>;
  /** Writes at once. A terminal that is gone swallows it; `gone` aborts. */
  write(text: string): void;
  readonly gone: AbortSignal;
  /** Stops the program as Ctrl-Z does; `onResume` hears of its return. */
  suspend(): void;
  /** One listener each; a resize is told as often as the system tells it. */
  onResize(listener: () => void): void;
  onResume(listener: () => void): void;
  /** Puts the terminal back as it was; safe to call again. */
  restore(): void;
}

/** Some terminals (a serial line, `script`) say 0 × 0. */
const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };
/** Bracketed paste on; off again together with whatever a drawing may have left on. */
const ENTER = "\x1b[?2004h";
const LEAVE = "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?25h";

/** Puts the terminal on standard input into raw mode. Deno itself restores it on `exit`, but not the modes that were written to it. */
export function openTerminal(): Terminal {
  const gone = new AbortController();
  const listeners = { resize: () => {}, resume: () => {} };
  let raw = false;

  function write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
    } catch (error) {
      // EIO or EPIPE: nobody is there any more.
      gone.abort(error);
    }
  }

  function enter(): void {
    Deno.stdin.setRaw(true);
    raw = true;
    write(ENTER);
  }

  function restore(): void {
    if (!raw) return;
    raw = false;
    write(LEAVE);
    try {
      Deno.stdin.setRaw(false);
    } catch (error) {
      gone.abort(error);
    }
  }

  function suspend(): void {
    restore();
    // The whole job: a shell waits until every process of it has stopped.
    Deno.kill(0, "SIGSTOP");
  }

  // `unload` comes with Deno.exit, `error` before an uncaught one ends the program.
  for (const event of ["unload", "error", "unhandledrejection"]) {
    globalThis.addEventListener(event, restore);
  }
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGWINCH", () => listeners.resize());
    Deno.addSignalListener("SIGTSTP", suspend);
    Deno.addSignalListener("SIGCONT", () => {
      if (!raw) enter();
      listeners.resume();
    });
  }
  enter();
  return {
    size: readSize,
    keys: readKeys,
    write,
    gone: gone.signal,
    suspend,
    onResize: (listener) => void (listeners.resize = listener),
    onResume: (listener) => void (listeners.resume = listener),
    restore,
  };
}

function readSize(): TerminalSize {
  try {
    const { columns, rows } = Deno.consoleSize();
    return columns > 0 && rows > 0 ? { columns, rows } : DEFAULT_SIZE;
  } catch {
    return DEFAULT_SIZE;
  }
}

async function* readKeys(): AsyncIterable<Uint8Array> {
  const buffer = new Uint8Array(65_536);
  for (;;) {
    let length: number | null;
    try {
      length = await Deno.stdin.read(buffer);
    } catch {
      return;
    }
    if (length === null) return;
    yield buffer.slice(0, length);
  }
}
