#!/bin/sh
# For cron: a report on the project into a file, with the date in its name. Asks again when the server is busy.
# crontab: 0 6 * * 1-5  cd /srv/project && DEEPSEEK_API_KEY=… examples/nightly-report.sh reports
folder=${1:?usage: nightly-report.sh FOLDER}
pause=${REPORT_PAUSE:-600}
mkdir -p "$folder"
report=$folder/$(date +%F).md
for try in 1 2 3; do
    cst-agent "Run the tests and look at the last ten commits. Report what is broken and what is new." \
        --allow-run=make,git --deny-write --quiet --timeout 600 --output-last "$report" > /dev/null
    code=$?
    [ $code -eq 75 ] || break
    sleep "$pause"
done
[ $code -eq 0 ] || echo "No report ($report): exit $code" >&2
exit $code
