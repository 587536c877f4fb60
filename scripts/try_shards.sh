#!/bin/sh
# Runs one small simulated matrix whole, by GNU parallel and as a Slurm array, and compares the results (times aside).
# What isn't installed, or has no node, is left out and named.
#
# Usage: scripts/try_shards.sh [--ssh HOST]    with --ssh, half of the runs of GNU parallel go to HOST
set -e
cd "$(dirname "$0")/.."
. scripts/agent.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
matrix='-p "ctl ctl-heredoc xml" -m sim -f "big_file test_fix_test" -n 2 --faults published'
program=${CST_AGENT:-"deno run -A --no-check $PWD/main.ts"}

# Everything but the columns of times: wall, model, tool, wait, first action, overlap; and early calls.
timeless() {
    cut -d, -f1-8,16- "$1/results.csv" | sort
}

compare() {
    timeless "$out/whole" > "$out/a"
    timeless "$1" > "$out/b"
    if cmp -s "$out/a" "$out/b"; then
        echo "$2: the same $(($(wc -l < "$out/b") - 1)) rows"
    else
        echo "$2: differs"
        diff "$out/a" "$out/b" | head
        exit 1
    fi
}

eval "agent eval matrix $matrix --out $out/whole" > /dev/null 2>&1

if command -v parallel > /dev/null; then
    hosts=
    [ "${1:-}" = --ssh ] && hosts="-S :,$2 --workdir $PWD"
    eval "agent eval matrix $matrix --out $out/parallel --list" |
        sed "s|^cst-agent|$program|" | parallel $hosts -j 2 > /dev/null 2>&1
    agent eval merge "$out"/parallel/shards/* --out "$out/parallel" > /dev/null
    compare "$out/parallel" "GNU parallel $hosts"
else
    echo "GNU parallel: not installed, left out"
fi

if command -v sbatch > /dev/null && [ -n "$(sinfo -h -t idle 2> /dev/null)" ]; then
    printf '#!/bin/sh\ncd %s\n%s eval matrix %s --shard $SLURM_ARRAY_TASK_ID/3 --out %s/slurm/$SLURM_ARRAY_TASK_ID\n' \
        "$PWD" "$program" "$matrix" "$out" > "$out/job.sh"
    sbatch --wait --array=1-3 --output="$out/slurm-%a.log" "$out/job.sh" > /dev/null
    agent eval merge "$out"/slurm/* --out "$out/slurm-all" > /dev/null
    compare "$out/slurm-all" "Slurm array of 3"
else
    echo "Slurm: no idle node, left out"
fi
