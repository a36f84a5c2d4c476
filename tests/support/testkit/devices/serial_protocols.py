"""Devices that keep a message until it is acknowledged, for the example maps `framed-shoe` and `polled-shuffler`.

Their frames follow ISO 1745 (STX, ETX, ENQ, ACK, NAK, EOT). Their checks come from the library crccheck, so that a
mistake in the map driver's own checksums cannot hide here.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from crccheck.checksum import ChecksumXor8
from crccheck.crc import Crc16Arc

from pitwarden_drivers.api import Family

STX, ETX, EOT, ENQ, ACK, NAK = b"\x02", b"\x03", b"\x04", b"\x05", b"\x06", b"\x15"
REPEAT_MS: Final = 400


@dataclass
class FramedShoe:
    """Shoe with frames STX body ETX BCC. Its events are numbered 0 to 9; answers to queries are not."""

    serial: str = "S-9"
    family: Family = "shoe"
    outbox: deque[str] = field(default_factory=deque)
    number: int = 0
    sent_at: int | None = None
    locked: bool = False
    accepts: bool = True
    heard: bytes = b""

    def happens(self, body: str) -> None:
        """Keep an event until it is acknowledged."""
        self.outbox.append(body)

    def receive(self, now: int, data: bytes) -> bytes:
        """Answer control bytes and whole frames; damaged frames get NAK."""
        self.heard += data
        said = b""
        while self.heard:
            if self.heard[:1] == STX:
                end = self.heard.find(ETX)
                if end < 0 or len(self.heard) < end + 2:
                    break
                body, check = self.heard[1:end], self.heard[end + 1]
                self.heard = self.heard[end + 2 :]
                good = check == ChecksumXor8.calc(body + ETX) and body.isascii()  # two damages can cancel in the check
                said += self._asked(body.decode()) if good else NAK
                continue
            control, self.heard = self.heard[:1], self.heard[1:]
            if control == ACK and self.sent_at is not None:
                self.outbox.popleft()
                self.number, self.sent_at = (self.number + 1) % 10, None
            elif control == NAK:
                self.sent_at = None
        return said + self.tick(now)

    def tick(self, now: int) -> bytes:
        """Send the first event, and again when nothing acknowledged it."""
        if not self.outbox or (self.sent_at is not None and now - self.sent_at < REPEAT_MS):
            return b""
        self.sent_at = now
        return self.frame(f"{self.number}{self.outbox[0]}")

    def wake_at(self, now: int) -> int | None:
        """When `tick` has something to send."""
        if not self.outbox:
            return None
        return now if self.sent_at is None else self.sent_at + REPEAT_MS

    @staticmethod
    def frame(body: str) -> bytes:
        """Return the frame around `body`."""
        inner = body.encode() + ETX
        return STX + inner + bytes((ChecksumXor8.calc(inner),))

    def _asked(self, body: str) -> bytes:
        if body in {"S0", "S1"}:
            self.locked = self.accepts and body == "S1"
            return ACK if self.accepts else NAK
        return ACK + self.frame(f"I{self.serial}/1.0" if body == "I" else "OK")


@dataclass
class PolledShuffler:
    """Shuffler that speaks only when EOT, its address and ENQ poll it, and listens only when it is selected."""

    serial: str = "F-9"
    family: Family = "shuffler"
    address: str = "07"
    outbox: deque[str] = field(default_factory=deque)
    heard: bytes = b""
    polls: int = 0
    on_way: str | None = None

    def happens(self, body: str) -> None:
        """Keep an event until it is acknowledged."""
        self.outbox.append(body)

    def receive(self, now: int, data: bytes) -> bytes:  # noqa: ARG002  it answers at once
        """Answer polls, selections and whole frames."""
        self.heard += data
        poll, select = EOT + self.address.encode() + ENQ, EOT + self.address.encode() + b"S" + ENQ
        said = b""
        while self.heard:
            if self.heard.startswith(poll):
                self.heard = self.heard[len(poll) :]
                self.polls += 1
                self.on_way = self.outbox[0] if self.outbox else None
                said += EOT if self.on_way is None else self.frame(self.on_way)
            elif self.heard.startswith(select):
                self.heard = self.heard[len(select) :]
                said += ACK
            elif self.heard[:1] == STX:
                end = self.heard.find(ETX)
                if end < 0 or len(self.heard) < end + 5:
                    break
                body, check = self.heard[1:end], self.heard[end + 1 : end + 5]
                self.heard = self.heard[end + 5 :]
                good = check == b"%04X" % Crc16Arc.calc(body + ETX)
                said += ACK if good else NAK
                if good and body == b"WHO" and not (self.outbox and self.outbox[0].startswith("IS ")):
                    self.outbox.appendleft(f"IS {self.serial} V3.2")
            elif poll.startswith(self.heard) or select.startswith(self.heard):
                break
            else:
                if self.heard[:1] == ACK and self.on_way is not None:
                    self.outbox.remove(self.on_way)
                    self.on_way = None
                self.heard = self.heard[1:]
        return said

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it speaks when it is polled
        """Say nothing."""
        return b""

    def wake_at(self, now: int) -> int | None:  # noqa: ARG002  it speaks when it is polled
        """Return that it never wakes."""
        return None

    def frame(self, body: str) -> bytes:
        """Return the frame around the address and `body`."""
        inner = (self.address + body).encode() + ETX
        return STX + inner + b"%04X" % Crc16Arc.calc(inner)
