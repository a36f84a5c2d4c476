#!/bin/sh
# Prints the path of a promtool. Takes the system's; else unpacks it from Debian's package prometheus, without root and
# without installing the service, into .cache/promtool of this repository.
set -eu

command -v promtool && exit 0
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache
mkdir -p "$cache"
exec 9>"$cache/promtool.lock"
flock 9
if [ ! -x "$cache/promtool/usr/bin/promtool" ]; then
    command -v apt-get >/dev/null || {
        echo "promtool is not installed, and there is no apt-get to fetch it" >&2
        exit 1
    }
    work=$cache/promtool.$$
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/debs"
    # State and lists of its own: nothing outside the cache is written.
    private() {
        apt-get -qq -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" \
            -o "Dir::State::status=/var/lib/dpkg/status" -o "APT::Sandbox::User=" -o "Debug::NoLocking=true" \
            -o "Acquire::Languages=none" "$@"
    }
    private update >&2
    (cd "$work/debs" && private download prometheus >&2)
    dpkg-deb --extract "$work"/debs/prometheus_*.deb "$work/root"
    rm -rf "$cache/promtool"
    mv "$work/root" "$cache/promtool"
fi
echo "$cache/promtool/usr/bin/promtool"
