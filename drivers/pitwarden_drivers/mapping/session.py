"""Dialogue with a mapped device.

Every dialogue counts as a boot of its own, and the session numbers its events, so that the log can distinguish them.
That a dialogue ended in between is reported (`device.restarted`). Only a device that numbers its messages continues
its numbers over dialogues.

A device that speaks in lines stores nothing: what it sends unread is lost. A device with acknowledgements keeps a
message until it is acknowledged; an event is acknowledged once the log has stored it.
"""

from typing import Final, Literal

import re2

from pitwarden_client.events.device import (
    CommandName,
    DeviceCommand,
    DeviceGap,
    DeviceIdentified,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
)
from pitwarden_drivers.api import DeviceReport, ExpectedDevice, LineStats, Said, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.mapping.acknowledged_link import AcknowledgedLink
from pitwarden_drivers.mapping.link import Delivery, LinkMessage, MessageLink
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent
from pitwarden_drivers.mapping.plain_link import LineLink, PlainFrameLink

# Interval in ms of the question for the identity while the device has not answered it.
ASK_AGAIN_MS: Final = 1_000
# Time in ms for the reply to a command. After it the outcome is `timeout`.
ANSWER_MS: Final = 2_000
DOUBTFUL: Final = "a message may be the repetition of one that is stored, and was not used: verify the cards"


