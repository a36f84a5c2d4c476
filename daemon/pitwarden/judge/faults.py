"""Faults of a judge half, and the distrust of its record until the floor verifies the decks."""

from contextlib import suppress
from typing import Final

import structlog

from pitwarden.bus.messages import StatusLink
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.journal.signatures import PastVerdict

_log = structlog.get_logger()

DISTRUST: Final = "distrust"
# Characters of one fault in the status, as its model allows; longer ones are cut.
_LINE: Final = 500


class JudgeFaults:
    """Faults of a judge half, published in its status, and its distrust.

    Distrust withholds the permit and is stored, so that a restart does not lift it.
    """

    def __init__(self, journal: JudgeRecord, key: str, link: StatusLink) -> None:
        self._journal, self._key, self._link = journal, key, link
        self._faults: dict[str, str] = {}
        self.distrust = self._stored = ""

    async def load(self) -> None:
        """Load what an earlier run left: a quarantined record, or distrust that no floorperson lifted."""
        damage = self._journal.damage
        if damage is None:
            self.distrust = self._stored = await self._journal.meta(self._key, DISTRUST) or ""
        else:
            self.distrust = "the judge's journal was damaged: verify the decks"
            self._faults["journal_damaged"] = f"the old one is kept as {damage.kept_as}"

    def report_past(self, past: PastVerdict) -> None:
        """Distrust a record whose past bore no signature of this judge; log one of a version that did not sign."""
        if past.state == "set_aside":
            _log.error("record not signed", table=self._key, reason=past.reason)
            self.distrust = "the judge's record was changed or cut: verify the decks"
            self._faults["log_forked"] = f"the judge's past record bears no signature: {past.reason}"
        elif past.state == "adopted":
            _log.warning("unsigned record adopted", table=self._key)

    async def store(self) -> None:
        """Store the distrust if it changed. While the journal refuses it, the next call tries again."""
        if self.distrust != self._stored:
            with suppress(*TEMPORARY_ERRORS):
                await self._journal.set_meta(self._key, DISTRUST, self.distrust)
                self._stored = self.distrust

    async def salvage(self) -> None:
        """Salvage the record that was quarantined at the start, and publish the result."""
        damage = self._journal.damage
        if damage is not None:
            found = await self._journal.salvage(damage.kept_as)
            self.fault("journal_damaged", f"the old one is kept as {damage.kept_as}; {found}")

    def fault(self, name: str, detail: str) -> None:
        """Publish a fault, if it is new or has another detail."""
        if self._faults.get(name) != detail:
            self._faults[name] = detail
            self._link.publish_online()

    def add(self, name: str, detail: str) -> None:
        """Record a fault for the next status, without publishing one."""
        self._faults[name] = detail

    def clear(self, *names: str) -> bool:
        """Clear faults; return whether there was one."""
        there = [name for name in names if name in self._faults]
        for name in there:
            del self._faults[name]
        return bool(there)

    def report_cleared(self, name: str) -> None:
        """Clear a fault and publish that, if there was one."""
        if self.clear(name):
            self._link.publish_online()

    def certificates(self, found: tuple[str, ...]) -> None:
        """Publish which certificates expire soon."""
        self.clear("certificates")
        if found:
            self._faults["certificates"] = "; ".join(found)
        self._link.publish_online()

    def lines(self) -> tuple[str, ...]:
        """Return name and detail of each fault, as the status contains them."""
        return tuple(f"{name}: {detail}"[:_LINE] for name, detail in sorted(self._faults.items()))

    def names(self) -> tuple[str, ...]:
        """Return the names of the faults, sorted."""
        return tuple(sorted(self._faults))
