#!/bin/sh
# Runs one small simulated matrix whole, by GNU parallel and as a Slurm array, and compares the results (times aside).
# What isn't installed is left out and named. Where Slurm has no node, root may start one: a controller and a node of
# this script's own, on loopback, stopped at the end.
#
# Usage: scripts/try_shards.sh [--ssh HOST]    with --ssh, half of the runs of GNU parallel go to HOST
set -e
cd "$(dirname "$0")/.."
. scripts/agent.sh
out=$(mktemp -d)
daemons=
trap 'stop_daemons; rm -rf "$out"' EXIT
matrix='-p "ctl ctl-heredoc xml" -m sim -f "big_file test_fix_test" -n 2 --faults published'
program=${CST_AGENT:-"deno run -A --no-check $PWD/main.ts"}

# A daemon that ended has given its number back: only what is still a child of this script is told.
stop_daemons() {
    for pid in $daemons; do
        [ "$(ps -o ppid= -p "$pid" | tr -d ' ')" != $$ ] || kill "$pid" || true
    done
    wait
}

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

# One node without authentication, which only this script's jobs see.
start_slurm() {
    mkdir "$out/state" "$out/spool"
    host=$(hostname -s)
    cat > "$out/slurm.conf" <<CONF
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
StateSaveLocation=$out/state
SlurmdSpoolDir=$out/spool
SlurmctldPidFile=$out/slurmctld.pid
SlurmdPidFile=$out/slurmd.pid
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
CONF
    export SLURM_CONF="$out/slurm.conf"
    slurmctld -D > "$out/slurmctld.log" 2>&1 &
    daemons=$!
    slurmd -D -N "$host" > "$out/slurmd.log" 2>&1 &
    daemons="$daemons $!"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        if has_node; then return; fi
        sleep 1
    done
}

has_node() {
    [ -n "$(sinfo -h -t idle 2> /dev/null)" ]
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

if command -v sbatch slurmctld slurmd > /dev/null && ! has_node && [ "$(id -u)" = 0 ]; then
    start_slurm
fi
if command -v sbatch > /dev/null && has_node; then
    printf '#!/bin/sh\ncd %s\n%s eval matrix %s --shard $SLURM_ARRAY_TASK_ID/3 --out %s/slurm/$SLURM_ARRAY_TASK_ID\n' \
        "$PWD" "$program" "$matrix" "$out" > "$out/job.sh"
    sbatch --wait --array=1-3 --output="$out/slurm-%a.log" "$out/job.sh" > /dev/null
    agent eval merge "$out"/slurm/* --out "$out/slurm-all" > /dev/null
    compare "$out/slurm-all" "Slurm array of 3"
else
    echo "Slurm: no idle node, left out"
fi
