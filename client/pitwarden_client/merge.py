"""Merges both chains in order; when to request a replay.

When to ask for a replay of one chain, and when to ask again. No I/O; times are milliseconds of one clock.

The adversary is silence: a half that is away, a request or an answer that was lost, a desk that is busy.

Both chains of one table merged: an output never comes before its row, and a reveal comes with its card. No I/O.
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
BUSY_MS: Final = 1_000
LIMIT: Final = 500

Chain = Literal["log", "outputs"]


@dataclass(slots=True)
class ReplayScheduler:
    """One chain's replays. `due` says that one should be asked for; `asked`, `heard` and `answered` say what came."""

    wanted: bool = False
    waiting: str = ""
    """The id of the request that is under way."""
    caught_up: bool = False
    """Whether a replay went to the end since the link came up."""
    dropped: bool = False
    """Whether something was passed over since the last request for want of room."""
    got: int = 0
    """How many rows came since the last request."""
    silent: bool = False
    """Whether the last request got no answer at all in its time."""
    _deadline: int = 0

    @property
    def live(self) -> bool:
        """Whether nothing is known to be missing."""
        return self.caught_up and not self.wanted and not self.waiting

    def link(self, *, up: bool) -> None:
        """The link came or went: what was under way is lost."""
        self.waiting, self.wanted, self.caught_up, self.dropped, self._deadline = "", up, False, False, 0

    def due(self, now: int) -> bool:
        """Whether to ask now."""
        if self.waiting:
            return now >= self._deadline
        return self.wanted and now >= self._deadline

    def asked(self, ident: str, now: int) -> None:
        """A request went out."""
        self.silent = bool(self.waiting) and self.got == 0
        self.waiting, self.wanted, self.dropped = ident, False, False
        self.got, self._deadline = 0, now + ANSWER_MS

    def heard(self, now: int) -> None:
        """A row of a replay came: the answer is on its way."""
        self.got += 1
        self.silent = False
        self._deadline = now + ANSWER_MS

    def answered(self, now: int, *, again: bool, later: bool = False) -> None:
        """The answer came; `again`: there is more to ask for, `later`: but not at once."""
        self.waiting, self.wanted, self.silent = "", again or self.dropped, False
        self._deadline = now + BUSY_MS if later else now
        self.caught_up = self.caught_up or not self.wanted


class ChainMerger:
    """What a consumer is given, in `items`. `chains` tells how far each chain has been caught up with."""

    def __init__(self, log: LogReader, cursor: Cursor, start: Start, chains: Mapping[Chain, ReplayScheduler]) -> None:
        self.items: deque[Item] = deque()
        self.garbage = 0
        """How many messages were no row or output at all, and were passed over."""
        self.log = log
        self.outputs = OutputReader(cursor.output, cursor.output_hash)
        self.outputs_float = cursor.output == 0 and start == "now"
        """No output yet: the first one that comes is taken as it is."""
        self.early: deque[ReceivedOutput] = deque()
        """Outputs whose rows have not been given out."""
        self.reached: Position | None = None
        """The row of the last output that was given out."""
        self._chains = chains
        self._shown_output, self._shown_hash = cursor.output, cursor.output_hash

    @property
    def outputs_start(self) -> bool:
        """Whether the outputs start with the first one that is kept, which a whole page of a replay tells."""
        return self.outputs.hash is None and not self.outputs_float

    def row(self, payload: bytes, *, replayed: bool = False) -> None:
        """A row of the log."""
        try:
            for row in self.log.read(payload, replayed=replayed):
                self.breaks()
                self.items.append(LogItem(row.at, row.body, row.event, row.reason, self._cursor()))
        except BadPayloadError:
            self.garbage += 1
        self.breaks()
        self.release()

    def output(self, payload: bytes) -> None:
        """An output of the judge."""
        try:
            if self.outputs_float:
                self.outputs.begin_at(payload)
                self.outputs_float = False
            self.early.extend(self.outputs.take(payload))
        except BadPayloadError:
            self.garbage += 1
        self.release()

    def first_output(self, payload: bytes) -> None:
        """An output of the first page: where the chain begins."""
        if self.outputs_start:
            with suppress(BadPayloadError):  # counted below
                self.outputs.begin_at(payload)
            if self.outputs.last > 0:
                self._broken("outputs", f"outputs up to {self.outputs.last} are no longer kept")
        self.output(payload)

    def refused(self, of: Chain, refusal: str) -> None:
        """A replay of `of` was refused: `trimmed` or `not_ours`."""
        if of == "log":
            self.log.refused(refusal)
            self.breaks()
            return
        self.outputs = OutputReader(0, None)
        self._shown_output, self._shown_hash = 0, None
        if refusal != "trimmed":  # the first output that is kept says so itself
            self._broken("outputs", "the place where this consumer stood is no output of this judge")

    def release(self) -> None:
        """Gives out the outputs whose rows have been given out."""
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
        """Gives out where the log does not go on."""
        while self.log.breaks:
            self._broken("log", self.log.breaks.popleft())

    def _broken(self, of: Chain, reason: str) -> None:
        self.items.append(ChainBreak(of, reason, self._cursor()))

    def _waits(self, output: ReceivedOutput) -> bool:
        shown = self.log.shown
        if shown is not None and output.epoch == shown.at.epoch:
            return output.row > shown.at.number
        return output.epoch not in self.log.epochs and not self._chains["log"].caught_up

    def _cursor(self) -> Cursor:
        return Cursor(
            log=self.log.shown, output=self._shown_output, output_hash=self._shown_hash, cards=self.log.cards.since,
            epochs=self.log.epochs,
        )  # fmt: skip
