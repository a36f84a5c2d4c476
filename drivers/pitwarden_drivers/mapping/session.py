"""Dialogue with a mapped device. Such a device neither numbers nor stores events: what it sends unread is lost.

Every dialogue counts as a boot of its own, and the session numbers its events, so that the log can distinguish them.
That a dialogue ended in between is reported (`device.restarted`).
"""

from typing import Final

import re2

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified, DeviceRestarted, DeviceUnknown
from pitwarden_drivers.api import DeviceReport, ExpectedDevice, LineStats, Said, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent
from pitwarden_drivers.mapping.wire import LineSplitter

ASK_AGAIN_MS: Final = 1_000
ANSWER_MS: Final = 2_000


class MapSession:
    """Dialogue over one opening of a port."""

    def __init__(self, reading: LineMatcher, expected: ExpectedDevice) -> None:
        self._reading = reading
        self._map = reading.map
        self._expected = expected
        self._lines = LineSplitter(self._map.end.encode(), self._map.longest)
        self._boot = expected.last_boot + 1
        self._counter = 0
        self._identified = False
        self._heard = self._asked = 0
        self._waiting: tuple[str, CommandName, int] | None = None
        self._before = self._rejected = 0
        self._unknown_reported = False
        self._send = bytearray()
        self._reports: list[DeviceReport] = []

    @property
    def identified(self) -> bool:
        """Whether the device has proved to be the configured one."""
        return self._identified

    @property
    def heard_at(self) -> int | None:
        """Time of the last line, monotonic ms. Without a heartbeat in the map, an open port counts as a live device."""
        return self._heard if self._identified else None

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        lines = self._lines
        return LineStats(
            frames_rejected=lines.rejected + self._rejected, bytes_dropped=lines.dropped, before_sync=self._before
        )

    def begin(self, now: int) -> SessionOutput:
        """Send the start-up lines and the identity query."""
        for line in self._map.start:
            self._say(line)
        self._ask(now)
        return self._turn()

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes in chunks of any size.

        Raises:
            IdentityMismatchError: Another device answers.
        """
        for line in self._lines.feed(data):
            body = self._reading.body(line)
            if body is None:
                self._rejected += 1
            else:
                self._take(now, body)
        return self._turn()

    def tick(self, now: int) -> SessionOutput:
        """Repeat the query.

        Raises:
            DeviceSilentError: No answer arrived in time.
        """
        self._expire(now)
        beat = self._map.heartbeat
        if self._identified and beat is None:
            self._heard = now
        elif self._identified and now - self._heard >= self._map.silent_after_ms:
            raise DeviceSilentError(f"no line for {now - self._heard} ms: see the cable and the device")
        if now - self._asked >= self._period:
            self._ask(now)
        return self._turn()

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:  # noqa: ARG002  it stores nothing
        """Do nothing: the device stores no events."""
        return self._turn()

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command; refused when the map has none, the device is not identified, or another command waits."""
        mapped = self._map.commands.get(command)
        if mapped is None or not self._identified or self._waiting is not None:
            self._report(DeviceCommand(request=request, command=command, outcome="refused"))
        else:
            self._waiting = request, command, now + ANSWER_MS
            self._say(mapped.ask)
        return self._turn()

    @property
    def _period(self) -> int:
        beat = self._map.heartbeat
        return beat.every_ms if self._identified and beat is not None else ASK_AGAIN_MS

    def _ask(self, now: int) -> None:
        self._asked = now
        beat = self._map.heartbeat
        if not self._identified:
            self._say(self._map.identify.ask)
        elif beat is not None:
            self._say(beat.ask)

    def _say(self, line: str) -> None:
        if line:
            self._send += (line + self._map.end).encode("ascii")

    def _take(self, now: int, line: str) -> None:
        said = self._reading.read(line)
        if isinstance(said, MatchedIdentity):
            self._welcome(now, said)
        elif not self._identified:
            self._before += len(line)
        elif isinstance(said, NonEvent):
            self._heard = now
            if not self._answered(line) and said.what == "unknown" and not self._unknown_reported:
                self._unknown_reported = True
                self._report(DeviceUnknown(code=0))  # reported once, without the line: it may hold a card
        else:
            self._heard = now
            self._counter += 1
            self._report(said, self._counter)

    def _welcome(self, now: int, found: MatchedIdentity) -> None:
        wanted = self._expected
        if found.serial != wanted.serial:
            raise IdentityMismatchError(
                f"serial number {found.serial[:64]!r} answers where {wanted.serial!r} is configured"
            )
        if wanted.firmware and found.firmware not in wanted.firmware:
            raise IdentityMismatchError(f"firmware {found.firmware[:64]!r} is none of {', '.join(wanted.firmware)}")
        self._heard = now
        if not self._identified:
            self._identified = True
            self._report(DeviceIdentified(serial=found.serial, firmware=found.firmware[:64], boot=self._boot))
            self._report(DeviceRestarted(boot=self._boot))

    def _answered(self, line: str) -> bool:
        """Return whether the line answers the pending command."""
        if self._waiting is None:
            return False
        request, command, _ = self._waiting
        mapped = self._map.commands[command]
        refused = mapped.refused is not None and re2.fullmatch(mapped.refused, line) is not None
        if not refused and re2.fullmatch(mapped.pattern, line) is None:
            return False
        self._waiting = None
        self._report(DeviceCommand(request=request, command=command, outcome="refused" if refused else "done"))
        return True

    def _expire(self, now: int) -> None:
        if self._waiting is not None and now >= self._waiting[2]:
            request, command, _ = self._waiting
            self._waiting = None
            self._report(DeviceCommand(request=request, command=command, outcome="timeout"))

    def _report(self, said: Said, counter: int = 0) -> None:
        self._reports.append(DeviceReport(self._boot, counter, said))

    def _turn(self) -> SessionOutput:
        """Return everything collected, and the time of the next query or deadline."""
        send, reports = bytes(self._send), tuple(self._reports)
        self._send.clear()
        self._reports.clear()
        ends = [self._asked + self._period] + ([] if self._waiting is None else [self._waiting[2]])
        return SessionOutput(send, reports, min(ends))
