"""In-order, exactly-once receiver of a table's log, from epoch to epoch, with an unbroken chain of hashes. No I/O.

Threat: a network that loses, repeats and reorders.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from pitwarden_client.chain.lineage import Lineage
from pitwarden_client.chain.log_row import LogRow, parse_row
from pitwarden_client.events.codec import BadPayloadError
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.table import EpochOpened, Head

HELD_ROWS: Final = 1_000  # what is not next waits; what does not fit comes again, since the sender goes back


@dataclass(frozen=True, slots=True)
class Fork:
    """Row of a log that does not continue ours. It was not accepted; `follow_fork` accepts it."""

    row: LogRow
    reason: str


@dataclass(frozen=True, slots=True)
class ReceiveResult:
    """Result of one message: rows to evaluate, in order; a fork; or why the message was not a row (`garbage`)."""

    rows: tuple[LogRow, ...] = ()
    forked: Fork | None = None
    garbage: str | None = None


class LogReceiver:
    """Receiver of one table's log. `stored` is the last row that the caller committed.

    `followed` names the epochs so far; `source` is the prefix of every row's source; `is_trusted` verifies an epoch's
    opening.
    """

    def __init__(
        self,
        position: Head | None,
        followed: Collection[str],
        source: str,
        held_rows: int = HELD_ROWS,
        is_trusted: Callable[[LogEvent], bool] = lambda _opening: True,
    ) -> None:
        self.stored = position
        self.duplicates = self.overflowed = 0
        self._lineage = Lineage(position, followed)
        self._source, self._limit, self._is_trusted = source, held_rows, is_trusted
        self._held: dict[tuple[str, int], LogRow] = {}

    @property
    def taken(self) -> Head | None:
        """Last row returned."""
        return self._lineage.taken

    @property
    def waiting(self) -> int:
        """Number of rows that wait for rows before them."""
        return len(self._held)

    def take(self, payload: bytes) -> ReceiveResult:
        """Accept a message, and return all rows that are in order now."""
        try:
            row = parse_row(payload, self._source)
        except BadPayloadError as error:
            return ReceiveResult(garbage=str(error))
        if row.at.number == 1 and not self._opens(row):
            return ReceiveResult(
                garbage=f"the first row of epoch {row.at.epoch} is no opening that its field half signed"
            )
        fork = self._lineage.fork(row)
        if fork is not None:
            return ReceiveResult(forked=Fork(row, fork))
        if self._lineage.is_old(row):
            self.duplicates += 1
            return ReceiveResult()
        if not self._lineage.is_next(row) and len(self._held) >= self._limit:
            self.overflowed += 1
            return ReceiveResult()
        # The first of two rows with one number stays: a fork that arrives later must not replace a row already checked.
        self._held.setdefault((row.at.epoch, row.at.number), row)
        return self._drain([])

    def forget_waiting(self) -> None:
        """Drop the waiting rows, after a replay to the end of the log: they are no part of it."""
        self._held.clear()

    def follow_fork(self, forked: Fork) -> ReceiveResult:
        """Continue with a log that forked, from the first row of its epoch.

        A log that forked within an epoch comes from two field halves: only its next epoch can be followed.

        Raises:
            ValueError: The row opens no new epoch.
        """
        if not self.can_follow(forked):
            raise ValueError(f"row {forked.row.at.epoch}/{forked.row.at.number} opens no epoch that is new")
        self._held.pop((forked.row.at.epoch, forked.row.at.number), None)
        self._accept(forked.row)
        return self._drain([forked.row])

    def begin(self, behind: Head) -> None:
        """Start after a trimmed row, in a log whose oldest rows were deleted.

        The caller has verified the statement. Rows that wait are returned with the next message.

        Raises:
            ValueError: A row was accepted already.
        """
        if self.taken is not None:
            raise ValueError("a log is begun once")
        self._lineage.begin(behind)

    def committed(self, head: Head) -> None:
        """Record that the caller has stored all rows up to `head`."""
        self.stored = head

    def position(self, *, hello: bool = False) -> ConsumerPosition:
        """Return the position to report to the sender. Set `hello` right after subscribing."""
        if self.stored is None:
            return ConsumerPosition(at=None, hash=None, hello=hello)
        return ConsumerPosition(at=self.stored.at, hash=self.stored.hash, hello=hello)

    def can_follow(self, forked: Fork) -> bool:
        """Return whether `follow_fork` can continue with it: it opens an epoch that is new here."""
        return forked.row.at.number == 1 and not self._lineage.has_followed(forked.row.at.epoch)

    def _opens(self, row: LogRow) -> bool:
        event = row.event
        return event is not None and isinstance(event.data, EpochOpened) and self._is_trusted(event)

    def _drain(self, rows: list[LogRow]) -> ReceiveResult:
        while (found := self._next_held()) is not None:
            fork = self._lineage.fork(found)
            if fork is not None:
                return ReceiveResult(tuple(rows), Fork(found, fork))
            self._accept(found)
            rows.append(found)
        return ReceiveResult(tuple(rows))

    def _accept(self, row: LogRow) -> None:
        self._lineage.accept(row)
        if row.at.number == 1:
            self._held = {at: held for at, held in self._held.items() if not self._lineage.is_old(held)}

    def _next_held(self) -> LogRow | None:
        """Return the next of the waiting rows: in this epoch first, else the opening of the next one."""
        if not self._held:
            return None
        is_next = self._lineage.is_next
        after = None if self.taken is None else (self.taken.at.epoch, self.taken.at.number + 1)
        key = after if after in self._held else next((at for at, row in self._held.items() if is_next(row)), None)
        if key is None:
            key = next((at for at, row in self._held.items() if self._lineage.fork(row)), None)
        return None if key is None else self._held.pop(key)
