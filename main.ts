/** argv and environment → the real world → one command → exit code; nothing else. */
console.error("cst-agent: not wired yet");
Deno.exit(2);
