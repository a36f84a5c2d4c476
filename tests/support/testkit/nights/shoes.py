"""True order of every shoe of an in-memory night, and the same night with other cards in some places."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.table import SimulatedTable

Cycle = tuple[str, int]


@dataclass
class Shoes:
    """Order of each cycle of each deck, as shuffled; `places` swaps places in it before it is used."""

    places: Mapping[Cycle, Mapping[int, int]] = field(default_factory=dict)
    orders: dict[Cycle, list[Card]] = field(default_factory=dict)
    shown: dict[Cycle, set[int]] = field(default_factory=dict)
    drawn: dict[Cycle, list[int]] = field(default_factory=dict)
    dealt_in: list[Cycle] = field(default_factory=list)
    table: SimulatedTable | None = None
    _running: dict[str, Cycle] = field(default_factory=dict)

    def seat(self, table: SimulatedTable) -> None:
        self.table = table

    def arrange(self, deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        """Record the result of the deck's last cycle, then return the order of the next one."""
        self.close(deck)
        moved = self.places.get((deck, cycle), {})
        order = [cards[moved.get(place, place)] for place in range(len(cards))]
        self.orders[deck, cycle] = order
        self._running[deck] = (deck, cycle)
        return order

    def close(self, deck: str) -> None:
        """End the deck's cycle: record which of its cards were drawn, and which of those people saw."""
        self._listen()
        cycle = self._running.pop(deck, None)
        if cycle is None or self.table is None:
            return
        of_deck = {card.serial for card in self.orders[cycle]}
        self.shown[cycle] = self.table.layout.shown & of_deck
        self.table.layout.shown -= of_deck

    def _listen(self) -> None:
        """Assign the shoe's draws since the last time to the present cycles."""
        if self.table is None:
            return
        for dealt in self.table.shoe.dealt[len(self.dealt_in) :]:
            cycle = self._running[dealt.cards[0].deck]
            self.dealt_in.append(cycle)
            self.drawn.setdefault(cycle, []).extend(card.serial for card in dealt.cards)

    def finish(self) -> None:
        for deck in list(self._running):
            self.close(deck)

    def places_of(self, cycle: Cycle, wanted: Callable[[Card], bool]) -> list[int]:
        """Return the places in a cycle's order of the cards that are `wanted`."""
        return [place for place, card in enumerate(self.orders[cycle]) if wanted(card)]

    def never_shown(self, cycle: Cycle) -> list[int]:
        """Return the places of the cards that no person saw in this cycle."""
        shown = self.shown.get(cycle, set())
        return self.places_of(cycle, lambda card: card.serial not in shown)

    def undealt(self, cycle: Cycle) -> list[int]:
        """Return the places of the cards that were never drawn."""
        drawn = set(self.drawn.get(cycle, ()))
        return self.places_of(cycle, lambda card: card.serial not in drawn)
