"""Channel of a check to a device: frames out, frames in, and the verdict that an obligation is broken."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pitwarden_drivers.framing.stuffed import BadFrame, Framer
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame
from pitwarden_drivers.tdp.wire import Frame, MalformedFrame, UnknownFrame, decode, encode
from pitwarden_simulators.conformance.operator import BenchOperator
from pitwarden_simulators.conformance.wire import BenchWire

ANSWER_MS = 500
ReceivedFrame = Frame | UnknownFrame | MalformedFrame | BadFrame
F = TypeVar("F")


class BrokenObligationError(Exception):
    """The device violates the clause. Policy: the check failed; the next one begins."""


class NotPlayedError(Exception):
    """The clause cannot be played with this device here. Policy: the check neither passes nor fails."""


@dataclass
class BenchChannel:
    """Line to one device; `heard` holds every frame received, `raw` the bytes since the last `forget`."""

    wire: BenchWire
    operator: BenchOperator
    heard: list[tuple[int, ReceivedFrame]] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    # Every byte of it must be escaped.
    token: int = 0x11137D7E
    request: int = field(init=False)
    _framer: Framer = field(default_factory=Framer)
    _waiting: list[ReceivedFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.request = self.wire.now

    def send(self, *frames: Frame) -> None:
        """Send frames."""
        self.wire.send(encode(*frames))

    async def listen(self, ms: int) -> list[ReceivedFrame]:
        """Return all frames that arrive within `ms`."""
        end = self.wire.now + ms
        while (left := end - self.wire.now) > 0:
            self._take(await self.wire.receive(left))
        said, self._waiting = self._waiting, []
        return said

    async def first(self, kind: type[F], ms: int, fits: Callable[[F], bool] = lambda _: True) -> F | None:
        """Return the first frame of `kind` that fits, past any others; None when none arrived within `ms`."""
        end = self.wire.now + ms
        while True:
            while self._waiting:
                frame = self._waiting.pop(0)
                if isinstance(frame, kind) and fits(frame):
                    return frame
            left = end - self.wire.now
            if left <= 0:
                return None
            self._take(await self.wire.receive(left))

    async def identify(self) -> IdentityFrame:
        """Request the identity with a new token. Every check begins so."""
        self.token = (self.token + 1) & 0xFFFFFFFF
        self._waiting.clear()
        self.send(IdentifyFrame(self.token))
        found = await self.first(IdentityFrame, 5 * ANSWER_MS, lambda frame: frame.token == self.token)
        return must(found, "no Identity with the token of the Identify within 2.5 s")

    async def resume(self, boot: int, after: int, ms: int = ANSWER_MS) -> tuple[BacklogFrame, list[ReceivedFrame]]:
        """Request events; return the Backlog, and the frames after it within `ms`."""
        self.send(ResumeFrame(boot, after))
        backlog = await self.first(BacklogFrame, 5 * ANSWER_MS, lambda frame: frame.boot == boot)
        return must(backlog, f"no Backlog for the Resume of boot {boot} within 2.5 s"), await self.listen(ms)

    async def caused(self, events: int) -> IdentityFrame:
        """Make the device sense `events` more, none acknowledged; return its identity after that."""
        wanted = (await self.identify()).newest + events
        self.operator.cause(events)
        end = self.wire.now + self.operator.patience_ms
        while (found := await self.identify()).newest < wanted:
            if self.wire.now >= end:
                raise NotPlayedError(f"fewer than {events} events were sensed")
            await self.listen(ANSWER_MS)
        return found

    def _take(self, data: bytes) -> None:
        self.raw += data
        for found in self._framer.feed(data):
            frame = found if isinstance(found, BadFrame) else decode(found.content)
            self.heard.append((self.wire.now, frame))
            self._waiting.append(frame)


def must(found: F | None, words: str) -> F:
    """Return `found`.

    Raises:
        BrokenObligationError: It is None.
    """
    if found is None:
        raise BrokenObligationError(words)
    return found


def check(kept: bool, words: str) -> None:  # noqa: FBT001  a sentence reads best after its condition
    """Check a condition.

    Raises:
        BrokenObligationError: It does not hold.
    """
    if not kept:
        raise BrokenObligationError(words)


def counters(frames: list[ReceivedFrame]) -> list[int]:
    """Return the counters of the events among `frames`, a stack's at its beginning."""
    return [
        frame.counter if isinstance(frame, EventFrame) else frame.number
        for frame in frames
        if isinstance(frame, EventFrame) or (isinstance(frame, ListBeginFrame) and frame.boot)
    ]


def beats(frames: list[ReceivedFrame]) -> list[HeartbeatFrame]:
    """Return the heartbeats among `frames`."""
    return [frame for frame in frames if isinstance(frame, HeartbeatFrame)]
