"""Opening and closing an epoch, key renewal, signed checkpoints.

Every start of a field half opens an epoch: a random name, its parent from its own disk, log time carried on.

Signed checkpoints: what the log held once cannot be taken back, by whoever gets at the disk or at the broker.

The end of a field half's run: what came is committed, and the log is signed as closed.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from pitwarden.field.log.row_builder import LogIdentity, PendingRow, RowBuilder, RowSink
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.records import Checkpoint
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden.seal.sealing import Sealer
from pitwarden.seal.signed_rows import sign_checkpoint, sign_epoch_opened
from pitwarden.system.clock import Clock
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import GENESIS, LogEvent, parse_rfc3339
from pitwarden_client.events.status import LogHead
from pitwarden_client.events.table import Head
from pitwarden_client.verification.signed_rows import CheckpointMark, SigningScope

EPOCH_BYTES = 12


@dataclass(frozen=True, slots=True)
class FieldKeys:
    """What the field half signs with, and whom it seals for."""

    signer: SigningKey
    judges: tuple[PublicKey, ...]


@dataclass(frozen=True, slots=True)
class OpenedEpoch:
    """A fresh epoch: its rows' builder, and the two rows that must be its first."""

    rows: RowBuilder
    first: tuple[PendingRow, ...]


async def open_epoch(journal: FieldJournal, place: LogIdentity, keys: FieldKeys, clock: Clock) -> OpenedEpoch:
    """A new epoch behind the journal's head. Nothing is committed yet."""
    parent = journal.head
    epoch = secrets.token_hex(EPOCH_BYTES)
    rows = RowBuilder(place, epoch, clock, await _log_ms(journal, clock), GENESIS if parent is None else parent.hash)
    opened = sign_epoch_opened(keys.signer, SigningScope(place.site, place.table, epoch), parent)
    rows.sealer = _new_sealer(place, keys, epoch)
    return OpenedEpoch(rows, (PendingRow("table", opened), PendingRow("table", rows.sealer.announcement)))


@dataclass(frozen=True, slots=True)
class SealingKey:
    """Sealing key with which `rows` seals, to be renewed through `log`."""

    rows: RowBuilder
    place: LogIdentity
    keys: FieldKeys
    log: RowSink

    def renew(self) -> None:
        """Offer the announcement of a new key; once that is committed, `rows` seals with it."""
        sealer = _new_sealer(self.place, self.keys, self.rows.epoch)

        def use(_row: LogEvent) -> None:
            self.rows.sealer = sealer

        self.log.offer(PendingRow("table", sealer.announcement, done=use))


def _new_sealer(place: LogIdentity, keys: FieldKeys, epoch: str) -> Sealer:
    """A new sealing key of `epoch`; it lives in memory only."""
    return Sealer(keys.signer, SigningScope(place.site, place.table, epoch), secrets.token_hex(4), keys.judges)


async def _log_ms(journal: FieldJournal, clock: Clock) -> int:
    """Where log time goes on: the last row's, plus what UTC says has passed since, never less."""
    last = await journal.rows_after(journal.place - 1, 1) if journal.place else []
    if not last:
        return 0
    try:
        row = decode(LogEvent, last[0].body)
    except BadPayloadError:  # a later version wrote it: log time begins where UTC is, which is behind no row of ours
        return clock.utc().utc_ms
    return row.logms + max(clock.utc().utc_ms - parse_rfc3339(row.time), 0)


class CheckpointSigner:
    """Signs for one table's log."""

    def __init__(self, signer: SigningKey, place: LogIdentity) -> None:
        self._signer, self._place = signer, place

    def sign(self, place: int, head: Head, mark: CheckpointMark) -> Checkpoint:
        """The signed statement that the row at `place` is `head`, and what `mark` says of it."""
        scope = SigningScope(self._place.site, self._place.table, head.at.epoch)
        return Checkpoint(place, head, mark, self._signer.public, sign_checkpoint(self._signer, scope, head, mark))


def retained_head(checkpoint: Checkpoint, trimmed: Checkpoint | None) -> LogHead:
    """The checkpoint as it stands retained on the bus, with the one behind which the log begins."""
    head = checkpoint.head
    return LogHead(
        at=head.at,
        hash=head.hash,
        signer=checkpoint.signer,
        signature=checkpoint.signature,
        trimmed=None if trimmed is None else trimmed.head,
        trimmed_signature=None if trimmed is None else trimmed.signature,
    )


DRAIN_S: Final = 2.0

_log = structlog.get_logger()


async def wait_drained(log: LogSequencer) -> None:
    """Returns once all that was offered is committed, or when waiting longer would keep the machine from stopping."""
    try:
        async with asyncio.timeout(DRAIN_S):
            await log.idle()
    except TimeoutError:
        _log.warning("stopping with rows not committed; their devices keep them")


async def close_epoch(journal: FieldJournal, checkpoints: CheckpointSigner, judge: str, stored: int) -> None:
    """Signs that nothing follows in this epoch: whatever is appended later shows. `judge` has `stored` so much."""
    await journal.idle()  # a commit that was under way when its task was cancelled still lands
    if journal.head is not None:
        closed = checkpoints.sign(journal.place, journal.head, "closed")
        with suppress(*TEMPORARY_ERRORS):
            await journal.set_position(judge, stored, closed)
