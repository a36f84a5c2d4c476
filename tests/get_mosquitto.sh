#!/bin/sh
# Prints the path of a mosquitto that can be run. Takes the system's; else unpacks Debian's packages, without root,
# into .cache/mosquitto of this repository. FRESH=1 ignores the system's.
set -eu

cache=$(cd "$(dirname "$0")/.." && pwd)/.cache/mosquitto

if [ -z "${FRESH:-}" ]; then
    for known in "$(command -v mosquitto || true)" /usr/sbin/mosquitto /usr/local/sbin/mosquitto; do
        if [ -x "$known" ]; then
            echo "$known"
            exit 0
        fi
    done
fi
mkdir -p "$(dirname "$cache")"
exec 9>"$cache.lock"
flock 9
if [ -x "$cache/run" ]; then
    echo "$cache/run"
    exit 0
fi
command -v apt-get >/dev/null || {
    echo "mosquitto is not installed, and there is no apt-get to bring it: install mosquitto 2.0 or newer" >&2
    exit 1
}

work=$cache.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/debs" "$work/root"

# A private state beside the system's list of installed packages: nothing outside the cache is written.
private() {
    tool=$1
    shift
    "$tool" -qq -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" \
        -o "Dir::State::status=/var/lib/dpkg/status" -o "APT::Sandbox::User=" -o "Debug::NoLocking=true" \
        -o "Acquire::Languages=none" "$@"
}

private apt-get update >&2
missing=$(private apt-get --simulate --no-install-recommends install mosquitto | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
[ -n "$missing" ] || missing=mosquitto
# One word for each package:
# shellcheck disable=SC2086
(cd "$work/debs" && private apt-get download $missing >&2)
for package in "$work"/debs/*.deb; do
    dpkg-deb --extract "$package" "$work/root"
done

libraries=$(find "$work/root" -name '*.so.*' -exec dirname {} \; | sort -u | sed "s|^$work|$cache|" | paste -sd: -)
cat > "$work/run" <<RUN
#!/bin/sh
LD_LIBRARY_PATH=$libraries exec $cache/root/usr/sbin/mosquitto "\$@"
RUN
chmod +x "$work/run"
rm -rf "$work/lists" "$work/archives" "$work/debs" "$cache"
mv "$work" "$cache"
echo "$cache/run"
