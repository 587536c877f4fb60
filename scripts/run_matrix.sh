#!/bin/sh
# Runs the matrix of protocols, models and fixtures.
#
# Usage: scripts/run_matrix.sh -p "native-eos ctl-heredoc" -m "deepseek:deepseek-chat" \
#          -f "mini_calc makefile_tab" -n 3 [-r] [-j JOBS] [further options of "eval matrix"]
# Results go to out/matrix-DATE, or to the folder that --out names; a run that is done there is skipped.
set -e
cd "$(dirname "$0")/.."
. scripts/agent.sh
case " $* " in
*" --out"*) agent eval matrix "$@" ;;
*) agent eval matrix "$@" --out "out/matrix-$(date -u +%Y%m%dT%H%M%SZ)" ;;
esac
