"""Cards that lay face up and were never published, of an in-memory night: silence is a fault as well."""

from pitwarden.rules import AnswerDue, RevealDue
from pitwarden_client.events.dealer_play import KpRoundEnd
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.inputs import InputLogged
from pitwarden_simulators.in_memory.rows import InMemoryRow
from pitwarden_simulators.table.actions import TableDisplay
from testkit.nights.in_memory_night import InMemoryJudge
from testkit.nights.shoes import Shoes

Place = tuple[int, int]


class PublicCardsJudge:
    """Judge of a night that compares, on the row of each round's end, what is published with what lay face up.

    `missing`: a sentence for each round in which something public was not published by then. `published`: how many
    cards and answers were. Give the same `shoes` to the night.
    """

    def __init__(self, judge: InMemoryJudge, shoes: Shoes) -> None:
        self.judge, self.shoes = judge, shoes
        self.missing: list[str] = []
        self.published = 0
        self._serials: dict[Place, int] = {}
        """Cards and, as number -1, answers of the round in progress, by their place in the log."""
        self._events = self._heard = 0

    def __call__(self, row: InMemoryRow) -> TableDisplay:
        """Judge `row`."""
        display = self.judge(row)
        if isinstance(row.data, ShoeCard | ShoeStack):
            self._took(row)
        elif isinstance(row.data, ReaderResult):
            self._serials[row.number, 0] = -1
        outputs = [output for _, output in self.judge.outputs[self._heard :]]
        self._heard = len(self.judge.outputs)
        for output in outputs:
            if isinstance(output, RevealDue | AnswerDue):
                index = output.index if isinstance(output, RevealDue) else 0
                self.published += self._serials.pop((output.event, index), None) is not None
        if isinstance(row.data, InputLogged) and isinstance(row.data.act, KpRoundEnd):
            self._ended(row.number)
        return display

    def _took(self, row: InMemoryRow) -> None:
        table = self.shoes.table
        if table is not None:
            dealt = table.shoe.dealt[self._events]
            self._events += 1
            self._serials |= {(row.number, at): card.serial for at, card in enumerate(dealt.cards)}

    def _ended(self, number: int) -> None:
        table = self.shoes.table
        seen = {-1} if table is None else {-1, *table.layout.shown}
        late = [place for place, serial in self._serials.items() if serial in seen]
        if late:
            rows = ", ".join(str(row) for row, _ in late)
            self.missing.append(f"row {number}: the round ended, and rows {rows} lay face up and are not published")
        self._serials.clear()
