"""Links without acknowledgements: each message is sent once, and what is read is not confirmed."""

from collections.abc import Iterator

from pitwarden_drivers.mapping.frames import FrameBody, FrameCodec
from pitwarden_drivers.mapping.lines import LineSplitter
from pitwarden_drivers.mapping.link import Delivery, LinkMessage
from pitwarden_drivers.mapping.link_rules import FramingRule
from pitwarden_drivers.mapping.matcher import LineMatcher


class _PlainLink:
    """Methods that have no effect when nothing is acknowledged."""

    def __init__(self) -> None:
        self.heard_at = 0
        self.wake_at: int | None = None
        self._unsent = bytearray()

    def identified(self, now: int) -> None:
        """Do nothing: no message comes again."""

    def settle(self, now: int, counter: int | None) -> None:
        """Do nothing: messages are not acknowledged."""

    def stored(self, now: int, counter: int) -> None:
        """Do nothing: messages are not acknowledged."""

    def tick(self, now: int) -> None:
        """Do nothing: a message is sent once."""

    def take(self) -> tuple[bytes, tuple[Delivery, ...]]:
        """Return and forget the bytes to send."""
        unsent = bytes(self._unsent)
        self._unsent.clear()
        return unsent, ()


class LineLink(_PlainLink):
    """Lines, with their checksum where the map asks for one."""

    def __init__(self, reading: LineMatcher) -> None:
        super().__init__()
        self._reading = reading
        self._end = reading.map.end.encode()
        self._lines = LineSplitter(self._end, reading.map.longest)
        self._wrong_sums = 0

    @property
    def rejected(self) -> int:
        """Number of lines that were too long, not printable, or had a wrong checksum."""
        return self._lines.rejected + self._wrong_sums

    @property
    def dropped(self) -> int:
        """Number of bytes that were too long or not printable."""
        return self._lines.dropped

    def feed(self, now: int, data: bytes) -> Iterator[LinkMessage]:  # noqa: ARG002  a line has no deadline
        """Yield the lines that `data` completes, without their checksums."""
        for line in self._lines.feed(data):
            body = self._reading.body(line)
            if body is None:
                self._wrong_sums += 1
            else:
                yield LinkMessage(body)

    def send(self, now: int, text: str, request: str = "") -> None:  # noqa: ARG002  a line has no deadline
        """Send a line, with its checksum where the map defines how it is written."""
        self._unsent += self._reading.outgoing(text).encode("ascii") + self._end


class PlainFrameLink(_PlainLink):
    """Frames that nothing acknowledges."""

    def __init__(self, framing: FramingRule, longest: int) -> None:
        super().__init__()
        self._codec = FrameCodec(framing, longest, {})

    @property
    def rejected(self) -> int:
        """Number of damaged frames."""
        return self._codec.rejected

    @property
    def dropped(self) -> int:
        """Number of bytes that belonged to no good frame."""
        return self._codec.dropped

    def feed(self, now: int, data: bytes) -> Iterator[LinkMessage]:  # noqa: ARG002  a torn frame ends at the next start
        """Yield the bodies of the frames that `data` completes."""
        for item in self._codec.feed(data):
            if isinstance(item, FrameBody):
                yield LinkMessage(item.text)

    def send(self, now: int, text: str, request: str = "") -> None:  # noqa: ARG002  a frame is sent once
        """Send a frame."""
        self._unsent += self._codec.encode(text)
