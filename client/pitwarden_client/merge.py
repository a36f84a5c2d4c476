"""Merge of both chains of one table, and the scheduling of replay requests. No I/O; times are ms of one clock.

An output never comes before its row, and a reveal comes with its card.

Threat: silence. A half that is offline, a request or a reply that was lost, a server that is busy.
"""

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_client.card_index import is_proved
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError
from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_client.items import ChainBreak, Cursor, HiddenCard, Item, LogItem, OutputItem
from pitwarden_client.log_reader import LogReader, Start
from pitwarden_client.output_reader import OutputReader, ReceivedOutput

ANSWER_MS: Final = 3_000  # without a row or an answer for so long, ask again
# Delay in ms before a request is repeated to which the table answered that others go first.
BUSY_MS: Final = 1_000
# Rows or outputs in one request for a replay. The next request continues after them.
LIMIT: Final = 500

Chain = Literal["log", "outputs"]


@dataclass(slots=True)
class ReplayScheduler:
    """Replay state of one chain. `due` decides whether to request; the other methods report what happened."""

    needed: bool = False
    waiting: str = ""
    """Id of the request that is under way; empty without one."""
    caught_up: bool = False
    """True once a replay has reached the end since the link came up."""
    dropped: bool = False
    """True if something was dropped since the last request because there was no room."""
    got: int = 0
    """Number of rows that arrived since the last request."""
    silent: bool = False
    """True if the last request received no reply within its time."""
    _deadline: int = 0

    @property
    def live(self) -> bool:
        """True while nothing is known to be missing."""
        return self.caught_up and not self.needed and not self.waiting

    def link(self, *, up: bool) -> None:
        """Record a change of the link: requests under way are lost."""
        self.waiting, self.needed, self.caught_up, self.dropped, self._deadline = "", up, False, False, 0

    def due(self, now: int) -> bool:
        """Return whether to send a request now."""
        if self.waiting:
            return now >= self._deadline
        return self.needed and now >= self._deadline

    def requested(self, ident: str, now: int) -> None:
        """Record that a request was sent."""
        self.silent = bool(self.waiting) and self.got == 0
        self.waiting, self.needed, self.dropped = ident, False, False
        self.got, self._deadline = 0, now + ANSWER_MS

    def row_arrived(self, now: int) -> None:
        """Record that a row of a replay arrived, so its reply is under way."""
        self.got += 1
        self.silent = False
        self._deadline = now + ANSWER_MS

    def answered(self, now: int, *, again: bool, later: bool = False) -> None:
        """Record the reply. `again`: there is more to request; `later`: not at once."""
        self.waiting, self.needed, self.silent = "", again or self.dropped, False
        self._deadline = now + BUSY_MS if later else now
        self.caught_up = self.caught_up or not self.needed


class ChainMerger:
    """Merged items of a consumer, in `items`. `chains` holds the replay state of each chain."""

    def __init__(self, log: LogReader, cursor: Cursor, start: Start, chains: Mapping[Chain, ReplayScheduler]) -> None:
        self.items: deque[Item] = deque()
        self.garbage = 0
        """Number of messages that were not a row or output and were ignored."""
        self.log = log
        self.outputs = OutputReader(cursor.output, cursor.output_hash)
        self.outputs_float = cursor.output == 0 and start == "now"
        """No output yet: the first one that arrives is accepted as it is."""
        self.early: deque[ReceivedOutput] = deque()
        """Outputs whose rows have not been returned."""
        self.reached: Position | None = None
        """Row of the last output that was returned."""
        self._chains = chains
        self._shown_output, self._shown_hash = cursor.output, cursor.output_hash

    @property
    def outputs_start(self) -> bool:
        """True if the outputs start with the oldest stored one, which a complete page of a replay names."""
        return self.outputs.hash is None and not self.outputs_float

    def row(self, payload: bytes, *, replayed: bool = False) -> None:
        """Handle a row of the log."""
        try:
            for row in self.log.read(payload, replayed=replayed):
                self.breaks()
                self.items.append(LogItem(row.at, row.body, row.event, row.reason, self._cursor()))
        except BadPayloadError:
            self.garbage += 1
        self.breaks()
        self.release()

    def output(self, payload: bytes) -> None:
        """Handle an output of the judge."""
        try:
            if self.outputs_float:
                self.outputs.begin_at(payload)
                self.outputs_float = False
            self.early.extend(self.outputs.take(payload))
        except BadPayloadError:
            self.garbage += 1
        self.release()

    def first_output(self, payload: bytes) -> None:
        """Handle an output of the first page, with which the chain begins."""
        if self.outputs_start:
            with suppress(BadPayloadError):  # counted below
                self.outputs.begin_at(payload)
            if self.outputs.last > 0:
                self._broken("outputs", f"outputs up to {self.outputs.last} are no longer kept")
        self.output(payload)

    def refused(self, of: Chain, refusal: str) -> None:
        """Handle the refusal of a replay of `of`: `trimmed` or `not_ours`."""
        if of == "log":
            self.log.refused(refusal)
            self.breaks()
            return
        self.outputs = OutputReader(0, None)
        self._shown_output, self._shown_hash = 0, None
        if refusal != "trimmed":  # the oldest stored output reports that itself
            self._broken("outputs", "the place where this consumer stood is no output of this judge")

    def release(self) -> None:
        """Return the outputs whose rows have been returned."""
        while self.early and not self._waits(self.early[0]):
            output = self.early.popleft()
            self._shown_output, self._shown_hash = output.number, output.hash
            self.reached = Position(epoch=output.epoch, number=output.row)
            data = None if output.event is None else output.event.data
            card: HiddenCard | None = None
            proof: bool | None = None
            if isinstance(data, Reveal | ReaderRevealed):
                card = self.log.cards.find(data)
                proof = is_proved(card, data)
            self.items.append(
                OutputItem(output.number, output.body, output.event, output.reason, card, proof, self._cursor())
            )
            self.log.cards.passed(self.reached)
        shown = self.log.shown
        if shown is not None and self._chains["outputs"].live and not self.early:
            self.log.cards.passed(shown.at)

    def breaks(self) -> None:
        """Report where the log is broken."""
        while self.log.breaks:
            self._broken("log", self.log.breaks.popleft())

    def _broken(self, of: Chain, reason: str) -> None:
        self.items.append(ChainBreak(of, reason, self._cursor()))

    def _waits(self, output: ReceivedOutput) -> bool:
        shown = self.log.shown
        if shown is not None and output.epoch == shown.at.epoch:
            return output.row > shown.at.number
        # An output of an unknown epoch waits only while its rows may still arrive: trimmed ones never do.
        return output.epoch not in self.log.epochs and not self._chains["log"].caught_up

    def _cursor(self) -> Cursor:
        return Cursor(
            log=self.log.shown, output=self._shown_output, output_hash=self._shown_hash, cards=self.log.cards.since,
            epochs=self.log.epochs,
        )  # fmt: skip
