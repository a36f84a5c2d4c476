"""The field half's journal as consumers may ask for it: the log, from any row that is still kept."""

from collections.abc import Sequence
from typing import Literal

from pitwarden_client.events.base import Position
from pitwarden_client.events.status import ReplayRequest

from pitwarden.journal.field_journal import FieldJournal


class LogShelf:
    """One journal for `bus.replay`."""

    def __init__(self, journal: FieldJournal) -> None:
        self._journal = journal

    async def find(self, wanted: ReplayRequest) -> int | Literal["trimmed", "not_ours"]:
        """The place of the row that the consumer has; 0 when it has none."""
        if wanted.after is None:
            return 0
        if wanted.hash is None:
            return "not_ours"
        place = await self._journal.locate(wanted.after, wanted.hash)
        return await self._gone(wanted.after, wanted.hash) if place is None else place

    async def _gone(self, at: Position, held: str) -> int | Literal["trimmed", "not_ours"]:
        """Whether row `at` is gone by age; the last one that is gone still counts as one to stand behind."""
        trimmed = self._journal.trimmed
        if trimmed is None:
            return "not_ours"
        if trimmed.head.at == at:
            return trimmed.place if trimmed.head.hash == held else "not_ours"
        epochs = [record.epoch for record in await self._journal.epochs()]
        if at.epoch not in epochs:
            return "not_ours"
        older = epochs.index(at.epoch) < epochs.index(trimmed.head.at.epoch)
        same = at.epoch == trimmed.head.at.epoch and at.number < trimmed.head.at.number
        return "trimmed" if older or same else "not_ours"

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """The rows behind `place`, as they were committed."""
        return [(row.place, row.body) for row in await self._journal.rows_after(place, limit)]
