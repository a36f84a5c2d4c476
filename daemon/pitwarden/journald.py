"""systemd's native journal protocol: one datagram a line, each field one that `journalctl FIELD=value` can select.

The maintained clients of it are bindings to libsystemd, a C library in the process that holds the keys; it is a socket.
"""

import os
import re
import socket
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, Final

SOCKET: Final = Path("/run/systemd/journal/socket")
_PRIORITY: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}
_UNFIT: Final = re.compile(r"[^A-Z0-9_]")
_MAX_NAME: Final = 50


def journal_socket(descriptor: int, environment: Mapping[str, str], address: Path = SOCKET) -> int | None:
    """A socket to the journal if it is what `descriptor` leads to (systemd.exec(5), JOURNAL_STREAM); else None."""
    found = os.fstat(descriptor)
    if environment.get("JOURNAL_STREAM") != f"{found.st_dev}:{found.st_ino}":
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as journal:
            journal.connect(str(address))
            return journal.detach()
    except OSError:
        return None  # the stream still leads there


def as_fields(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    """One line as the journal's fields: MESSAGE for a person, PRIORITY, and each field as PITWARDEN_<NAME>."""
    level = str(event.pop("level", "info"))
    words = str(event.pop("event", ""))
    said = [words, *(f"{key}={value}" for key, value in event.items())]
    fields = {"MESSAGE": " ".join(said), "PRIORITY": str(_PRIORITY.get(level, 6)), "SYSLOG_IDENTIFIER": "pitwarden"}
    fields["PITWARDEN_EVENT"] = words
    fields |= {_name(key): str(value) for key, value in event.items()}
    return "".join(f"{name}={_one_line(value)}\n" for name, value in fields.items())


def _name(key: str) -> str:
    return ("PITWARDEN_" + _UNFIT.sub("_", key.upper()))[:_MAX_NAME]


def _one_line(value: str) -> str:
    """The protocol ends a value at the line's end: a forged field may not begin there."""
    return value.replace("\n", "\\n")
