# Sourced by the scripts beside it: `agent` runs CST_AGENT if that is set, else the sources with deno.
agent() {
    if [ -n "${CST_AGENT:-}" ]; then "$CST_AGENT" "$@"; else deno run -A --no-check main.ts "$@"; fi
}
