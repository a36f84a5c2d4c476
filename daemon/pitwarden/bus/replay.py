"""Replay of a journal to consumers that request what they missed, after the live traffic and at a bounded rate.

Threat: a client that requests without end. One request waits for each consumer, the number of waiting consumers is
bounded, and a page is sent only when the broker has acknowledged the one before.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, Literal, Protocol

import structlog

from pitwarden.bus.messages import InboundMessage, Publisher
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError

# Rows of a replay that are published at once. Rows for the judge go in between.
PAGE_ROWS: Final = 50
PAGE_S: Final = 0.02  # so at most 2,500 rows a second leave here
# Consumers whose requests wait. A further one receives the answer that the table is busy, and requests again.
WAITING: Final = 32

Refusal = Literal["trimmed", "not_ours"]

_log = structlog.get_logger()


class ReplaySource(Protocol):
    """Journal, as the source of a replay."""

    async def find(self, wanted: ReplayRequest) -> int | Refusal:
        """Return the place after which the requested rows begin, or the reason why there is no such place."""
        ...

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """Return at most `limit` rows after `place`, each with its place."""
        ...


class ReplayServer(WakeableLoop):
    """Replay of one chain, `log` or `outputs`, of one table. `run` serves one request at a time."""

    def __init__(
        self,
        of: Literal["log", "outputs"],
        topics: Topics,
        source: ReplaySource,
        link: Publisher,
    ) -> None:
        super().__init__()
        self._of, self._topics, self._source, self._link = of, topics, source, link
        self._waiting: OrderedDict[str, ReplayRequest] = OrderedDict()

    @property
    def waiting(self) -> int:
        """Number of requests that wait."""
        return len(self._waiting)

    def on_request(self, message: InboundMessage) -> None:
        """Accept a request. Ignore a retained one, one for the other chain, and one from no consumer."""
        consumer = self._topics.consumer(message.topic)
        if consumer is None or message.retained:
            return
        try:
            wanted = decode(ReplayRequest, message.payload)
        except BadPayloadError as error:
            if self._of == "log":  # only one of the two halves replies
                self._reply(
                    consumer, ReplayReply(id="unreadable", of="log", refused="unreadable", reason=str(error)[:500])
                )
            return
        if wanted.of != self._of:
            return
        if consumer not in self._waiting and len(self._waiting) >= WAITING:
            self._reply(consumer, ReplayReply(id=wanted.id, of=self._of, refused="busy"))
            return
        self._waiting[consumer] = wanted  # a newer request replaces one that still waits
        self.wake()

    async def _turn(self) -> None:
        while self._waiting:
            consumer, wanted = self._waiting.popitem(last=False)
            self.progress += 1
            try:
                self._reply(consumer, await self._serve(consumer, wanted))
            except BusError as error:  # the consumer requests it again after reconnecting
                _log.info("replay cut short", consumer=consumer, reason=str(error))

    async def _serve(self, consumer: str, wanted: ReplayRequest) -> ReplayReply:
        place = await self._source.find(wanted)
        if isinstance(place, str):
            return ReplayReply(id=wanted.id, of=self._of, refused=place)
        topic = self._topics.replay(consumer, self._of)
        sent, more = 0, True
        while more and sent < wanted.limit:
            # One row more than is sent, to know without another query whether any remain.
            rows = await self._source.page(place, min(PAGE_ROWS, wanted.limit - sent) + 1)
            now = rows[: min(PAGE_ROWS, wanted.limit - sent)]
            more = len(rows) > len(now)
            for taken in [self._link.publish(topic, body) for _, body in now]:
                await taken
            sent += len(now)
            place = now[-1][0] if now else place
            self.progress += 1
            await asyncio.sleep(PAGE_S)
        return ReplayReply(id=wanted.id, of=self._of, sent=sent, more=more)

    def _reply(self, consumer: str, reply: ReplayReply) -> None:
        self._link.publish(self._topics.replay_reply(consumer), encode(reply))
