"""Which places may stand in a table file (B05): a name that moves from device to device is refused, with advice."""

import re
from typing import Final

from pitwarden_drivers.ports.usb_place import is_usb, usb_place

STABLE: Final = ("/dev/serial/by-id/", "/dev/serial/by-path/", "/dev/pitwarden/")
URLS: Final = ("socket", "rfc2217")
_URL: Final = re.compile(r"(?P<scheme>[a-z0-9]+)://(?P<host>[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
_MAX_PORT: Final = 65_535


def is_url(place: str) -> bool:
    """Whether `place` is meant as a URL."""
    return "://" in place


def host_and_port(place: str) -> tuple[str, str, int]:
    """Scheme, host and port of a URL; ValueError with a sentence when it is none that we open."""
    match = _URL.fullmatch(place)
    if match is None or match["scheme"] not in URLS or not 0 < int(match["port"]) <= _MAX_PORT:
        raise ValueError(f"{place!r} is no address of a device: write socket://HOST:PORT or rfc2217://HOST:PORT")
    return match["scheme"], match["host"].strip("[]"), int(match["port"])


def check_path(path: str, *, simulated: bool) -> None:
    """ValueError, with a sentence, unless `path` is a stable name, a URL, or any absolute path of a simulation."""
    if is_usb(path):
        usb_place(path)
        return
    if is_url(path):
        host_and_port(path)
        return
    if not path.startswith("/") or "/../" in f"{path}/" or "\0" in path:
        raise ValueError(f"{path!r} is no place of a device: write an absolute path without `..`")
    if simulated or any(path.startswith(stable) and path != stable for stable in STABLE):
        return
    raise ValueError(
        f"{path!r} may be another device after the next start: write its name under /dev/serial/by-id/ "
        "(see `ls -l /dev/serial/by-id`), under /dev/serial/by-path/ where two adapters have the same id, "
        "or a link of your own udev rule under /dev/pitwarden/"
    )
