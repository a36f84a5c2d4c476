#!/bin/sh
# get_debian_program.sh PROGRAM [PACKAGE]: prints the path of PROGRAM. Takes the system's; else unpacks it from Debian's
# PACKAGE (its own name), without root and without installing a service, into .cache/PROGRAM of this repository.
set -eu

program=$1
package=${2:-$1}
command -v "$program" && exit 0
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache
mkdir -p "$cache"
exec 9>"$cache/$program.lock"
flock 9
if [ ! -x "$cache/$program/usr/bin/$program" ]; then
    command -v apt-get >/dev/null || {
        echo "$program is not installed, and there is no apt-get to fetch it" >&2
        exit 1
    }
    work=$cache/$program.$$
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/debs"
    # State and lists of its own: nothing outside the cache is written.
    private() {
        apt-get -qq -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" \
            -o "Dir::State::status=/var/lib/dpkg/status" -o "APT::Sandbox::User=" -o "Debug::NoLocking=true" \
            -o "Acquire::Languages=none" "$@"
    }
    private update >&2
    (cd "$work/debs" && private download "$package" >&2)
    dpkg-deb --extract "$work/debs/${package}"_*.deb "$work/root"
    rm -rf "${cache:?}/$program"
    mv "$work/root" "$cache/$program"
fi
echo "$cache/$program/usr/bin/$program"
