#!/bin/sh
# Takes pictures of a report.html in headless Chromium: a desk in light, a phone in the dark.
#
# Usage: scripts/shoot_report.sh out/matrix/report.html OUT_DIR
set -e
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
shoot() {
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars "$@" "file://$page" 2> /dev/null
}
shoot --screenshot="$2/desk.png" --window-size=900,4200
shoot --screenshot="$2/phone.png" --window-size=500,4200 --blink-settings=preferredColorScheme=0
ls "$2/desk.png" "$2/phone.png"