class MapSession:
    """Dialogue over one opening of a port."""

    def __init__(self, reading: LineMatcher, expected: ExpectedDevice) -> None:
        self._reading = reading
        self._map = reading.map
        self._expected = expected
        self._link = _link(reading, expected)
        # The numbers of a device that numbers its messages continue over dialogues: they show what it sends again.
        numbered = self._map.ack is not None and self._map.ack.number is not None
        self._continues = numbered and expected.last_boot > 0
        self._boot = expected.last_boot if self._continues else expected.last_boot + 1
        self._counter = 0
        self._identified = False
        self._heard = self._asked = 0
        self._waiting: tuple[str, CommandName, int] | None = None
        self._before = 0
        self._unknown_reported = False
        self._reports: list[DeviceReport] = []

    @property
    def identified(self) -> bool:
        """True if the device has proved to be the configured one."""
        return self._identified

    @property
    def heard_at(self) -> int | None:
        """Time of the last message, monotonic ms.

        Where the map has neither a heartbeat nor a poll, an open port counts as a live device.
        """
        return self._heard if self._identified else None

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        link = self._link
        return LineStats(frames_rejected=link.rejected, bytes_dropped=link.dropped, before_sync=self._before)

    def begin(self, now: int) -> SessionOutput:
        """Send the start-up lines and the identity query."""
        for line in self._map.start:
            self._send_text(now, line)
        self._ask(now)
        return self._turn()

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes in chunks of any size.

        Raises:
            IdentityMismatchError: Another device answers.
        """
        for message in self._link.feed(now, data):
            self._link.settle(now, self._take(now, message))
        return self._turn()

    def tick(self, now: int) -> SessionOutput:
        """Repeat the query, and what the link still waits for.

        Raises:
            DeviceSilentError: No answer arrived in time.
        """
        self._link.tick(now)
        self._expire(now)
        if self._identified and self._map.heartbeat is None and self._map.poll is None:
            self._heard = now
        self._heard = max(self._heard, self._link.heard_at)
        if self._identified and now - self._heard >= self._map.silent_after_ms:
            raise DeviceSilentError(f"no message for {now - self._heard} ms: see the cable and the device")
        if now - self._asked >= self._period:
            self._ask(now)
        return self._turn()

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:
        """Acknowledge the event `counter` of this dialogue to a device that waits for it."""
        if boot == self._boot:
            self._link.stored(now, counter)
        return self._turn()

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command; refused when the map has none, the device is not identified, or another command waits."""
        mapped = self._map.commands.get(command)
        if mapped is None or not self._identified or self._waiting is not None:
            self._report(DeviceCommand(request=request, command=command, outcome="refused"))
        else:
            self._waiting = request, command, now + ANSWER_MS
            self._link.send(now, mapped.ask, request)
        return self._turn()

    @property
    def _period(self) -> int:
        beat = self._map.heartbeat
        return beat.every_ms if self._identified and beat is not None else ASK_AGAIN_MS

    def _ask(self, now: int) -> None:
        self._asked = now
        beat = self._map.heartbeat
        if not self._identified:
            self._send_text(now, self._map.identify.ask)
        elif beat is not None:
            self._send_text(now, beat.ask)

    def _send_text(self, now: int, text: str) -> None:
        if text:
            self._link.send(now, text)

    def _take(self, now: int, message: LinkMessage) -> int | None:
        """Report a message; return how it is acknowledged, see `MessageLink.settle`."""
        said = self._reading.read(message.text)
        if isinstance(said, MatchedIdentity):
            self._welcome(now, said)
            return 0
        if not self._identified:
            self._before += len(message.text)
            return None  # a device that keeps its messages sends this one again
        self._heard = now
        if message.missed is not None:
            first, last = message.missed
            self._report(DeviceGap(first=first, last=last))
        if isinstance(said, NonEvent):
            if not self._answered(message.text) and said.what == "unknown" and not self._unknown_reported:
                self._unknown_reported = True
                self._report(DeviceUnknown(code=0))  # reported once, without the line: it may hold a card
            return 0
        self._counter = message.position or self._counter + 1
        self._report(DeviceSuspect(reason=DOUBTFUL) if message.doubtful else said, self._counter)
        return self._counter

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
            self._link.identified(now)
            if not self._continues:
                self._report(DeviceRestarted(boot=self._boot))

    def _answered(self, line: str) -> bool:
        """Return whether the line answers the pending command."""
        if self._waiting is None:
            return False
        request, command, _ = self._waiting
        mapped = self._map.commands[command]
        refused = mapped.refused is not None and re2.fullmatch(mapped.refused, line) is not None
        if not refused and (mapped.pattern is None or re2.fullmatch(mapped.pattern, line) is None):
            return False
        self._outcome(request, command, "refused" if refused else "done")
        return True

    def _delivered(self, delivery: Delivery) -> None:
        """Conclude the pending command where its acknowledgement, or the lack of one, decides it."""
        if self._waiting is None or self._waiting[0] != delivery.request:
            return
        request, command, _ = self._waiting
        if not delivery.done:
            self._outcome(request, command, "timeout")
        elif self._map.commands[command].pattern is None:
            self._outcome(request, command, "done")

    def _expire(self, now: int) -> None:
        if self._waiting is not None and now >= self._waiting[2]:
            request, command, _ = self._waiting
            self._outcome(request, command, "timeout")

    def _outcome(self, request: str, command: CommandName, outcome: Literal["done", "refused", "timeout"]) -> None:
        self._waiting = None
        self._report(DeviceCommand(request=request, command=command, outcome=outcome))

    def _report(self, said: Said, counter: int = 0) -> None:
        self._reports.append(DeviceReport(self._boot, counter, said))

    def _turn(self) -> SessionOutput:
        """Return everything collected, and the time of the next query or deadline."""
        send, deliveries = self._link.take()
        for delivery in deliveries:
            self._delivered(delivery)
        reports = tuple(self._reports)
        self._reports.clear()
        ends = [self._asked + self._period] + ([] if self._waiting is None else [self._waiting[2]])
        if self._link.wake_at is not None:
            ends.append(self._link.wake_at)
        return SessionOutput(send, reports, min(ends))


def _link(reading: LineMatcher, expected: ExpectedDevice) -> MessageLink:
    """Return the link that the map asks for."""
    made = reading.map
    if made.framing is None:
        return LineLink(reading)
    if made.ack is None:
        return PlainFrameLink(made.framing, made.longest)
    return AcknowledgedLink(made.framing, made.ack, made, expected)
