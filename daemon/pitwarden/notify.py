"""What systemd is told (sd_notify(3)): one datagram each, never blocking. The adversary is a full or missing socket.

PyPI's clients of this protocol block on a full socket or have been left alone for years; it is one `sendto`.
"""

import os
import socket
from collections.abc import Mapping
from typing import Final

_USEC: Final = 1_000_000
_MAX_STATUS: Final = 400


class Notifier:
    """Tells the service manager; without one (`address` empty) it tells nobody. `watchdog_s` is None if unwatched."""

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self.watchdog_s = watchdog_s
        self.dropped = 0
        """Messages that the manager's socket did not take."""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None
        if self._socket is not None:
            self._socket.settimeout(0)

    def ready(self, status: str) -> None:
        """The configuration is valid and the loop runs; also the end of a reload."""
        self._send("READY=1", _status(status))

    def status(self, status: str) -> None:
        """One line for `systemctl status`."""
        self._send(_status(status))

    def alive(self, status: str) -> None:
        """Every part has made progress."""
        self._send("WATCHDOG=1", _status(status))

    def reloading(self, mono_us: int) -> None:
        """A reload begins, at `mono_us` of CLOCK_MONOTONIC."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={mono_us}")

    def stopping(self) -> None:
        """The service was asked to stop."""
        self._send("STOPPING=1", "STATUS=stopping")

    def close(self) -> None:
        """Closes the socket."""
        if self._socket is not None:
            self._socket.close()

    def _send(self, *lines: str) -> None:
        if self._socket is None:
            return
        try:
            self._socket.sendto("\n".join(lines).encode(), self._address)
        except OSError:
            self.dropped += 1  # full, or the manager restarts: it hears the next one


def from_environment(environment: Mapping[str, str]) -> Notifier:
    """The notifier that NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID ask for."""
    usec = environment.get("WATCHDOG_USEC", "")
    ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    watched = int(usec) / _USEC if ours and usec.isdecimal() and int(usec) else None
    return Notifier(environment.get("NOTIFY_SOCKET", ""), watched)


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())[:_MAX_STATUS]
