"""Commits of a judge half: rows with their verdicts in one transaction, snapshots between rounds, hourly retention."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

import structlog

from pitwarden.journal.errors import TEMPORARY_ERRORS, JournalUnreachableError
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.journal.maintenance import DamageHandler, IntegrityInspector, MaintenanceJob, oldest_kept
from pitwarden.journal.records import (
    JudgeCheckpoint,
    OutputHead,
    ReceivedRow,
    RecordSignature,
    SealedSnapshot,
    StoredOutput,
)
from pitwarden.judge.faults import JudgeFaults
from pitwarden.judge.recovery import snapshot_context
from pitwarden.rules import RULES_VERSION, RulesState, SnapshotError, state_to_bytes
from pitwarden.seal.errors import SnapshotTooLargeError
from pitwarden.seal.keys import PrivateKey, derive_checkpoint_key
from pitwarden.seal.sealing import seal_snapshot
from pitwarden.seal.signed_rows import sign_checkpoint, sign_record
from pitwarden.system.clock import DAY_MS, Clock
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.table import Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_record


class JudgeSigner:
    """Signer of one table's record, with the key derived from the judge's current private key."""

    def __init__(self, keys: Sequence[PrivateKey], site: str, table: str) -> None:
        """Sign with the first of `keys`; accept what the others signed before they were replaced."""
        self._signer = derive_checkpoint_key(keys[0])
        self._trusted = tuple(derive_checkpoint_key(key).public for key in keys)
        self.public = self._trusted[0]
        """Key that verifies the signatures, in hexadecimal."""
        self._site, self._table = site, table

    def sign(self, head: Head, outputs: OutputHead | None) -> RecordSignature:
        """Return the signed statement that the record ends with row `head` and with these outputs."""
        signature = sign_record(self._signer, self._scope(head), head, signed_outputs(outputs))
        return RecordSignature(head, outputs, self.public, signature)

    def is_valid(self, signed: RecordSignature) -> bool:
        """Return whether a key of this judge signed `signed`."""
        pair, outputs = (signed.signer, signed.signature), signed_outputs(signed.outputs)
        try:
            verify_record(pair, self._scope(signed.head), signed.head, outputs, self._trusted)
        except SealUnreadableError:
            return False
        return True

    def _scope(self, head: Head) -> SigningScope:
        return SigningScope(self._site, self._table, head.at.epoch)


def signed_outputs(last: OutputHead | None) -> tuple[int, str]:
    """Return number and hash of the last output as a signature covers them."""
    return (0, GENESIS) if last is None else (last.seq, last.hash)


# Seconds between two attempts while the journal refuses rows, as in the field half.
STORE_RETRY_S: Final = 0.25


class TurnCounter(Protocol):
    """Loop whose progress a watchdog sees."""

    def count_turn(self) -> None:
        """Count a turn of the loop."""
        ...


class JudgeRecorder:
    """Writer of one table's record in the journal of its judge."""

    def __init__(
        self, journal: JudgeRecord, key: str, own: PrivateKey, profile: str, faults: JudgeFaults,
        *, loop: TurnCounter,
    ) -> None:  # fmt: skip
        """Bind the journal.

        Args:
            journal: Journal of the judge, for all tables of the process.
            key: Name of the table in the journal, as `site/table`.
            own: Private key that snapshots are sealed to.
            profile: Digest of the effective profile.
            faults: Faults of the half.
            loop: Counts turns while the journal refuses rows.
        """
        self._journal, self._key, self._own, self._profile = journal, key, own, profile
        self._faults, self._loop = faults, loop
        self._since = 0

    def count_recovered(self, rows: int) -> None:
        """Count rows that the start judged again: without a snapshot the next start judges them once more.

        A judge that is replaced after each few rows would otherwise never store one, and each start would take longer.
        """
        self._since += rows

    async def store(self, received: list[ReceivedRow], outputs: list[StoredOutput], head: Head) -> None:
        """Commit rows and outputs, and retry while the journal refuses them.

        Until the commit nothing is published or acknowledged.
        """
        refused = ""
        while True:
            try:
                await self._journal.store(self._key, received, outputs, head)
            except TEMPORARY_ERRORS as error:
                refused = "database_lost" if isinstance(error, JournalUnreachableError) else "journal_full"
                self._faults.fault(refused, str(error))
                self._loop.count_turn()
                await asyncio.sleep(STORE_RETRY_S)
            else:
                self._since += len(received)
                if refused:
                    self._faults.report_cleared(refused)
                return

    async def snapshot_when_due(self, state: RulesState, head: Head) -> None:
        """Store a snapshot after as many rows as the record asks for.

        A snapshot only shortens the next start. During a round, or when refused, it is tried again after a later row.
        """
        if self._since < self._journal.snapshot_rows:
            return
        try:
            box = seal_snapshot(self._own, snapshot_context(self._key, head.at, self._profile), state_to_bytes(state))
        except SnapshotError:
            return
        except SnapshotTooLargeError as error:
            self._faults.fault("snapshot_too_large", str(error))
            return
        with suppress(*TEMPORARY_ERRORS):
            await self._journal.put_snapshot(self._key, SealedSnapshot(head.at, RULES_VERSION, self._profile, box))
        self._since = 0


# Seconds from the start to the first round, half a minute after the field half's on the same disk.
FIRST_S: Final = 90.0

_log = structlog.get_logger()


class JudgeRetention(MaintenanceJob):
    """Maintenance of one table's rows and outputs. `faults` reports damage of the journal.

    Age is counted to the newest row, which has the table's plausible time, and not to a clock that is ahead of it.
    """

    def __init__(
        self,
        journal: JudgeRecord,
        clock: Clock,
        key: PrivateKey,
        place: tuple[str, str],
        *,
        days: int,
        newest_ms: Callable[[], int],
        faults: DamageHandler,
    ) -> None:
        """Bind the journal; `place` is site and table, `newest_ms` the UTC of the newest row that was judged."""
        super().__init__(IntegrityInspector(journal, faults), FIRST_S)
        self._journal, self._clock, self._signer = journal, clock, derive_checkpoint_key(key)
        self._site, self._table = place
        self._days, self._newest_ms = days, newest_ms

    async def _trim(self) -> None:
        key = f"{self._site}/{self._table}"
        utc = self._clock.utc()
        utc = replace(utc, utc_ms=min(utc.utc_ms, self._newest_ms() + DAY_MS))
        before = oldest_kept(utc, self._days)
        last = await self._journal.trim_boundary(key, before)
        if last is None:
            return
        scope = SigningScope(self._site, self._table, last.at.epoch)
        signature = sign_checkpoint(self._signer, scope, last, "trimmed")
        deleted = await self._journal.trim(key, JudgeCheckpoint(last, self._signer.public, signature))
        _log.info("journal trimmed", rows=deleted, up_to=f"{last.at.epoch}/{last.at.number}")
