"""The log as one consumer reads it; signature check.

Whether the table's field half signed the opening of an epoch, for a consumer who was given its public keys.

The log as one consumer reads it: rows once, in order, quiet over those that it has, breaks where it ends.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator
from typing import Literal

from pitwarden_client.card_index import CardIndex
from pitwarden_client.chain.log_row import LogRow
from pitwarden_client.chain.receiver import Fork, LogReceiver
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import EpochOpened, Head
from pitwarden_client.items import MAX_EPOCHS, Cursor
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_epoch_opened

Believed = Callable[[LogEvent], bool]


def trust_any(_opening: LogEvent) -> bool:
    """Without keys the broker's rights alone say who writes a log."""
    return True


def trust_signed_by(trusted: Collection[str], site: str, table: str) -> Believed:
    """Tells an opening that one of `trusted`, verify keys in hexadecimal, signed for this table; none: any opening."""

    def believed(opening: LogEvent) -> bool:
        if not isinstance(opening.data, EpochOpened):
            return False
        try:
            verify_epoch_opened(opening.data, SigningScope(site, table, opening.epoch), trusted)
        except SealUnreadableError:
            return False
        return True

    return believed if trusted else trust_any


Start = Literal["oldest", "now"]


class LogReader:
    """Wraps a receiver. `read` gives the rows that are new to the consumer; `breaks` says where nothing goes on."""

    def __init__(self, source: str, cursor: Cursor, start: Start, believed: Believed = trust_any) -> None:
        self._source, self._believed = source, believed
        self._had = cursor.log
        self._epochs: deque[str] = deque(cursor.epochs, maxlen=MAX_EPOCHS)
        self._quiet = cursor.log is not None and cursor.cards != cursor.log
        self.cards = CardIndex(cursor.cards if cursor.log is not None else None)
        self._receiver = self._receive(cursor.cards if self._quiet else cursor.log)
        self._floating = cursor.log is None
        """No row yet: the first one that comes where we want to start is taken as it is."""
        self._from_now = start == "now"
        self._told = ""
        self.breaks: deque[str] = deque(maxlen=16)

    @property
    def taken(self) -> Head | None:
        """The last row that was read, quiet or not; ask for a replay behind it."""
        return self._receiver.taken

    @property
    def shown(self) -> Head | None:
        """The last row that the consumer has."""
        return self._had

    @property
    def epochs(self) -> tuple[str, ...]:
        """The epochs followed, the newest last."""
        return tuple(self._epochs)

    @property
    def gap(self) -> bool:
        """Whether rows are there that cannot be read for want of others."""
        return self._receiver.waiting > 0

    @property
    def floats(self) -> bool:
        """Whether it starts with the first row that is kept, which a whole page of a replay tells."""
        return self._floating and not self._from_now

    @property
    def waits_for_live(self) -> bool:
        """Whether it starts with what comes next, so that no replay is wanted yet."""
        return self._floating and self._from_now

    def head(self, head: Head) -> None:
        """The retained head: where a consumer that starts now begins."""
        if self.waits_for_live:
            self._begin(head)

    def read(self, payload: bytes, *, replayed: bool) -> Iterator[LogRow]:
        """Rows that are next, `shown` and the rest as of each; BadPayloadError for what is no row of this table."""
        if self._floating and (replayed or self._from_now):
            self._begin_at(payload)
        taken = self._receiver.take(payload)
        if taken.garbage is not None:
            raise BadPayloadError(taken.garbage)
        rows = list(taken.rows)
        if taken.forked is not None:
            rows += self._forked(taken.forked)
        for row in rows:
            if self._is_new(row):
                yield row

    def refused(self, refusal: str) -> None:
        """A replay behind `taken` was refused: `trimmed` or `not_ours`."""
        if self._quiet:  # the cards of before are gone, the place in the log may not be
            self._quiet = False
            self._receiver = self._receive(self._had)
            return
        if refusal != "trimmed":  # the first row that is kept says so itself
            self.breaks.append("the place where this consumer stood is no row of the log")
        self._had, self._floating, self._from_now = None, True, False
        self._receiver = self._receive(None)
        self.cards = CardIndex(None)

    def caught_up(self) -> bool:
        """A replay went to the end. True when it has to be asked for again, from where the consumer stood.

        That is so while this is quiet: the log that was read does not hold that place.
        """
        self._receiver.forget_waiting()
        if not self._quiet:
            return False
        self._quiet = False
        self._receiver = self._receive(self._had)
        return True

    def _is_new(self, row: LogRow) -> bool:
        self.cards.row(row)
        self._floating = False
        if row.at.epoch not in self._epochs:
            self._epochs.append(row.at.epoch)
        if self._quiet:
            self._quiet = row.head != self._had
            return False
        self._had = row.head
        return True

    def _forked(self, forked: Fork) -> list[LogRow]:
        at = f"{forked.row.at.epoch}/{forked.row.at.number}"
        if self._told != at:
            self._told = at
            self.breaks.append(f"the log forks at {at}: {forked.reason}")
        if not self._receiver.can_follow(forked):
            return []
        self._quiet = False
        return list(self._receiver.follow_fork(forked).rows)

    def _receive(self, head: Head | None) -> LogReceiver:
        return LogReceiver(head, self._epochs, self._source, believed=self._believed)

    def _begin(self, head: Head) -> None:
        self._floating = False
        if head.at.epoch not in self._epochs:
            self._epochs.append(head.at.epoch)
        self._receiver = self._receive(head)
        self.cards = CardIndex(head)
        self._had = head

    def _begin_at(self, payload: bytes) -> None:
        """Stands before the row of `payload`, whatever comes before it there."""
        event = decode(LogEvent, payload)
        parent = event.data.parent if isinstance(event.data, EpochOpened) else None
        if event.tableseq == 1 and parent is None:
            self._floating = False
            return
        before = Head(at=Position(epoch=event.epoch, number=event.tableseq - 1), hash=event.prevhash)
        if not self._from_now:
            self.breaks.append(f"rows before {event.epoch}/{event.tableseq} are no longer kept")
        self._begin(parent or before)
