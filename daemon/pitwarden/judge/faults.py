"""What is wrong with a judge half, and why its record is not believed until the floor verifies the decks."""

from contextlib import suppress
from typing import Final

from pitwarden.bus.messages import StatusLink
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.judge_journal import JudgeJournal

DISTRUST: Final = "distrust"
_LINE: Final = 500  # characters of one fault in the status


class JudgeFaults:
    """The faults that the status shows, and the distrust that withholds the permit and outlives a restart."""

    def __init__(self, journal: JudgeJournal, key: str, link: StatusLink) -> None:
        self._journal, self._key, self._link = journal, key, link
        self._faults: dict[str, str] = {}
        self.distrust = self._stored = ""

    async def load(self) -> None:
        """What an earlier run left: a record that was set aside as damaged, or distrust that nobody lifted."""
        damage = self._journal.damage
        if damage is None:
            self.distrust = self._stored = await self._journal.meta(self._key, DISTRUST) or ""
        else:
            self.distrust = "the judge's journal was damaged: verify the decks"
            self._faults["journal_damaged"] = f"the old one is kept as {damage.kept_as}"

    async def store(self) -> None:
        """Stores the distrust when it changed; a journal that takes nothing is asked again the next time."""
        if self.distrust != self._stored:
            with suppress(*TEMPORARY_ERRORS):
                await self._journal.set_meta(self._key, DISTRUST, self.distrust)
                self._stored = self.distrust

    async def salvage(self) -> None:
        """What can be read of a record that was set aside at the start."""
        damage = self._journal.damage
        if damage is not None:
            found = await self._journal.salvage(damage.kept_as)
            self.fault("journal_damaged", f"the old one is kept as {damage.kept_as}; {found}")

    def fault(self, name: str, detail: str) -> None:
        """Says a fault, once."""
        if self._faults.get(name) != detail:
            self._faults[name] = detail
            self._link.publish_online()

    def add(self, name: str, detail: str) -> None:
        """Remembers a fault for the next status."""
        self._faults[name] = detail

    def clear(self, *names: str) -> bool:
        """Forgets faults; whether there was one."""
        there = [name for name in names if name in self._faults]
        for name in there:
            del self._faults[name]
        return bool(there)

    def report_cleared(self, name: str) -> None:
        """Says that a fault is over, if there was one."""
        if self.clear(name):
            self._link.publish_online()

    def certificates(self, found: tuple[str, ...]) -> None:
        """Says which certificates end soon."""
        self.clear("certificates")
        if found:
            self._faults["certificates"] = "; ".join(found)
        self._link.publish_online()

    def lines(self) -> tuple[str, ...]:
        """Name and detail of each fault, as the status has them."""
        return tuple(f"{name}: {detail}"[:_LINE] for name, detail in sorted(self._faults.items()))

    def names(self) -> tuple[str, ...]:
        """The names alone, sorted."""
        return tuple(sorted(self._faults))
