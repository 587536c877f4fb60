#!/bin/sh
# A CI step: when the tests are red, let the agent try, and leave what it changed as repair.patch.
# Usage: ci-repair.sh "make test"      exit: that of the tests before the repair; the patch is a proposal
test_command=${1:?usage: ci-repair.sh TEST_COMMAND}
sh -c "$test_command" && exit 0
red=$?
cst-agent "\`$test_command\` fails. Find out why and mend it; leave the tests as they are." \
    --allow-run=make,git --max-steps 30 --timeout 900 --output-last repair.txt >&2
case $? in
0) ;;
5 | 124) echo "Gave up at the limit" >&2 ;;
75) echo "The server is busy; try the job again" >&2 && exit 75 ;;
*) exit $red ;;
esac
if sh -c "$test_command"; then
    git diff > repair.patch
    echo "repair.patch makes the tests pass" >&2
fi
exit $red
