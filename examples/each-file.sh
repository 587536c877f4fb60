#!/bin/sh
# One task for each file; the answer is written beside it as FILE.notes. A failure doesn't stop the others.
# Usage: each-file.sh "Explain FILE to a newcomer, in ten lines" src/*.c      FILE stands for the name
task=${1:?usage: each-file.sh TASK FILE...}
shift
failed=0
for file; do
    words=$(printf '%s' "$task" | sed "s|FILE|$file|g")
    if cst-agent "$words" --quiet --deny-write --output-last "$file.notes" > /dev/null; then
        echo "$file: done"
    else
        echo "$file: exit $?" >&2
        failed=1
    fi
done
exit $failed
