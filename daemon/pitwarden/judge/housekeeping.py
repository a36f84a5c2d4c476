"""Once an hour the judge's journal is looked at whole; what is old and behind a snapshot goes, signed."""

from typing import Final

import structlog
from pitwarden_client.events.envelope import rfc3339
from pitwarden_client.verification.signed_rows import Scope

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.maintenance import DamageHandler, Inspector, Upkeep
from pitwarden.journal.records import JudgeCheckpoint
from pitwarden.seal.keys import PrivateKey, checkpoint_key
from pitwarden.seal.signed_rows import sign_checkpoint
from pitwarden.system.clock import DAY_MS, Clock

FIRST_S: Final = 90.0

_log = structlog.get_logger()


class Housekeeping(Upkeep):
    """Of one table's rows and outputs. `faults` shows damage of the journal."""

    def __init__(
        self,
        journal: JudgeJournal,
        clock: Clock,
        key: PrivateKey,
        place: tuple[str, str],
        *,
        days: int,
        faults: DamageHandler,
    ) -> None:
        """`place`: site and table."""
        super().__init__(Inspector(journal, faults), FIRST_S)
        self._journal, self._clock, self._signer = journal, clock, checkpoint_key(key)
        self._site, self._table = place
        self._days = days

    async def _trim(self) -> None:
        key = f"{self._site}/{self._table}"
        before = rfc3339(max(0, self._clock.utc().utc_ms - self._days * DAY_MS))
        last = await self._journal.last_to_go(key, before)
        if last is None:
            return
        scope = Scope(self._site, self._table, last.at.epoch)
        signature = sign_checkpoint(self._signer, scope, last, "trimmed")
        gone = await self._journal.trim(key, JudgeCheckpoint(last, self._signer.public, signature))
        _log.info("journal trimmed", rows=gone, up_to=f"{last.at.epoch}/{last.at.number}")
