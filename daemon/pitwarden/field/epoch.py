"""Every start of a field half opens an epoch: a random name, its parent from its own disk, log time carried on."""

import secrets
from dataclasses import dataclass

from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import GENESIS, LogEvent, utc_ms_of
from pitwarden_client.verification.signed_rows import Scope

from pitwarden.field.pending import Pending, RowSink
from pitwarden.field.rows import Place, RowBuilder
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden.seal.sealing import Sealer
from pitwarden.seal.signed_rows import epoch_opened
from pitwarden.system.clock import Clock

EPOCH_BYTES = 12


@dataclass(frozen=True, slots=True)
class FieldKeys:
    """What the field half signs with, and whom it seals for."""

    signer: SigningKey
    judges: tuple[PublicKey, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """A fresh epoch: its rows' builder, and the two rows that must be its first."""

    rows: RowBuilder
    first: tuple[Pending, ...]


async def open_epoch(journal: FieldJournal, place: Place, keys: FieldKeys, clock: Clock) -> Opening:
    """A new epoch behind the journal's head. Nothing is committed yet."""
    parent = journal.head
    epoch = secrets.token_hex(EPOCH_BYTES)
    rows = RowBuilder(place, epoch, clock, await _log_ms(journal, clock), GENESIS if parent is None else parent.hash)
    opened = epoch_opened(keys.signer, Scope(place.site, place.table, epoch), parent)
    rows.sealer = _new_sealer(place, keys, epoch)
    return Opening(rows, (Pending("table", opened), Pending("table", rows.sealer.announcement)))


@dataclass(frozen=True, slots=True)
class SealingKey:
    """Sealing key with which `rows` seals, to be renewed through `log`."""

    rows: RowBuilder
    place: Place
    keys: FieldKeys
    log: RowSink

    def renew(self) -> None:
        """Offer the announcement of a new key; once that is committed, `rows` seals with it."""
        sealer = _new_sealer(self.place, self.keys, self.rows.epoch)

        def use(_row: LogEvent) -> None:
            self.rows.sealer = sealer

        self.log.offer(Pending("table", sealer.announcement, done=use))


def _new_sealer(place: Place, keys: FieldKeys, epoch: str) -> Sealer:
    """A new sealing key of `epoch`; it lives in memory only."""
    return Sealer(keys.signer, Scope(place.site, place.table, epoch), secrets.token_hex(4), keys.judges)


async def _log_ms(journal: FieldJournal, clock: Clock) -> int:
    """Where log time goes on: the last row's, plus what UTC says has passed since, never less."""
    last = await journal.rows_after(journal.place - 1, 1) if journal.place else []
    if not last:
        return 0
    try:
        row = decode(LogEvent, last[0].body)
    except BadPayloadError:  # a later version wrote it: log time begins where UTC is, which is behind no row of ours
        return clock.utc().utc_ms
    return row.logms + max(clock.utc().utc_ms - utc_ms_of(row.time), 0)
