"""Conversion of log rows to entries of the rules core: signatures verified, seals opened.

A row that cannot be verified or opened becomes an entry marked `unreadable`. Threat: a client that forges rows.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from pitwarden.rules.state.entry import LogEntry
from pitwarden.seal.sealing import OpenedSecret, Opener
from pitwarden_client.events.card_faces import FACES, Sealed
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339
from pitwarden_client.events.status import LogHead
from pitwarden_client.events.table import EpochOpened, Head, KeyAnnounced
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_checkpoint, verify_epoch_opened

_BITS: Final = frozenset({0, 1})
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class SealedRowParts:
    """Parts of a row that opening it requires. A judge stores many of them, for each of its tables."""

    source: str
    id: str
    seals: tuple[Sealed, ...]


class RowUnsealer:
    """Opener of the rows of one table. `trusted` are the verify keys of its field half, in hexadecimal."""

    def __init__(self, opener: Opener, trusted: tuple[str, ...], site: str, table: str) -> None:
        self._opener = opener
        self._trusted = trusted
        self._site = site
        self._table = table

    def is_trusted_opening(self, opening: LogEvent) -> bool:
        """Return whether a row opens an epoch and is signed by the table's field half."""
        try:
            self._signed(opening)
        except SealUnreadableError:
            return False
        return isinstance(opening.data, EpochOpened)

    def trimmed_head(self, payload: bytes) -> Head | None:
        """Return the row after which a trimmed log begins; None unless a signed head in `payload` names it."""
        try:
            said = decode(LogHead, payload)
            if said.trimmed is None:
                return None
            signed = (said.signer or "", said.trimmed_signature or "")
            scope = SigningScope(self._site, self._table, said.trimmed.at.epoch)
            verify_checkpoint(signed, scope, said.trimmed, "trimmed", self._trusted)
        except (BadPayloadError, SealUnreadableError):
            return None
        return said.trimmed

    def entry(self, row: LogEvent) -> LogEntry:
        """Return `row` as an entry, marked `unreadable` where a seal, a signature or a wrapped key is wrong."""
        entry, _ = self.open_row(row, sealed_row_parts(row))
        return entry

    def open_row(self, row: LogEvent, sealed: SealedRowParts) -> tuple[LogEntry, tuple[OpenedSecret, ...]]:
        """Return `row` as an entry, with its opened secrets; none where one did not open."""
        opened: list[OpenedSecret] = []
        values: list[int] = []
        is_answer = isinstance(row.data, ReaderResult)
        allowed = _BITS if is_answer else FACES
        try:
            self._signed(row)
            for index in range(len(sealed.seals)):
                secret = self.open(sealed, index)
                opened.append(secret)
                values.append(secret.value)
        except SealUnreadableError:
            unreadable = True
        else:
            unreadable = not allowed.issuperset(values)
        entry = LogEntry(
            epoch=row.epoch,
            number=row.tableseq,
            log_ms=row.logms,
            utc_ms=parse_rfc3339(row.time),
            source=row.source.rpartition("/")[2],
            data=row.data,
            faces=() if unreadable or is_answer else tuple(values),
            bit=values[0] == 1 if is_answer and not unreadable else None,
            unreadable=unreadable,
            gaming_day=None if row.gamingday is None else row.gamingday.toordinal() - _FIRST_DAY,
        )
        return entry, () if unreadable else tuple(opened)

    def open(self, row: SealedRowParts, index: int) -> OpenedSecret:
        """Return the secret at `index` of `row` with its blind.

        Raises:
            SealUnreadableError: The seal does not open, or its commitment disagrees.
        """
        return self._opener.open(row.source, row.id, index, row.seals[index])

    def _signed(self, row: LogEvent) -> None:
        if isinstance(row.data, EpochOpened):
            verify_epoch_opened(row.data, SigningScope(self._site, self._table, row.epoch), self._trusted)
        elif isinstance(row.data, KeyAnnounced):
            self._opener.add_key(row.epoch, row.data)


def sealed_row_parts(row: LogEvent) -> SealedRowParts:
    """Return the parts of `row` that opening it requires."""
    return SealedRowParts(row.source, row.id, seals_in(row))


def seals_in(row: LogEvent) -> tuple[Sealed, ...]:
    """Return the seals in `row`, in the order of their index."""
    if isinstance(row.data, ShoeCard):
        return (row.data.face,)
    if isinstance(row.data, ShoeStack):
        return row.data.faces
    if isinstance(row.data, ReaderResult):
        return (row.data.answer,)
    return ()
