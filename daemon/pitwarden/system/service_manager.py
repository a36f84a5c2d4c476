"""sd_notify(3) client, and the watchdog that feeds `WatchdogSec=` (B35, B36).

Each notification is one datagram and never blocks. The clients of this protocol on PyPI block on a full socket or are
not maintained; the protocol is one `sendto`. systemd is pinged only while the event loop is on time and every probe has
progressed since the last check.

Threat: a full or missing socket.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog

from pitwarden.system.tasks import Probe
from pitwarden_client.events.hidden_text import escape_hidden

_USEC: Final = 1_000_000
# Four checks in less time than this would cost more than the service; no unit waits longer than a day.
_LEAST_S: Final = 0.5
# Longest interval of a watchdog that is accepted, a day.
_MOST_S: Final = 86_400.0
_DIGITS: Final = 20
# Characters of the status line. A terminal shows two lines of it at most.
_MAX_STATUS: Final = 400

_log = structlog.get_logger()


class SystemdNotifier:
    """Client of the service manager; without one (`address` empty) it does nothing.

    `watchdog_s` is None without a watchdog.
    """

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self.watchdog_s = watchdog_s
        self.dropped = 0
        """Number of messages that the manager's socket did not accept."""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None
        if self._socket is not None:
            self._socket.settimeout(0)

    def ready(self, status: str) -> None:
        """Report that the configuration is valid and the loop runs; also the end of a reload."""
        self._send("READY=1", _status(status))

    def status(self, status: str) -> None:
        """Set the line that `systemctl status` prints."""
        self._send(_status(status))

    def report_alive(self, status: str) -> None:
        """Report that every probe has progressed; as a ping only where the manager waits for one of this process."""
        self._send(*([] if self.watchdog_s is None else ["WATCHDOG=1"]), _status(status))

    def reloading(self, mono_us: int) -> None:
        """Report the start of a reload, at `mono_us` of CLOCK_MONOTONIC."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={mono_us}")

    def stopping(self) -> None:
        """Report that a stop was requested."""
        self._send("STOPPING=1", "STATUS=stopping")

    def close(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            self._socket.close()

    def _send(self, *lines: str) -> None:
        if self._socket is None:
            return
        try:
            self._socket.sendto("\n".join(lines).encode(), self._address)
        except OSError:
            self.dropped += 1  # full, or the manager restarts: it receives the next one


def notifier_from_environment(environment: Mapping[str, str]) -> SystemdNotifier:
    """Return the notifier that NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID describe."""
    usec = environment.get("WATCHDOG_USEC", "")
    ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return SystemdNotifier(environment.get("NOTIFY_SOCKET", ""), _interval(usec) if usec and ours else None)


def _interval(usec: str) -> float | None:
    """Return the watchdog's interval in seconds; None, with a line in the log, where it cannot be kept."""
    # int() takes seconds for a number of some million digits.
    given = int(usec) / _USEC if usec.isascii() and usec.isdecimal() and len(usec) <= _DIGITS else 0.0
    if _LEAST_S <= given <= _MOST_S:
        return given
    _log.warning("watchdog ignored", reason=f"WATCHDOG_USEC is not {_LEAST_S:g} to {_MOST_S:g} s", value=usec[:_DIGITS])
    return None


def _status(text: str) -> str:
    return "STATUS=" + escape_hidden(" ".join(text.split()))[:_MAX_STATUS]


# Seconds after which a change of the status line is shown.
SHOW_S: Final = 0.5
# Longest seconds between two checks of all loops; a watchdog with a short interval is checked more often.
EVERY_S: Final = 5.0
UNWATCHED_S: Final = 30.0  # without a manager's watchdog, stalls are still detected and logged, at this interval


class Watchdog:
    """Watchdog of the probes that `parts` returns, checked four times in the manager's interval.

    `status` is the normal line.
    """

    def __init__(
        self, notifier: SystemdNotifier, parts: Callable[[], Sequence[Probe]], status: Callable[[], str]
    ) -> None:
        self._notifier, self._parts, self._status = notifier, parts, status
        self._watchdog_s = notifier.watchdog_s or UNWATCHED_S
        self.every_s = min(self._watchdog_s / 4, EVERY_S)
        self._seen: dict[str, tuple[int, float]] = {}
        self._reported = ""
        self._shown = ""

    async def show_changes(self) -> None:
        """Set the status line within a second of a change, until cancelled: a start and a repair are seen at once."""
        while True:
            await asyncio.sleep(SHOW_S)
            line = self._status()
            if line != self._shown and not self._reported:
                self._notifier.status(line)
            self._shown = line

    async def run(self) -> None:
        """Run until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            for part in self._parts():
                # Before the pause: a component that waits for work must be able to turn its loop until the check.
                part.wake()
            due = loop.time() + self.every_s
            await asyncio.sleep(self.every_s)
            self.check(loop.time(), late_s=loop.time() - due)

    def check(self, now: float, late_s: float) -> None:
        """Check the probes at `now` seconds of the loop's clock, `late_s` seconds after the check was due."""
        problems = [] if late_s <= self.every_s else [f"the loop was blocked for {late_s:.1f} s"]
        problems += [f"{name} stands still for {age:.0f} s" for name, age in self._stalled(now)]
        what = "; ".join(problems)
        if problems:
            self._notifier.status(f"NOT ALIVE: {what}")
        else:
            self._notifier.report_alive(self._status())
        if bool(what) != bool(self._reported):
            (_log.error if what else _log.info)("watchdog", reason=what or "all parts work again")
        self._reported = what

    def _stalled(self, now: float) -> list[tuple[str, float]]:
        stalled, before_this, self._seen = [], self._seen, {}
        for part in self._parts():
            progress = part.progress()
            before, since = before_this.get(part.name, (None, now))
            if progress != before:
                since = now
            self._seen[part.name] = progress, since
            if now - since > max(part.slowest_s, self._watchdog_s / 2):
                stalled.append((part.name, now - since))
        return stalled
