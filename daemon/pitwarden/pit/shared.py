"""What the tables of one process share: journals, the meter, turns at folding and at judging."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from pitwarden.config.models import TableFile
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.intake import Turnstile
from pitwarden.metrics.meter import Meter

if TYPE_CHECKING:
    from pathlib import Path


AT_ONCE: Final = 16  # tables that fold at the same time


class Shared:
    """Of one process. `close` what it opened once no table is served any more."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.turnstile = Turnstile()
        self.starting = asyncio.Semaphore(AT_ONCE)
        self._journals: dict[Path, JudgeJournal] = {}
        self._opening = asyncio.Lock()
        self._stack = contextlib.AsyncExitStack()

    async def journal(self, file: TableFile) -> JudgeJournal:
        """The journal of a table: tables whose files name the same folder share one, and so its commits.

        JournalError when it cannot be opened.
        """
        place: Path = (file.storage.journals / "judge.sqlite").resolve()
        async with self._opening:
            if place not in self._journals:
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                opened = self._journals[place] = await JudgeJournal.open(place)
                self._stack.push_async_callback(opened.close)
        return self._journals[place]

    async def close(self) -> None:
        """Commits what was asked for and lets every journal go."""
        await self._stack.aclose()
