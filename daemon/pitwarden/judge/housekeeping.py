"""Once an hour the judge's journal is looked at whole; what is old and behind a snapshot goes, signed."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from pitwarden.clock import Clock
from pitwarden.events.envelope import rfc3339
from pitwarden.journal.faults import REFUSALS, JournalDamagedError
from pitwarden.journal.inspection import inspect
from pitwarden.journal.judge import JudgeJournal
from pitwarden.journal.judge_rows import JudgeCheckpoint
from pitwarden.seal.announce import Scope, sign_checkpoint
from pitwarden.seal.keys import PrivateKey, checkpoint_key

FIRST_S: Final = 90.0
EVERY_S: Final = 3_600.0
DAY_MS: Final = 86_400_000

_log = structlog.get_logger()


class Housekeeping:
    """Of one table's rows and outputs. `on_damage` hears what was found."""

    def __init__(
        self,
        journal: JudgeJournal,
        clock: Clock,
        key: PrivateKey,
        place: tuple[str, str],
        *,
        days: int,
        on_damage: Callable[[str], None],
    ) -> None:
        """`place`: site and table."""
        self._journal, self._clock, self._signer = journal, clock, checkpoint_key(key)
        self._site, self._table = place
        self._days, self._on_damage = days, on_damage

    async def run(self) -> None:
        """Works, for ever."""
        await asyncio.sleep(FIRST_S)
        while True:
            await self.once()
            await asyncio.sleep(EVERY_S)

    async def once(self) -> None:
        """One round: look, then trim. A journal that is damaged is not trimmed: it is evidence."""
        try:
            await inspect(self._journal.path)
        except JournalDamagedError as error:
            self._on_damage(str(error))
            return
        with suppress(*REFUSALS):
            await self._trim()

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
