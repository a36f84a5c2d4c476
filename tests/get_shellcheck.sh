#!/bin/sh
# Prints the path of a shellcheck. Takes the system's; else unpacks Debian's package, without root, into .cache/shellcheck
# of this repository.
set -eu

command -v shellcheck && exit 0
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache
mkdir -p "$cache"
exec 9>"$cache/shellcheck.lock"
flock 9
if [ ! -x "$cache/shellcheck/usr/bin/shellcheck" ]; then
    command -v apt-get >/dev/null || {
        echo "shellcheck is not installed, and there is no apt-get to fetch it" >&2
        exit 1
    }
    work=$cache/shellcheck.$$
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/debs"
    # State and lists of its own: nothing outside the cache is written.
    private() {
        apt-get -qq -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" \
            -o "Dir::State::status=/var/lib/dpkg/status" -o "APT::Sandbox::User=" -o "Debug::NoLocking=true" \
            -o "Acquire::Languages=none" "$@"
    }
    private update >&2
    (cd "$work/debs" && private download shellcheck >&2)
    dpkg-deb --extract "$work"/debs/shellcheck_*.deb "$work/root"
    rm -rf "$cache/shellcheck"
    mv "$work/root" "$cache/shellcheck"
fi
echo "$cache/shellcheck/usr/bin/shellcheck"
