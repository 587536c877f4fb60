#!/bin/sh
# Runs the agent on one fixture and says pass, fail, agent_error, timeout or unexpected_green_fixture.
#
# Usage: scripts/e2e_fixture.sh mini_calc [--baseline-only] [--provider deepseek] [--protocol ctl] [...]
# The first argument is a name in fixtures/ or a path. E2E_TIMEOUT: seconds for the agent (900).
set -e
case "${1:-}" in
"" | -*) echo "usage: scripts/e2e_fixture.sh FIXTURE [options]" >&2; exit 2 ;;
*/*) fixture=$(cd "$1" && pwd) ;;
*) fixture=fixtures/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
. scripts/agent.sh
agent eval fixture "$fixture" "$@"
