"""Field sides of all tables, and a consumer of all verdicts, on one connection.

Rows leave at a steady rate and are repeated until a judge has stored them, as a field half does. Every verdict that was
ever published is kept by table and number, with the hash of its bytes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.codec import BadPayloadError, decode, digest, encode
from pitwarden_client.events.envelope import OutputEvent
from pitwarden_client.events.status import ConsumerPosition, PartStatus, ReplayRequest
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.bench.feed import Feed

if TYPE_CHECKING:
    from pitwarden.field.log.row_builder import BuiltRow

CONSUMER: Final = "takeover"
REPLAYED: Final = 1_000
"""Verdicts of one replay."""
WINDOW: Final = 64
AGAIN_S: Final = 1.0
_STEP_S: Final = 0.05


class FieldSide:
    """Field side of one table: its rows, and what its judges published."""

    def __init__(self, name: str, signer: SigningKey, judge: PublicKey) -> None:
        self.feed = Feed(name, signer, judge)
        self.rows: list[BuiltRow] = []
        self.sent = self.stored = 0
        self.moved_s = 0.0
        self.run = ""
        self.owned_s = 0.0
        """When the judge that is online now came online."""
        self._stored_before = 0
        """Rows that were stored before it came online."""
        self.verdicts: defaultdict[int, set[str]] = defaultdict(set)
        self.published = 0
        self.stored_s: list[float] = []
        """Time of each row from its first publication until a judge had stored it."""
        self._sent_s: dict[int, float] = {}

    @property
    def is_judged(self) -> bool:
        """True once the judge that is online now has stored a row."""
        return self.stored > self._stored_before

    def note_owned(self, run: str, now_s: float) -> None:
        """Note that a judge came online with another run."""
        self.run, self.owned_s, self._stored_before = run, now_s, self.stored

    def note_lost(self, stored: int) -> None:
        """Note that a judge begins after `stored` rows: fewer than before where a failover lost the last commits."""
        self.sent, self.stored = min(self.sent, stored), min(self.stored, stored)
        self._stored_before = min(self._stored_before, stored)

    def note_sent(self, number: int, now_s: float) -> None:
        """Note the first publication of a row."""
        self._sent_s.setdefault(number, now_s)

    def note_stored(self, upto: int, now_s: float) -> None:
        """Note that a judge has stored the rows up to `upto`."""
        self.stored_s += [now_s - at for n in range(self.stored + 1, upto + 1) if (at := self._sent_s.pop(n, None))]
        self.stored, self.moved_s = upto, now_s


class Fields:
    """Field sides of `names`. `rate` rows a second leave for each table while `playing`.

    With a rate of 0 a table's next row leaves when the one before is stored.
    """

    def __init__(
        self, broker: BrokerSettings, names: Sequence[str], keys: tuple[SigningKey, PublicKey], rate: float
    ) -> None:
        self.tables = {name: FieldSide(name, *keys) for name in names}
        self._rate = rate
        self.playing = True
        self._loop = asyncio.get_running_loop()
        filters = []
        for side in self.tables.values():
            topics = side.feed.topics
            filters += [topics.status("judge"), topics.position("judge"), topics.irregularities, topics.reveals]
            filters.append(topics.replay(CONSUMER, "outputs"))
        self.up = asyncio.Event()
        self._link = Link(
            broker, "takeover-fields", None, filters,
            on_message=self._heard, on_up=lambda _: self.up.set(), on_down=lambda _: None, retry=LinkBackoff(),
        )  # fmt: skip

    async def run(self) -> None:
        """Play until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._link.run(), name="fields link")
            group.create_task(self._play(), name="fields rows")

    def is_settled(self) -> bool:
        """Return whether every row that was sent is stored."""
        return all(side.stored == len(side.rows) for side in self.tables.values())

    def request(self, name: str, output: int, hashed: str | None) -> None:
        """Request the verdicts of a table after number `output`, whose hash is `hashed`, as a consumer does."""
        topics = self.tables[name].feed.topics
        wanted = ReplayRequest(id=f"after-{output}", of="outputs", output=output, hash=hashed, limit=REPLAYED)
        self._link.publish(topics.replay_request(CONSUMER), encode(wanted))

    async def _play(self) -> None:
        begun, made = self._loop.time(), 0.0
        while True:
            await asyncio.sleep(_STEP_S)
            now = self._loop.time()
            due = (now - begun) * self._rate * len(self.tables)
            if self.playing and not self._rate:
                for side in self.tables.values():
                    if side.stored == len(side.rows):
                        side.rows.append(next(side.feed))
            elif self.playing:
                for _ in range(int(due - made)):
                    side = list(self.tables.values())[int(made) % len(self.tables)]
                    side.rows.append(next(side.feed))
                    made += 1
            else:
                made = due
            for side in self.tables.values():
                self._send(side, now)

    def _send(self, side: FieldSide, now: float) -> None:
        if side.sent > side.stored and now - max(side.moved_s, side.owned_s) > AGAIN_S:
            side.sent, side.moved_s = side.stored, now
        for number in range(side.sent + 1, min(len(side.rows), side.stored + WINDOW) + 1):
            row = side.rows[number - 1]
            self._link.publish(side.feed.topic(row), row.stored.body)
            side.note_sent(number, now)
            side.sent = number

    def _heard(self, message: InboundMessage) -> None:
        message.ack()
        side = self.tables[message.topic.split("/")[3]]
        now = self._loop.time()
        if "/positions/" in message.topic:
            said = decode(ConsumerPosition, message.payload)
            stored = 0 if said.at is None else said.at.number
            if said.hello:
                side.note_lost(stored)  # those rows are sent once more
            if stored > side.stored:
                side.note_stored(stored, now)
        elif "/status/" in message.topic:
            status = decode(PartStatus, message.payload)
            if status.online and status.run != side.run:
                side.note_owned(status.run, now)
        else:
            try:
                event = decode(OutputEvent, message.payload)
            except BadPayloadError:
                side.verdicts[-1].add(digest(message.payload))
                return
            side.verdicts[event.outputseq].add(digest(message.payload))
            side.published += 1
