#!/bin/sh
# The calculator with a bug, end to end.
#
# Usage: scripts/e2e_mini_calc.sh [--baseline-only] [--provider deepseek] [...]
exec "$(dirname "$0")/e2e_fixture.sh" mini_calc "$@"
