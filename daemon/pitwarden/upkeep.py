"""A journal is looked at whole once an hour, and what is old goes; a damaged one is left as it is: it is evidence."""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Never

from pitwarden.journal.faults import REFUSALS
from pitwarden.journal.inspection import Inspector
from pitwarden.system.tasks import hourly


class Upkeep(ABC):
    """Of one journal; the first round comes `first_s` seconds after the start."""

    def __init__(self, inspector: Inspector, first_s: float) -> None:
        self._inspector, self._first_s = inspector, first_s

    async def run(self) -> Never:
        """Works, for ever."""
        await hourly(self._first_s, self.once)

    async def once(self) -> None:
        """One round: look, then trim. What the journal refuses just now is trimmed in a later one."""
        if not await self._inspector.sound():
            return
        with suppress(*REFUSALS):
            await self._trim()

    @abstractmethod
    async def _trim(self) -> None:
        """Lets go what is old; a refusal of the journal's may be raised."""
