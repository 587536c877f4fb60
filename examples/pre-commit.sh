#!/bin/sh
# A git hook: the agent looks at what is about to be committed; an answer that begins with NO stops the commit.
# Install: ln -s ../../examples/pre-commit.sh .git/hooks/pre-commit
#
# It reads only (no --allow-run), and where no answer comes (no key, no network) the commit goes on.
changes=$(git diff --cached)
[ -n "$changes" ] || exit 0
answer=$(
    printf '%s\n\n%s\n' \
        "Look at this diff for plain mistakes. Answer OK, or NO and why, in one line." "$changes" |
        cst-agent - --quiet --deny-write --max-steps 10 --timeout 60 2> /dev/null
) || exit 0
echo "$answer" >&2
case $answer in
NO*) exit 1 ;;
esac
