"""The judge's end of a table's log: each row once, in order, from epoch to epoch, unbroken by its hashes.

No I/O. The adversary is a network that loses, repeats and reorders; a field half that restarts, or whose disk was
wiped, restored or copied; a row of a version that this judge does not know.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from pydantic import ConfigDict

from pitwarden.bus.recent import RecentRows
from pitwarden.events.base import Hex32, Ident, Number, Position, Record
from pitwarden.events.codec import BadPayloadError, decode, digest
from pitwarden.events.envelope import GENESIS, LogEvent, utc_ms_of
from pitwarden.events.status import ConsumerPosition
from pitwarden.events.table import EpochOpened, Head

HELD_ROWS: Final = 1_000  # what is not next waits; what does not fit comes again, since the sender goes back
MAX_LOG_MS: Final = 2**50  # thirty thousand years; deadlines are added to it


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row that is next. `event` is None when its bytes are no event of this version, for the stated `reason`."""

    at: Position
    hash: str
    prevhash: str
    body: bytes = field(repr=False)
    event: LogEvent | None
    reason: str = ""

    @property
    def head(self) -> Head:
        """The row as the head of a log that ends here."""
        return Head(at=self.at, hash=self.hash)


@dataclass(frozen=True, slots=True)
class Forked:
    """`row` belongs to a log that does not go on from ours. It was not taken; `adopt` takes it."""

    row: LogRow
    reason: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What a message brought: rows to judge, in order; a fork; or the reason why the message was no row at all."""

    rows: tuple[LogRow, ...] = ()
    forked: Forked | None = None
    garbage: str | None = None


class _Outline(Record):
    """What must be readable of a row so that it has its place in the chain."""

    model_config = ConfigDict(extra="ignore")

    source: str
    epoch: Ident
    tableseq: Number
    prevhash: Hex32


class LogReceiver:
    """One table's log as it arrives. `taken` is the last row given out, `stored` the last that the caller committed.

    `followed` are the epochs that were followed so far; `source` is what the source of every row begins with.
    """

    def __init__(
        self,
        position: Head | None,
        followed: Collection[str],
        source: str,
        held_rows: int = HELD_ROWS,
        believed: Callable[[LogEvent], bool] = lambda _opening: True,
    ) -> None:
        self.taken = self.stored = position
        self.duplicates = self.overflowed = 0
        self._followed = set(followed)
        self._source, self._limit, self._believed = source, held_rows, believed
        self._held: dict[tuple[str, int], LogRow] = {}
        self._recent = RecentRows()

    @property
    def waiting(self) -> int:
        """How many rows are there that wait for others before them."""
        return len(self._held)

    def take(self, payload: bytes) -> Taken:
        """Everything that can be judged now that this message has come."""
        try:
            row = _row(payload, self._source)
        except BadPayloadError as error:
            return Taken(garbage=str(error))
        if row.at.number == 1 and not self._opens(row):
            return Taken(garbage=f"the first row of epoch {row.at.epoch} is no opening that its field half signed")
        fork = self._fork(row)
        if fork is not None:
            return Taken(forked=Forked(row, fork))
        if self._is_old(row):
            self.duplicates += 1
            return Taken()
        if not self._is_next(row) and len(self._held) >= self._limit:
            self.overflowed += 1
            return Taken()
        self._held.setdefault((row.at.epoch, row.at.number), row)
        return self._drain([])

    def forget_waiting(self) -> None:
        """A replay went to the end of the log: what still waits is no part of it."""
        self._held.clear()

    def adopt(self, forked: Forked) -> Taken:
        """Goes on with a log that forked, from the first row of its epoch; ValueError for another row.

        A log that forked in the middle of an epoch is two field halves in one: only its next epoch can be followed.
        """
        if forked.row.at.number != 1 or forked.row.at.epoch in self._followed:
            raise ValueError(f"row {forked.row.at.epoch}/{forked.row.at.number} opens no epoch that is new")
        self._held.pop((forked.row.at.epoch, forked.row.at.number), None)
        self._accept(forked.row)
        return self._drain([forked.row])

    def begin(self, behind: Head) -> None:
        """Begins behind a row that is gone, in a log whose oldest rows were trimmed; ValueError once a row was taken.

        The caller has checked who says so. Rows that were held until now are given with the next one that comes.
        """
        if self.taken is not None:
            raise ValueError("a log is begun once")
        self.taken = behind
        self._followed.add(behind.at.epoch)

    def committed(self, head: Head) -> None:
        """The caller has everything up to `head` on its disk."""
        self.stored = head

    def position(self, *, hello: bool = False) -> ConsumerPosition:
        """What to tell the sender: all up to here is stored. `hello` when we have just subscribed."""
        if self.stored is None:
            return ConsumerPosition(at=None, hash=None, hello=hello)
        return ConsumerPosition(at=self.stored.at, hash=self.stored.hash, hello=hello)

    def adoptable(self, forked: Forked) -> bool:
        """Whether `adopt` can go on with it: it opens an epoch that was not followed yet."""
        return forked.row.at.number == 1 and forked.row.at.epoch not in self._followed

    def _opens(self, row: LogRow) -> bool:
        event = row.event
        return event is not None and isinstance(event.data, EpochOpened) and self._believed(event)

    def _drain(self, rows: list[LogRow]) -> Taken:
        while (found := self._next_held()) is not None:
            fork = self._fork(found)
            if fork is not None:
                return Taken(tuple(rows), Forked(found, fork))
            self._accept(found)
            rows.append(found)
        return Taken(tuple(rows))

    def _accept(self, row: LogRow) -> None:
        self.taken = row.head
        self._followed.add(row.at.epoch)
        self._recent.add(row.at, row.hash)
        if row.at.number == 1:
            self._held = {at: held for at, held in self._held.items() if not self._is_old(held)}

    def _next_held(self) -> LogRow | None:
        """The row that is next, out of the held ones: in this epoch first, else the opening of the next one."""
        if not self._held:
            return None
        after = None if self.taken is None else (self.taken.at.epoch, self.taken.at.number + 1)
        key = after if after in self._held else next((at for at, row in self._held.items() if self._is_next(row)), None)
        if key is None:
            key = next((at for at, row in self._held.items() if self._fork(row)), None)
        return None if key is None else self._held.pop(key)

    def _is_next(self, row: LogRow) -> bool:
        if self.taken is None:
            return row.at.number == 1 and row.prevhash == GENESIS
        if row.at.epoch == self.taken.at.epoch:
            return row.at.number == self.taken.at.number + 1
        return row.at.number == 1 and row.prevhash == self.taken.hash and _parent(row) == self.taken

    def _is_old(self, row: LogRow) -> bool:
        if self.taken is None or row.at.epoch not in self._followed:
            return False
        return row.at.epoch != self.taken.at.epoch or row.at.number <= self.taken.at.number

    def _fork(self, row: LogRow) -> str | None:
        """Why `row` can never follow on, or never have been part of, what we have; None when it can."""
        if self.taken is None:
            return None
        if self._is_old(row):
            once = self._recent.hash_of(row.at)
            if row.at == self.taken.at:
                once = self.taken.hash
            return None if once in (None, row.hash) else "the same number had another row"
        if row.at.epoch == self.taken.at.epoch:
            broken = row.at.number == self.taken.at.number + 1 and row.prevhash != self.taken.hash
            return "the row names another predecessor than the one that we have" if broken else None
        return self._opening_fork(row, self.taken) if row.at.number == 1 else None

    def _opening_fork(self, row: LogRow, ours: Head) -> str | None:
        parent = _parent(row)
        if parent is None:
            return "the log begins anew and knows nothing of what was before"
        if parent == ours:
            return None if row.prevhash == ours.hash else "the opening names one parent and follows another row"
        if parent.at.epoch not in self._followed:
            return None
        if parent.at.epoch == ours.at.epoch and parent.at.number > ours.at.number:
            return None
        return f"the log goes on from {parent.at.epoch}/{parent.at.number}, which is not where ours ends"


def _row(payload: bytes, source: str) -> LogRow:
    reason = ""
    event: LogEvent | None = None
    try:
        outline: LogEvent | _Outline = decode(LogEvent, payload)
    except BadPayloadError as error:
        outline, reason = decode(_Outline, payload), str(error)
    if isinstance(outline, LogEvent):
        if outline.id != f"{outline.epoch}/{outline.tableseq}":
            raise BadPayloadError("its id is not its epoch and number, which its seals are bound to")
        reason = _odd(outline)
        event = None if reason else outline
    if not outline.source.startswith(source):
        raise BadPayloadError(f"a row of another table: its source does not begin with {source}")
    at = Position(epoch=outline.epoch, number=outline.tableseq)
    return LogRow(at, digest(payload), outline.prevhash, payload, event, reason)


def _odd(event: LogEvent) -> str:
    """Why a well-formed row cannot be judged: a time that no calendar or clock has."""
    try:
        utc_ms_of(event.time)
    except ValueError:
        return "its time is none"
    return "its log time is none" if event.logms > MAX_LOG_MS else ""


def _parent(row: LogRow) -> Head | None:
    return row.event.data.parent if row.event is not None and isinstance(row.event.data, EpochOpened) else None
