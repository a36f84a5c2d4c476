#!/bin/sh
# Prints a Python that has Home Assistant's MQTT integration, whose schemas judge discovery messages: version 2024.3.3, the
# last one for Debian 12's Python 3.11, and of its dependencies what the integration imports, by the lock beside it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=$here/../.cache
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/home-assistant.lock"
flock 9
lock=$here/home_assistant/requirements.lock
wanted=$(cksum <"$lock")
if [ "$(cat "$cache/home-assistant/installed" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$cache/home-assistant"
    "${PYTHON:-python3}" -m venv "$cache/home-assistant" >&2
    "$cache/home-assistant/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$lock" >&2
    printf '%s\n' "$wanted" >"$cache/home-assistant/installed"
fi
echo "$cache/home-assistant/bin/python"
