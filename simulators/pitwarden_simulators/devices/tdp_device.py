"""Line side of a simulated TDP 1 device (drivers/pitwarden_drivers/tdp/SPEC.md), independent of what it senses."""

from collections.abc import Callable
from typing import Final

from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import Family
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.commands import lamps_from_frame
from pitwarden_drivers.tdp.frames_device import HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, IdentifyFrame, LampFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import COUNT, list_frames
from pitwarden_drivers.tdp.wire import Frame, decode, encode
from pitwarden_simulators.devices.memory import Memory

DONE, REFUSED, LATCHED, TOO_LATE = 0, 1, 2, 3
LOCK, UNLOCK, REPORT_COUNT = 1, 2, 3
_COUNT_BYTES: Final = 2
_MOD: Final = 2**32
_PAST: Final = 2**31


class TdpDevice:
    """Device on one line. `count` returns the number of cards in each of its compartments."""

    def __init__(
        self,
        family: Family,
        serial: str,
        memory: Memory,
        *,
        count: Callable[[], tuple[int, ...]] = lambda: (),
        heartbeat_ms: int = 1_000,
        firmware: str = "1.0.0-sim",
    ) -> None:
        self.memory = memory
        self.locked = False
        self._family = family
        self._serial = serial
        self._firmware = firmware
        self._count = count
        self._heartbeat_ms = heartbeat_ms
        self._framer = Framer()
        self._streaming = False
        self._sent = 0
        self._next_beat = 0
        self._answered: tuple[int | None, bytes] = (None, b"")
        self._started: int | None = None
        self._lit = Lamps(), 0

    def reboot(self) -> None:
        """Restart the firmware: it forgets the dialogue, not the events."""
        self.memory.reboot()
        self._framer, self._streaming, self._sent, self._answered = Framer(), False, 0, (None, b"")
        self._started, self._lit = None, (Lamps(), 0)

    def receive(self, now: int, data: bytes) -> bytes:
        """Process bytes from the host and return the bytes that the device sends at once."""
        frames = (decode(found.content) for found in self._framer.feed(data) if isinstance(found, GoodFrame))
        return b"".join(self._answer(now, frame) for frame in frames if isinstance(frame, Frame)) + self.tick(now)

    def tick(self, now: int) -> bytes:
        """Return the bytes that are due at `now`, or after a sensed event."""
        out = self._stream()
        if now >= self._next_beat:
            self._next_beat = now + self._heartbeat_ms
            oldest = next((kept.counter for kept in self.memory.after(self.memory.boot, 0)), self._sent + 1)
            out += encode(HeartbeatFrame(self.memory.boot, oldest, self._sent, self._clock(now)))
        return out

    def wake_at(self, now: int) -> int | None:
        """Return when `tick` has bytes to send."""
        return now if self._streaming and self._sent < self.memory.newest else self._next_beat

    def lamps(self, now: int) -> Lamps:
        """Return the lamps of a keypad: the last frame's, while it holds."""
        shown, until = self._lit
        return shown if now < until else Lamps()

    def _clock(self, now: int) -> int:
        """Return the device's own clock, which started with it; never 0."""
        self._started = now if self._started is None else self._started
        return (now - self._started + 1) % _MOD or 1

    def _stream(self) -> bytes:
        if not self._streaming:
            return b""
        fresh = self.memory.after(self.memory.boot, self._sent)
        self._sent = self.memory.newest
        return b"".join(kept.frames for kept in fresh)

    def _answer(self, now: int, frame: Frame) -> bytes:
        match frame:
            case IdentifyFrame():
                return self._identity(now, frame)
            case ResumeFrame():
                return self._resume(frame)
            case AckFrame():
                self.memory.forget(frame.boot, frame.counter)
            case CommandFrame():
                return self._command(now, frame)
            case LampFrame() if self._family == "keypad":
                self._lit = lamps_from_frame(frame) or Lamps(), now + frame.hold
        return b""

    def _identity(self, now: int, asked: IdentifyFrame) -> bytes:
        self._streaming = False
        memory = self.memory
        identity = IdentityFrame(
            asked.token, self._family, memory.boot, memory.newest, self._heartbeat_ms, self._serial, self._firmware,
            clock=self._clock(now),
        )  # fmt: skip
        return encode(identity)

    def _resume(self, asked: ResumeFrame) -> bytes:
        backlog = self.memory.backlog(asked.boot, asked.after)
        self._streaming = asked.boot == self.memory.boot
        if self._streaming:
            self._sent = asked.after
            return encode(backlog) + self._stream()
        return encode(backlog) + b"".join(kept.frames for kept in self.memory.after(asked.boot, asked.after))

    def _command(self, now: int, asked: CommandFrame) -> bytes:
        if asked.request != self._answered[0]:
            late = asked.until != 0 and (asked.until - self._clock(now)) % _MOD >= _PAST
            self._answered = (asked.request, encode(ReplyFrame(asked.request, TOO_LATE)) if late else self._obey(asked))
        return self._answered[1]

    def _obey(self, asked: CommandFrame) -> bytes:
        if asked.code == REPORT_COUNT:
            counts = b"".join(count.to_bytes(_COUNT_BYTES, "big") for count in self._count())
            return encode(*list_frames(COUNT, 0, asked.request, counts), ReplyFrame(asked.request, DONE))
        if asked.code == UNLOCK and self.memory.latched is not None:
            return encode(ReplyFrame(asked.request, LATCHED))
        if asked.code not in {LOCK, UNLOCK}:
            return encode(ReplyFrame(asked.request, REFUSED))
        self.locked = asked.code == LOCK
        return encode(ReplyFrame(asked.request, DONE))
