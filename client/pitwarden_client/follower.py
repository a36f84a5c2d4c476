"""Protocol state of one consumer of one table: accepted messages, replay requests, and whether it is caught up. No I/O.

Live rows, replays and replies go in; items and requests come out.

Threat: a network that loses, repeats and reorders, halves that restart, and a consumer that is slower than the table.
"""

from collections.abc import Callable, Iterator
from typing import Final

from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from pitwarden_client.events.table import Head
from pitwarden_client.items import Cursor
from pitwarden_client.log_reader import LogReader, OpeningCheck, Start, trust_any
from pitwarden_client.merge import LIMIT, Chain, ChainMerger, ReplayScheduler

MAX_ITEMS: Final = 2_000  # what a consumer has not taken; what comes above it is asked for again later
ROOM: Final = LIMIT + 200


class Follower:
    """Protocol state of a consumer. The owner passes in events with the time in ms, takes `items`, sends `requests`."""

    def __init__(
        self, source: str, cursor: Cursor, start: Start, name: Callable[[], str], is_trusted: OpeningCheck = trust_any
    ) -> None:
        """Start at `cursor` or `start`. `name` returns a new request id; `is_trusted` verifies an epoch's opening."""
        self._chains: dict[Chain, ReplayScheduler] = {"log": ReplayScheduler(), "outputs": ReplayScheduler()}
        self._page: dict[Chain, list[bytes]] = {"log": [], "outputs": []}
        self._name = name
        self._log = LogReader(source, cursor, start, is_trusted)
        self._merged = ChainMerger(self._log, cursor, start, self._chains)
        self.items = self._merged.items

    @property
    def garbage(self) -> int:
        """Number of messages that were not a row or output and were ignored."""
        return self._merged.garbage

    @property
    def caught_up(self) -> bool:
        """True once all earlier rows and outputs have been returned or wait in `items`."""
        return all(chain.caught_up and not chain.needed for chain in self._chains.values()) and not self._merged.early

    def link(self, *, up: bool) -> None:
        """Record a change of the link. Once up, both chains are read on from the consumer's position."""
        for chain in self._chains.values():
            chain.link(up=up)
        if up and self._log.waits_for_live:
            self._chains["log"].answered(0, again=False)
        if up and self._merged.outputs_float:
            self._chains["outputs"].answered(0, again=False)

    def head(self, head: Head) -> None:
        """Handle the retained head: rows up to it exist."""
        self._log.head(head)
        taken = self._log.taken
        if taken is None or taken.at.epoch != head.at.epoch or taken.at.number < head.at.number:
            self._chains["log"].needed = True

    def outputs_reach(self, number: int) -> None:
        """Record that outputs up to `number` exist, as the state reports."""
        if number > self._merged.outputs.last and not self._merged.outputs_float:
            self._chains["outputs"].needed = True

    def row(self, payload: bytes, now: int, *, replayed: bool = False) -> None:
        """Handle a row of the log."""
        if not self._admitted("log", payload, now, replayed=replayed):
            return
        self._merged.row(payload, replayed=replayed)
        chain = self._chains["log"]
        chain.needed = chain.needed or self._log.gap

    def output(self, payload: bytes, now: int, *, replayed: bool = False) -> None:
        """Handle an output of the judge."""
        if not self._admitted("outputs", payload, now, replayed=replayed):
            return
        self._merged.output(payload)
        chain = self._chains["outputs"]
        chain.needed = chain.needed or self._merged.outputs.gap

    def reply(self, reply: ReplayReply, now: int) -> None:
        """Handle the end of a replay, or its refusal."""
        chain = self._chains[reply.of]
        if reply.id != chain.waiting:
            return
        if reply.refused in {"busy", "unreadable"}:
            chain.answered(now, again=True, later=True)
            return
        if reply.refused:
            self._merged.refused(reply.of, reply.refused)
            chain.answered(now, again=True)
            return
        page, self._page[reply.of] = self._page[reply.of], []
        # The rows of a chain's first page wait for the reply that counts them: with one row lost, the chain would begin
        # too late.
        whole = chain.got >= reply.sent
        again = reply.more or not whole
        for payload in page if whole else ():
            self._merged.row(payload, replayed=True) if reply.of == "log" else self._merged.first_output(payload)
        if not again and reply.of == "outputs":
            if self._merged.outputs_start:
                self._merged.outputs.hash = GENESIS  # there is no output yet
            self._merged.outputs.caught_up()
        elif not again:
            again = self._log.caught_up()
        chain.answered(now, again=again)
        self._merged.release()

    def requests(self, now: int) -> Iterator[ReplayRequest]:
        """Yield the replay requests to send now. Call it after each event, and a few times a second."""
        for of, chain in self._chains.items():
            if not chain.due(now) or self._held(of) > MAX_ITEMS - ROOM or (of == "log" and self._ahead):
                continue
            ident = self._name()
            chain.requested(ident, now)
            self._page[of] = []
            if of == "log":
                taken = self._log.taken
                at, held = (None, None) if taken is None else (taken.at, taken.hash)
                yield ReplayRequest(id=ident, of=of, after=at, hash=held, limit=LIMIT)
            else:
                outputs = self._merged.outputs
                yield ReplayRequest(id=ident, of=of, output=outputs.last, hash=outputs.hash, limit=LIMIT)

    def _admitted(self, of: Chain, payload: bytes, now: int, *, replayed: bool) -> bool:
        """Return whether to accept a message now. It needs room, and a first page must be complete."""
        chain = self._chains[of]
        if replayed:
            chain.row_arrived(now)
        # A replayed page may exceed the limit: it was requested while there was room, and dropping it would request it
        # again and again.
        if self._held(of) >= MAX_ITEMS + (LIMIT if replayed else 0):
            chain.dropped = chain.needed = True
            return False
        floats = self._log.floats if of == "log" else self._merged.outputs_start
        if replayed and floats:
            if len(self._page[of]) < LIMIT:
                self._page[of].append(payload)
            return False
        if of == "outputs" and floats:
            chain.dropped = chain.needed = True
            return False
        return True

    def _held(self, of: Chain) -> int:
        """Return the number of items that take up room. Waiting outputs count for outputs, never for their rows."""
        return len(self.items) + (len(self._merged.early) if of == "outputs" else 0)

    @property
    def unanswered(self) -> bool:
        """True while the last request for earlier rows or outputs received no reply within its time."""
        return any(chain.silent for chain in self._chains.values())

    @property
    def _ahead(self) -> bool:
        """True while the log has been read so far ahead of the outputs that their cards would be dropped."""
        outputs, reached = self._chains["outputs"], self._merged.reached
        if outputs.live or outputs.silent or reached is None or self._merged.early:
            return False
        return self._log.cards.behind(reached.epoch, reached.number) > 2 * LIMIT
