#!/bin/sh
# Installs, upgrades or removes cst-agent: one file, ~/.local/bin/cst-agent.
#
# Usage: sh install.sh [--uninstall] [--version TAG] [--dir DIR]
#
# The program for this machine is taken from a release (CST_AGENT_URL: another place that holds the same files) and
# put in place only when its SHA-256 is the one in SHA256SUMS. Nothing else is written; --uninstall takes away the
# program and leaves sessions and configuration, whose places it names.
set -eu

# The release workflow writes the repository's address over the mark.
repository=@REPOSITORY@
dir=${CST_AGENT_DIR:-$HOME/.local/bin}
version=latest
action=install

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
    --uninstall) action=uninstall ;;
    --version | --dir)
        [ $# -ge 2 ] || fail "$1 needs a value"
        if [ "$1" = --dir ]; then dir=$2; else version=$2; fi
        shift
        ;;
    -h | --help)
        sed -n '2,8s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *) fail "unknown option \"$1\" (see --help)" ;;
    esac
    shift
done

program=$dir/cst-agent

if [ "$action" = uninstall ]; then
    if [ -e "$program" ]; then
        rm -f "$program"
        echo "Removed $program"
    else
        echo "There is no $program"
    fi
    echo "Sessions are kept in ${XDG_STATE_HOME:-$HOME/.local/state}/cst-agent,"
    echo "configuration in ${XDG_CONFIG_HOME:-$HOME/.config}/cst-agent"
    exit 0
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=macos ;;
*) fail "there is no program for $(uname -s); on Windows take cst-agent-windows-x64.exe from the release" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) fail "there is no program for $(uname -m)" ;;
esac
if [ $os = linux ] && [ -e /etc/alpine-release ]; then
    fail "the program needs glibc 2.27 or newer, and Alpine has musl"
fi
file=cst-agent-$os-$cpu

if [ -n "${CST_AGENT_URL:-}" ]; then
    url=$CST_AGENT_URL
elif [ "${repository#@}" != "$repository" ]; then
    fail "this copy is of no release: set CST_AGENT_URL to where the files are"
elif [ "$version" = latest ]; then
    url=$repository/releases/latest/download
else
    url=$repository/releases/download/$version
fi

fetch() {
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --retry 2 -o "$2" "$1"
    elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is here"
    fi || fail "cannot fetch $1"
}

sum_of() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        shasum -a 256 "$1" | cut -d ' ' -f 1
    fi
}

mkdir -p "$dir"
# Beside its place, so that the last step is one rename: a program that runs meanwhile goes on.
temporary=$(mktemp -d "$dir/.cst-agent.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fetch "$url/SHA256SUMS" "$temporary/SHA256SUMS"
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$temporary/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS doesn't name $file"
if [ -f "$program" ] && [ "$(sum_of "$program")" = "$wanted" ]; then
    echo "$program is up to date"
    exit 0
fi
fetch "$url/$file" "$temporary/$file"
got=$(sum_of "$temporary/$file")
[ "$got" = "$wanted" ] || fail "$file has SHA-256 $got, not $wanted: nothing was installed"
chmod 755 "$temporary/$file"
said=$("$temporary/$file" --version) || fail "$file doesn't run on this machine: nothing was installed"
if [ -e "$program" ]; then done_word=Upgraded; else done_word=Installed; fi
mv -f "$temporary/$file" "$program"
echo "$done_word $program: $said"
case :$PATH: in
*":$dir:"*) ;;
*) echo "Put it on your PATH: export PATH=\"$dir:\$PATH\"" ;;
esac
