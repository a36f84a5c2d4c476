"""Both chains of one table merged for one consumer: an output never comes before its row. No I/O.

Live rows, replays and answers go in; items and requests come out. The adversary is a network that loses, repeats and
reorders, halves that go and come, and a consumer that is slower than the table.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from pitwarden.client.cards import proved
from pitwarden.client.catchup import LIMIT, CatchUp, Chain
from pitwarden.client.items import Break, Card, Cursor, Item, Row, Said
from pitwarden.client.logs import LogReader, Start
from pitwarden.client.outputs import OutputFollower, OutputRow
from pitwarden.client.trust import Believed, anybody
from pitwarden.events.base import Position
from pitwarden.events.codec import BadPayloadError
from pitwarden.events.envelope import GENESIS
from pitwarden.events.outputs import ReaderRevealed, Reveal
from pitwarden.events.status import ReplayReply, ReplayRequest
from pitwarden.events.table import Head

MAX_ITEMS: Final = 2_000  # what a consumer has not taken; what comes above it is asked for again later
ROOM: Final = LIMIT + 200


class Follower:
    """One consumer of one table. Feed it what happens with the time in ms; take `items` and send `requests`."""

    def __init__(
        self, source: str, cursor: Cursor, start: Start, name: Callable[[], str], believed: Believed = anybody
    ) -> None:
        """`name` gives each request its id; `believed` tells whether the field half signed an epoch's opening."""
        self.items: deque[Item] = deque()
        self.garbage = 0
        """How many messages were no row or output at all, and were passed over."""
        self._log = LogReader(source, cursor, start, believed)
        self._outputs = OutputFollower(cursor.output, cursor.output_hash)
        self._outputs_float = cursor.output == 0 and start == "now"
        self._early: deque[OutputRow] = deque()
        self._chains: dict[Chain, CatchUp] = {"log": CatchUp(), "outputs": CatchUp()}
        self._page: dict[Chain, list[bytes]] = {"log": [], "outputs": []}
        self._reached: Position | None = None
        self._name = name
        self._shown_output, self._shown_hash = cursor.output, cursor.output_hash

    @property
    def caught_up(self) -> bool:
        """Whether all that was said before the link came up has been given out or waits in `items`."""
        return all(chain.caught_up and not chain.wanted for chain in self._chains.values()) and not self._early

    def link(self, *, up: bool) -> None:
        """The link came or went; after it came, both chains are read on from where the consumer stands."""
        for chain in self._chains.values():
            chain.link(up=up)
        if up and self._log.waits_for_live:
            self._chains["log"].answered(0, again=False)
        if up and self._outputs_float:
            self._chains["outputs"].answered(0, again=False)

    def head(self, head: Head) -> None:
        """The retained head came: rows up to it exist."""
        self._log.head(head)
        taken = self._log.taken
        if taken is None or taken.at.epoch != head.at.epoch or taken.at.number < head.at.number:
            self._chains["log"].wanted = True

    def outputs_reach(self, number: int) -> None:
        """The state says that outputs up to `number` exist."""
        if number > self._outputs.last and not self._outputs_float:
            self._chains["outputs"].wanted = True

    def row(self, payload: bytes, now: int, *, replayed: bool = False) -> None:
        """A row of the log came."""
        if not self._admitted("log", payload, now, replayed=replayed):
            return
        self._take_row(payload, replayed=replayed)
        chain = self._chains["log"]
        chain.wanted = chain.wanted or self._log.gap

    def output(self, payload: bytes, now: int, *, replayed: bool = False) -> None:
        """An output of the judge came."""
        if not self._admitted("outputs", payload, now, replayed=replayed):
            return
        self._take_output(payload)
        chain = self._chains["outputs"]
        chain.wanted = chain.wanted or self._outputs.gap

    def reply(self, reply: ReplayReply, now: int) -> None:
        """The end of a replay, or why there is none."""
        chain = self._chains[reply.of]
        if reply.id != chain.waiting:
            return
        if reply.refused in {"busy", "unreadable"}:
            chain.answered(now, again=True, later=True)
            return
        if reply.refused:
            self._refused(reply.of, reply.refused)
            chain.answered(now, again=True)
            return
        page, self._page[reply.of] = self._page[reply.of], []
        whole = chain.got >= reply.sent
        again = reply.more or not whole
        for payload in page if whole else ():
            self._take_row(payload, replayed=True) if reply.of == "log" else self._take_first(payload)
        if not again and reply.of == "outputs":
            if self._outputs_start:
                self._outputs.hash = GENESIS  # nothing was said yet
            self._outputs.caught_up()
        elif not again:
            again = self._log.caught_up()
        chain.answered(now, again=again)
        self._release()

    def requests(self, now: int) -> Iterator[ReplayRequest]:
        """What to ask for now; call it after anything happened, and a few times a second."""
        for of, chain in self._chains.items():
            if not chain.due(now) or len(self.items) > MAX_ITEMS - ROOM or (of == "log" and self._ahead):
                continue
            ident = self._name()
            chain.asked(ident, now)
            self._page[of] = []
            if of == "log":
                taken = self._log.taken
                at, held = (None, None) if taken is None else (taken.at, taken.hash)
                yield ReplayRequest(id=ident, of=of, after=at, hash=held, limit=LIMIT)
            else:
                yield ReplayRequest(id=ident, of=of, output=self._outputs.last, hash=self._outputs.hash, limit=LIMIT)

    def _admitted(self, of: Chain, payload: bytes, now: int, *, replayed: bool) -> bool:
        """Whether to take a message now: not without room, and not the first page of a chain before it is whole."""
        chain = self._chains[of]
        if replayed:
            chain.heard(now)
        if len(self.items) + len(self._early) >= MAX_ITEMS + (LIMIT if replayed else 0):
            chain.dropped = chain.wanted = True
            return False
        floats = self._log.floats if of == "log" else self._outputs_start
        if replayed and floats:
            if len(self._page[of]) < LIMIT:
                self._page[of].append(payload)
            return False
        if of == "outputs" and floats:
            chain.dropped = chain.wanted = True
            return False
        return True

    @property
    def _ahead(self) -> bool:
        """Whether the log has been read so far ahead of the outputs that their cards would not be kept."""
        outputs = self._chains["outputs"]
        if outputs.live or outputs.silent or self._reached is None:
            return False
        return self._log.cards.behind(self._reached.epoch, self._reached.number) > 2 * LIMIT

    @property
    def _outputs_start(self) -> bool:
        return self._outputs.hash is None and not self._outputs_float

    def _take_row(self, payload: bytes, *, replayed: bool = False) -> None:
        try:
            for row in self._log.read(payload, replayed=replayed):
                self._breaks()
                self.items.append(Row(row.at, row.body, row.event, row.reason, self._cursor()))
        except BadPayloadError:
            self.garbage += 1
        self._breaks()
        self._release()

    def _take_output(self, payload: bytes) -> None:
        try:
            if self._outputs_float:
                self._outputs.begin_at(payload)
                self._outputs_float = False
            self._early.extend(self._outputs.take(payload))
        except BadPayloadError:
            self.garbage += 1
        self._release()

    def _take_first(self, payload: bytes) -> None:
        """An output of the first page: where the chain begins."""
        if self._outputs_start:
            with suppress(BadPayloadError):  # counted below
                self._outputs.begin_at(payload)
            if self._outputs.last > 0:
                self._broken("outputs", f"outputs up to {self._outputs.last} are no longer kept")
        self._take_output(payload)

    def _refused(self, of: Chain, refusal: str) -> None:
        if of == "log":
            self._log.refused(refusal)
            self._breaks()
            return
        self._outputs = OutputFollower(0, None)
        self._shown_output, self._shown_hash = 0, None
        if refusal != "trimmed":  # the first output that is kept says so itself
            self._broken("outputs", "the place where this consumer stood is no output of this judge")

    def _breaks(self) -> None:
        while self._log.breaks:
            self._broken("log", self._log.breaks.popleft())

    def _broken(self, of: Chain, reason: str) -> None:
        self.items.append(Break(of, reason, self._cursor()))

    def _release(self) -> None:
        """Outputs whose rows have been given out."""
        while self._early and not self._waits(self._early[0]):
            output = self._early.popleft()
            self._shown_output, self._shown_hash = output.number, output.hash
            self._reached = Position(epoch=output.epoch, number=output.row)
            data = None if output.event is None else output.event.data
            card: Card | None = None
            proof: bool | None = None
            if isinstance(data, Reveal | ReaderRevealed):
                card = self._log.cards.find(data)
                proof = proved(card, data)
            self.items.append(
                Said(output.number, output.body, output.event, output.reason, card, proof, self._cursor())
            )
            self._log.cards.passed(self._reached)
        shown = self._log.shown
        if shown is not None and self._chains["outputs"].live and not self._early:
            self._log.cards.passed(shown.at)

    def _waits(self, output: OutputRow) -> bool:
        shown = self._log.shown
        if shown is not None and output.epoch == shown.at.epoch:
            return output.row > shown.at.number
        return output.epoch not in self._log.epochs and not self._chains["log"].caught_up

    def _cursor(self) -> Cursor:
        return Cursor(
            log=self._log.shown, output=self._shown_output, output_hash=self._shown_hash, cards=self._log.cards.since,
            epochs=self._log.epochs,
        )  # fmt: skip
