"""The log as one consumer reads it: each row once, in order, without those that it has, and with breaks reported.

A consumer that was given the field half's public keys also verifies the signature of each epoch's opening.
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

OpeningCheck = Callable[[LogEvent], bool]


def trust_any(_opening: LogEvent) -> bool:
    """Return True: without keys, only the broker's rights decide who writes a log."""
    return True


def trust_signed_by(trusted: Collection[str], site: str, table: str) -> OpeningCheck:
    """Return a check whether one of `trusted` signed an epoch's opening for this table; without keys it accepts any.

    Args:
        trusted: Verify keys in hexadecimal.
        site: Site of the table.
        table: Name of the table.
    """

    def is_trusted(opening: LogEvent) -> bool:
        if not isinstance(opening.data, EpochOpened):
            return False
        try:
            verify_epoch_opened(opening.data, SigningScope(site, table, opening.epoch), trusted)
        except SealUnreadableError:
            return False
        return True

    return is_trusted if trusted else trust_any


Start = Literal["oldest", "now"]


class LogReader:
    """Receiver of a log for one consumer. `read` returns rows that are new to it; `breaks` names missing parts."""

    def __init__(self, source: str, cursor: Cursor, start: Start, is_trusted: OpeningCheck = trust_any) -> None:
        self._source, self._is_trusted = source, is_trusted
        self._had = cursor.log
        self._epochs: deque[str] = deque(cursor.epochs, maxlen=MAX_EPOCHS)
        # After a restart the rows from `cards` to `log` are read again without being returned, so that reveals find
        # their cards.
        self._quiet = cursor.log is not None and cursor.cards != cursor.log
        self.cards = CardIndex(cursor.cards if cursor.log is not None else None)
        self._receiver = self._receive(cursor.cards if self._quiet else cursor.log)
        self._floating = cursor.log is None
        """No row yet: the first row that arrives where reading starts is accepted as it is."""
        self._from_now = start == "now"
        self._told = ""
        self.breaks: deque[str] = deque(maxlen=16)

    @property
    def taken(self) -> Head | None:
        """Last row that was read, returned or not. A replay is requested after it."""
        return self._receiver.taken

    @property
    def shown(self) -> Head | None:
        """Last row that the consumer has."""
        return self._had

    @property
    def epochs(self) -> tuple[str, ...]:
        """Epochs that were followed, the newest last."""
        return tuple(self._epochs)

    @property
    def gap(self) -> bool:
        """True while rows wait for missing ones before them."""
        return self._receiver.waiting > 0

    @property
    def floats(self) -> bool:
        """True if reading starts with the oldest stored row, which a complete page of a replay names."""
        return self._floating and not self._from_now

    @property
    def waits_for_live(self) -> bool:
        """True if reading starts with the next live row, so that no replay is needed yet."""
        return self._floating and self._from_now

    def head(self, head: Head) -> None:
        """Handle the retained head: a consumer that starts now begins there."""
        if self.waits_for_live:
            self._begin(head)

    def read(self, payload: bytes, *, replayed: bool) -> Iterator[LogRow]:
        """Yield the rows that are next. `shown` and the other properties are as of each.

        Raises:
            BadPayloadError: The payload is not a row of this table.
        """
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
        """Handle the refusal of a replay after `taken`: `trimmed` or `not_ours`."""
        if self._quiet:  # the rows with the cards were trimmed, perhaps not the position
            self._quiet = False
            self._receiver = self._receive(self._had)
            return
        if refusal != "trimmed":  # the oldest stored row reports that itself
            self.breaks.append("the place where this consumer stood is no row of the log")
        self._had, self._floating, self._from_now = None, True, False
        self._receiver = self._receive(None)
        self.cards = CardIndex(None)

    def caught_up(self) -> bool:
        """Handle the end of a replay. Return True when it must be requested again, from the consumer's position.

        That is the case while rows are read only for their cards: the log that was read does not contain that position.
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
        return LogReceiver(head, self._epochs, self._source, is_trusted=self._is_trusted)

    def _begin(self, head: Head) -> None:
        self._floating = False
        if head.at.epoch not in self._epochs:
            self._epochs.append(head.at.epoch)
        self._receiver = self._receive(head)
        self.cards = CardIndex(head)
        self._had = head

    def _begin_at(self, payload: bytes) -> None:
        """Start before the row of `payload`, whatever precedes it."""
        event = decode(LogEvent, payload)
        parent = event.data.parent if isinstance(event.data, EpochOpened) else None
        if event.tableseq == 1 and parent is None:
            self._floating = False
            return
        before = Head(at=Position(epoch=event.epoch, number=event.tableseq - 1), hash=event.prevhash)
        if not self._from_now:
            self.breaks.append(f"rows before {event.epoch}/{event.tableseq} are no longer kept")
        self._begin(parent or before)
