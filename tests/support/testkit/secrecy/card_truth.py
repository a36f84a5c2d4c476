"""True positions of the cards of a night, from the simulator: the oracle of the non-interference tests."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from pitwarden_drivers.api import PlainAnswer, Said
from pitwarden_simulators.cards import Card
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.reader import Reader
from pitwarden_simulators.table.shuffling import Arrange
from pitwarden_simulators.table.table import SimulatedTable

Cycle = tuple[str, int]
"""A shuffle: deck, and its number from 1."""


def as_shuffled(_deck: str, _cycle: int, cards: list[Card]) -> list[Card]:
    return cards


@dataclass
class CardTruth:
    """Positions of all cards from shuffle to shuffle: `orders` as loaded, `public`: serials face up since then.

    `told`: serials of hole cards about which the reader lit its lamp in public. Pass `arrange` to the shuffler.
    """

    change: Arrange = as_shuffled
    orders: dict[Cycle, tuple[Card, ...]] = field(default_factory=dict)
    public: dict[Cycle, set[int]] = field(default_factory=lambda: defaultdict(set))
    told: set[int] = field(default_factory=set)
    _since: dict[int, Cycle] = field(default_factory=dict)
    _table: SimulatedTable | None = None

    def watch(self, table: SimulatedTable) -> None:
        """Watch the table whose layout shows which cards lie face up."""
        self._table = table

    def arrange(self, deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        """Record the order that a shuffle makes, after `change` was applied."""
        self._close(card.serial for card in cards)
        order = self.change(deck, cycle, cards)
        self.orders[deck, cycle] = tuple(order)
        self._since.update({card.serial: (deck, cycle) for card in order})
        return order

    def end(self) -> None:
        """End the night."""
        self._close(list(self._since))

    def hidden(self, cycle: Cycle) -> list[int]:
        """Return the places in a shuffle's order whose cards never became public, by layout or lamp."""
        known = self.public[cycle] | self.told
        return [place for place, card in enumerate(self.orders[cycle]) if card.serial not in known]

    def _close(self, serials: Iterable[int]) -> None:
        if self._table is None:
            raise RuntimeError("watch the table before its first shuffle")
        face_up = self._table.layout.shown
        for serial in serials:
            if serial in face_up and serial in self._since:
                self.public[self._since[serial]].add(serial)
                face_up.discard(serial)


class WatchedReader(Reader):
    """Reader whose insertions are counted; at insertion number `lies_at` it lights the other lamp."""

    def __init__(self, memory: Memory, truth: CardTruth, lies_at: int) -> None:
        super().__init__(_TruthSink(memory, self))
        self.insertions = 0
        self._truth, self.lies_at = truth, lies_at

    def insert(self, up: Card, hole: Card) -> bool | None:
        self.insertions += 1
        self._truth.told.add(hole.serial)
        answer = super().insert(up, hole)
        return not answer if answer is not None and self.insertions == self.lies_at else answer


class _TruthSink:
    """Event sink that inverts the one answer."""

    def __init__(self, memory: Memory, reader: WatchedReader) -> None:
        self._memory, self._reader = memory, reader

    def emit(self, said: Said) -> int:
        if isinstance(said, PlainAnswer) and self._reader.insertions == self._reader.lies_at:
            said = PlainAnswer(type(said.bit)(1 - said.bit.value))
        return self._memory.emit(said)

    def latch(self, fault: Said) -> int:
        return self._memory.latch(fault)

    def clear(self) -> None:
        self._memory.clear()
