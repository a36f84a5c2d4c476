"""Frames with acknowledgements and polls: one exchange at a time, each with a deadline and a number of tries.

A device keeps a message until it is acknowledged. So an event is acknowledged only when the log has stored it, and a
crash in between costs nothing: the device sends it again.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.frames import ControlToken, FrameBody, FrameCodec
from pitwarden_drivers.mapping.link import Delivery, LinkMessage
from pitwarden_drivers.mapping.link_rules import AckRule, FramingRule, control_tokens
from pitwarden_drivers.mapping.map_file import MapFile
from pitwarden_drivers.mapping.repeats import RepeatFilter

REST_OF_FRAME_MS: Final = 500  # longest pause inside a frame; operating systems deliver bytes within some 20 ms
# Messages that wait for the device. Beyond it a poll is dropped; its interval repeats it.
MAX_QUEUED: Final = 16


@dataclass(frozen=True, slots=True)
class _Message:
    """A message to the device that waits or is on its way."""

    text: str
    request: str = ""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """Sent bytes that are not answered yet; `until` is when it is sent again or given up."""

    kind: Literal["poll", "select", "message"]
    data: bytes
    until: int
    tries: int


class AcknowledgedLink:
    """Acknowledged frames of one dialogue. `known` is where the log left off with the device."""

    def __init__(self, framing: FramingRule, ack: AckRule, made: MapFile, known: ExpectedDevice) -> None:
        poll = made.poll
        self.heard_at = 0
        self._ack, self._poll = ack, poll
        self._codec = FrameCodec(framing, made.longest, control_tokens(ack, poll))
        self._repeats = RepeatFilter(ack, known, polled=poll is not None)
        self._queue: deque[_Message] = deque()
        self._exchange: _Exchange | None = None
        self._unstored: int | None = None
        self._numbered = False
        self._byte_at = self._polled_at = 0
        self._send = bytearray()
        self._deliveries: list[Delivery] = []

    @property
    def rejected(self) -> int:
        """Number of damaged frames."""
        return self._codec.rejected

    @property
    def dropped(self) -> int:
        """Number of bytes that belonged to no good frame."""
        return self._codec.dropped

    def feed(self, now: int, data: bytes) -> Iterator[LinkMessage]:
        """Yield the new messages that `data` completes."""
        if self._codec.holding and now - self._byte_at >= REST_OF_FRAME_MS:
            self._codec.discard()
        self._byte_at = now
        for item in self._codec.feed(data):
            if isinstance(item, FrameBody):
                yield from self._message(now, item.text)
            elif isinstance(item, ControlToken):
                self.heard_at = now
                self._control(now, item.name)
            elif self._unstored is None:
                self._send += bytes.fromhex(self._ack.bad)
        self._proceed(now)

    def identified(self, now: int) -> None:
        """Note that the device has proved to be the configured one."""
        self._repeats.identified(now)

    def settle(self, now: int, counter: int | None) -> None:
        """Acknowledge the message: now (0), when the event `counter` is stored, or not at all (None)."""
        if counter is None:
            self._repeats.forget()
        elif counter == 0:
            self._acknowledge_reply(now)
        else:
            self._unstored = counter

    def stored(self, now: int, counter: int) -> None:
        """Acknowledge the event that waited for this."""
        if self._unstored is not None and counter >= self._unstored:
            self._unstored = None
            self._acknowledge(now)
            self._proceed(now)

    def send(self, now: int, text: str, request: str = "") -> None:
        """Queue a message to the device; a question that already waits is not asked twice."""
        message = _Message(text, request)
        if message not in self._queue and len(self._queue) < MAX_QUEUED:
            self._queue.append(message)
        self._proceed(now)

    def tick(self, now: int) -> None:
        """Send again, give up, or poll."""
        if self._codec.holding and now - self._byte_at >= REST_OF_FRAME_MS:
            self._codec.discard()
        if self._unstored is not None:
            self.heard_at = now  # nothing is asked before the log has the event, so the device's silence shows nothing
        if self._exchange is not None and now >= self._exchange.until:
            self._again(now, self._exchange)
        self._proceed(now)

    def take(self) -> tuple[bytes, tuple[Delivery, ...]]:
        """Return and forget the bytes to send, and the deliveries since the last call."""
        send, deliveries = bytes(self._send), tuple(self._deliveries)
        self._send.clear()
        self._deliveries.clear()
        return send, deliveries

    @property
    def wake_at(self) -> int | None:
        """When the exchange must be repeated, or the device polled."""
        if self._exchange is not None:
            return self._exchange.until
        return None if self._poll is None or self._unstored is not None else self._polled_at + self._poll.every_ms

    def _message(self, now: int, text: str) -> Iterator[LinkMessage]:
        if self._poll is not None:
            if not text.startswith(self._poll.address):
                return  # another device of the same line answers; it is not this one's sign of life
            text = text.removeprefix(self._poll.address)
        self.heard_at = now
        self._answered(now)
        judged = self._repeats.judge(now, text)
        self._numbered = judged.position > 0
        if judged.verdict == "repeated":
            if self._unstored is None:  # its acknowledgement was lost
                self._acknowledge_reply(now)
            return
        yield LinkMessage(judged.body, judged.position, judged.verdict == "doubtful", judged.missed)

    def _answered(self, now: int) -> None:
        """End the poll that a message answers; where the map defines it so, it acknowledges the message sent."""
        if self._exchange is None:
            return
        if self._exchange.kind == "poll":
            self._exchange = None
            self._polled_at = now
        elif self._exchange.kind == "message" and self._ack.reply_acknowledges:
            self._delivered(done=True)

    def _control(self, now: int, name: str) -> None:
        exchange = self._exchange
        if name == "enquiry":
            self._send += bytes.fromhex(self._ack.good)
        elif name == "nothing":
            if exchange is not None and exchange.kind == "poll":
                self._exchange = None
                self._repeats.has_no_message()
        elif exchange is None or exchange.kind == "poll":
            return  # an answer to nothing
        elif name == "bad":
            self._again(now, exchange)
        elif exchange.kind == "select":
            self._start(now, "message", self._codec.encode(self._queue[0].text))
        else:
            self._delivered(done=True)

    def _again(self, now: int, exchange: _Exchange) -> None:
        """Repeat the exchange or give it up. A poll that nothing answers is due again."""
        if exchange.kind == "poll":
            self._exchange = None
        elif exchange.tries >= self._ack.retries:
            self._delivered(done=False)
        else:
            self._send += exchange.data
            self._exchange = replace(exchange, until=now + self._ack.answer_ms, tries=exchange.tries + 1)

    def _delivered(self, *, done: bool) -> None:
        message = self._queue.popleft()
        self._exchange = None
        if message.request:
            self._deliveries.append(Delivery(message.request, done))

    def _proceed(self, now: int) -> None:
        """Begin the next exchange: a message that waits, else a poll that is due."""
        if self._exchange is not None or self._unstored is not None:
            return
        if self._queue:
            self._begin_message(now)
        elif self._poll is not None and now - self._polled_at >= self._poll.every_ms:
            self._polled_at = now
            self._start(now, "poll", bytes.fromhex(self._poll.ask))

    def _begin_message(self, now: int) -> None:
        if self._poll is not None and self._poll.select is not None:
            self._start(now, "select", bytes.fromhex(self._poll.select))
        else:
            self._start(now, "message", self._codec.encode(self._queue[0].text))

    def _start(self, now: int, kind: Literal["poll", "select", "message"], data: bytes) -> None:
        self._send += data
        self._exchange = _Exchange(kind, data, now + self._ack.answer_ms, 0)

    def _acknowledge_reply(self, now: int) -> None:
        """Acknowledge a message that is no event, where the device expects that. Numbered messages always are."""
        if self._numbered or self._ack.acknowledge_replies:
            self._acknowledge(now)

    def _acknowledge(self, now: int) -> None:
        self._send += bytes.fromhex(self._ack.good)
        self._repeats.settled(now)
