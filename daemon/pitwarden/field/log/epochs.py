"""Epochs of a table's log: opening, key renewal, signed checkpoints, closing.

Every start of a field half opens an epoch with a random id. Its parent is the last row on the table's own disk, and log
time continues. Threat: a person who gets at the disk or the broker and removes or replaces rows; a signed checkpoint
makes that visible.
"""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from pitwarden.field.log.log_time import continue_log_time, last_row
from pitwarden.field.log.row_builder import LogIdentity, PendingRow, RowBuilder, RowSink
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden.field.log.table_clock import TableClock
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.records import Checkpoint
from pitwarden.journal.signatures import PastVerdict
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden.seal.sealing import Sealer
from pitwarden.seal.signed_rows import sign_checkpoint, sign_epoch_opened
from pitwarden.system.clock import Clock
from pitwarden_client.events.envelope import GENESIS, LogEvent, parse_rfc3339
from pitwarden_client.events.status import LogHead
from pitwarden_client.events.table import Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import CheckpointMark, SigningScope, verify_checkpoint

# Random bytes of an epoch's id. 96 bits do not repeat among all starts of all tables.
EPOCH_BYTES = 12


@dataclass(frozen=True, slots=True)
class FieldKeys:
    """Keys of a field half: the key that it signs with, and the public keys of the judges that it seals for."""

    signer: SigningKey
    judges: tuple[PublicKey, ...]
    replaced: tuple[str, ...] = ()
    """Verify keys of replaced signing keys, in hexadecimal: they signed the older part of the log."""
    commanders: tuple[str, ...] = ()
    """Keys that verify the judges' commands, in hexadecimal. Without one, the broker's access list alone decides."""


@dataclass(frozen=True, slots=True)
class OpenedEpoch:
    """New epoch: the builder of its rows, the two rows that must be its first, and what was found before it."""

    rows: RowBuilder
    first: tuple[PendingRow, ...]
    past: PastVerdict
    clock: TableClock
    """Clock of the rows."""


async def open_epoch(journal: FieldJournal, place: LogIdentity, keys: FieldKeys, clock: Clock) -> OpenedEpoch:
    """Return a new epoch after the journal's head. Nothing is committed yet.

    A past that no key of the table has signed is set aside first: the new epoch then has no parent.
    """
    past = await journal.begin_signing(CheckpointSigner(keys.signer, place, keys.replaced))
    parent = journal.head
    epoch = secrets.token_hex(EPOCH_BYTES)
    last = await last_row(journal)
    table_clock = TableClock(clock, None if last is None else parse_rfc3339(last.time))
    log_ms = await continue_log_time(journal, last, table_clock)
    rows = RowBuilder(place, epoch, table_clock, log_ms, GENESIS if parent is None else parent.hash)
    opened = sign_epoch_opened(keys.signer, SigningScope(place.site, place.table, epoch), parent, past.state)
    rows.sealer = _new_sealer(place, keys, epoch)
    first = (PendingRow("table", opened), PendingRow("table", rows.sealer.announcement))
    return OpenedEpoch(rows, first, past, table_clock)


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
    """Return a new sealing key of `epoch`; it exists in memory only."""
    return Sealer(keys.signer, SigningScope(place.site, place.table, epoch), secrets.token_hex(4), keys.judges)


class CheckpointSigner:
    """Signer of checkpoints of one table's log."""

    def __init__(self, signer: SigningKey, place: LogIdentity, replaced: Sequence[str] = ()) -> None:
        """Sign with `signer`; accept its signatures and those of the `replaced` keys."""
        self._signer, self._place = signer, place
        self._trusted = (signer.public, *replaced)

    def sign(self, place: int, head: Head, mark: CheckpointMark) -> Checkpoint:
        """Return the signed statement that the row at `place` is `head`, with the meaning of `mark`."""
        signature = sign_checkpoint(self._signer, self._scope(head), head, mark)
        return Checkpoint(place, head, mark, self._trusted[0], signature)

    def is_valid(self, checkpoint: Checkpoint) -> bool:
        """Return whether a key of this table signed `checkpoint`."""
        head, signed = checkpoint.head, (checkpoint.signer, checkpoint.signature)
        try:
            verify_checkpoint(signed, self._scope(head), head, checkpoint.mark, self._trusted)
        except SealUnreadableError:
            return False
        return True

    def _scope(self, head: Head) -> SigningScope:
        return SigningScope(self._place.site, self._place.table, head.at.epoch)


def retained_head(checkpoint: Checkpoint, trimmed: Checkpoint | None) -> LogHead:
    """Return the checkpoint as it is published retained, with the one after which the log begins."""
    head = checkpoint.head
    return LogHead(
        at=head.at,
        hash=head.hash,
        signer=checkpoint.signer,
        signature=checkpoint.signature,
        trimmed=None if trimmed is None else trimmed.head,
        trimmed_signature=None if trimmed is None else trimmed.signature,
    )


# Seconds that a stop waits for rows to be committed, out of STOP_S (4.5 s) for all of it. Devices repeat the rest.
DRAIN_S: Final = 2.0

_log = structlog.get_logger()


async def wait_drained(log: LogSequencer) -> None:
    """Return once all offered rows are committed, or after DRAIN_S, so that a stop is not delayed."""
    try:
        async with asyncio.timeout(DRAIN_S):
            await log.idle()
    except TimeoutError:
        _log.warning("stopping with rows not committed; their devices keep them")


async def close_epoch(journal: FieldJournal, judge: str, stored: int) -> None:
    """Wait for the last commit, and note that `judge` has `stored` rows. The journal's close signs the epoch's end."""
    # A commit whose task was cancelled still completes.
    await journal.idle()
    with suppress(*TEMPORARY_ERRORS):
        await journal.set_position(judge, stored)
