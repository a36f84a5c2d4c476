"""The judge's journal as consumers may ask for it: what was judged, from any output that is still kept."""

from collections.abc import Sequence
from typing import Literal

from pitwarden_client.events.status import ReplayRequest

from pitwarden.journal.judge_journal import JudgeJournal


class OutputShelf:
    """The outputs of one table for `bus.replay`."""

    def __init__(self, journal: JudgeJournal, table: str) -> None:
        self._journal, self._table = journal, table

    async def find(self, wanted: ReplayRequest) -> int | Literal["trimmed", "not_ours"]:
        """The number of the output that the consumer has, if it is the one that we have there; 0 when it has none."""
        if wanted.output == 0:
            return 0
        found = await self._journal.outputs_after(self._table, wanted.output - 1, 1)
        ours = bool(found) and found[0].seq == wanted.output and found[0].hash == wanted.hash
        return wanted.output if ours else "not_ours"

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """The outputs behind number `place`, as they were committed."""
        return [(row.seq, row.body) for row in await self._journal.outputs_after(self._table, place, limit)]
