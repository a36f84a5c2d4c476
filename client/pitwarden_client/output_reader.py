"""The judge's outputs as one consumer reads them: each once, in order, in an unbroken chain of hashes. No I/O."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from pydantic import ConfigDict

from pitwarden_client.events.base import Hex32, Ident, Number, Record
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import OutputEvent

# Outputs held until those before them arrive, as for rows. Others are dropped and requested again.
HELD: Final = 1_000
# Outputs whose hashes are remembered, so that a repeated one is compared with what it was the first time.
REMEMBERED: Final = 1_000


@dataclass(frozen=True, slots=True)
class ReceivedOutput:
    """Output as received. `event` is None when its bytes are no output of this version, for the stated `reason`."""

    number: int
    hash: str
    prevhash: str
    epoch: str
    row: int
    body: bytes = field(repr=False)
    event: OutputEvent | None
    reason: str = ""


class _Outline(Record):
    """Fields of an output that its place in the chain requires."""

    model_config = ConfigDict(extra="ignore")

    epoch: Ident
    tableseq: Number
    outputseq: Number
    prevhash: Hex32


class OutputReader:
    """Chain of one judge. `last` and `hash` are those of the last output returned; 0 and None before the first."""

    def __init__(self, last: int, last_hash: str | None) -> None:
        self.last, self.hash = last, last_hash
        self.overflowed = False
        self.doubtful = False
        """An output does not fit what we have: another chain, or a forgery. A replay decides."""
        self._held: dict[int, ReceivedOutput] = {}
        self._recent: OrderedDict[int, str] = OrderedDict()

    @property
    def gap(self) -> bool:
        """True while an output before the waiting ones is missing."""
        return bool(self._held) or self.overflowed or self.doubtful

    def take(self, payload: bytes) -> list[ReceivedOutput]:
        """Accept a message, and return all outputs that are in order now.

        Raises:
            BadPayloadError: The message is not an output.
        """
        row = _row(payload)
        if row.number <= self.last:
            known = self.hash if row.number == self.last else self._recent.get(row.number)
            self.doubtful = self.doubtful or (known is not None and known != row.hash)
            return []
        if row.number != self.last + 1 and row.number not in self._held and len(self._held) >= HELD:
            self.overflowed = True
            return []
        self._held[row.number] = row  # the newer of two that claim one place: a replay comes after what it corrects
        return self._drain()

    def begin_at(self, payload: bytes) -> None:
        """Start so that this output is the next one."""
        row = _row(payload)
        self.last, self.hash = row.number - 1, row.prevhash

    def caught_up(self) -> None:
        """Handle the end of a replay: outputs that still wait for others are no part of the chain."""
        self._held.clear()
        self.overflowed = self.doubtful = False

    def _drain(self) -> list[ReceivedOutput]:
        ready: list[ReceivedOutput] = []
        while (row := self._held.pop(self.last + 1, None)) is not None:
            if self.hash is not None and row.prevhash != self.hash:
                self.doubtful = True
                break
            self.last, self.hash = row.number, row.hash
            self._recent[row.number] = row.hash
            if len(self._recent) > REMEMBERED:
                self._recent.popitem(last=False)
            ready.append(row)
        return ready


def _row(payload: bytes) -> ReceivedOutput:
    reason = ""
    event: OutputEvent | None = None
    try:
        outline: OutputEvent | _Outline = decode(OutputEvent, payload)
    except BadPayloadError as error:
        outline, reason = decode(_Outline, payload), str(error)
    if isinstance(outline, OutputEvent):
        event = outline
    return ReceivedOutput(
        outline.outputseq, digest(payload), outline.prevhash, outline.epoch, outline.tableseq, payload, event, reason
    )
