"""Hidden cards of all five games at the core: what the simulator's hands turned up is told, nothing else, not before.

The whole stack plays two of the games elsewhere in this folder; here the log and the judge of every game, fast.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from pitwarden.rules import RevealDue, public_state
from pitwarden_client.events.device import ShoeCard, ShoeStack
from pitwarden_client.events.inputs import InputLogged
from pitwarden_simulators.cards import Card
from pitwarden_simulators.in_memory.rows import InMemoryRow
from pitwarden_simulators.table.actions import TableDisplay
from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES, SimulatedTableSetup
from testkit.nights.in_memory_night import InMemoryJudge, play
from testkit.nights.shoes import Cycle, Shoes

GAMES = TABLES | FURTHER_TABLES


@dataclass
class Listener:
    """Hears a night as everyone may: rows without faces, outputs, the public state; checks each reveal by the truth."""

    setup: SimulatedTableSetup
    shoes: Shoes
    heard: list[object] = field(default_factory=list)
    revealed_on: dict[int, int] = field(default_factory=dict)
    _drawn: dict[tuple[int, int], Card] = field(default_factory=dict)
    _events: int = 0
    _said: int = 0
    _owed: list[Card] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.judge = InMemoryJudge(self.setup)

    def __call__(self, row: InMemoryRow) -> TableDisplay:
        if isinstance(row.data, InputLogged):
            self.settle()
        desk = self.judge(row)
        if isinstance(row.data, ShoeCard | ShoeStack):
            self._took(row)
        said = self.judge.outputs[self._said :]
        self._said = len(self.judge.outputs)
        # The rows of the outputs hold the truth: what is published names their numbers alone.
        outputs = [(of.number, one) for of, one in said]
        self.heard.append((row.number, row.log_ms, row.source, row.data, outputs, public_state(self.judge.state)))
        for _, one in said:
            if isinstance(one, RevealDue):
                card = self._drawn[one.event, one.index]
                self._owed.append(card)
                self.revealed_on.setdefault(card.serial, len(self.heard) - 1)
        return desk

    def settle(self) -> None:
        """Check that each revealed card lies face up before the next input."""
        assert self.shoes.table is not None
        shown = self.shoes.table.layout.shown
        assert [card for card in self._owed if card.serial not in shown] == []
        self._owed.clear()

    def _took(self, row: InMemoryRow) -> None:
        assert self.shoes.table is not None
        dealt = self.shoes.table.shoe.dealt[self._events]
        self._events += 1
        self._drawn |= {(row.number, at): card for at, card in enumerate(dealt.cards)}


def listen(
    setup: SimulatedTableSetup, rounds: int, places: Mapping[Cycle, Mapping[int, int]] | None = None
) -> Listener:
    shoes = Shoes(places or {})
    listener = Listener(setup, shoes)
    play(setup, "4", rounds, judge=listener, shoes=shoes)
    return listener


def faces(night: Listener) -> list[int]:
    """All cards of the night in the order of its shuffles."""
    return [card.face for order in night.shoes.orders.values() for card in order]


def dealt_hidden(night: Listener) -> int:
    """How many drawn cards nobody saw in the night."""
    return sum(
        len(set(night.shoes.never_shown(cycle)) - set(night.shoes.undealt(cycle))) for cycle in night.shoes.orders
    )


@pytest.mark.parametrize("setup", GAMES.values(), ids=lambda setup: setup.table)
def test_cards_that_stay_hidden_may_lie_in_any_order(setup: SimulatedTableSetup) -> None:
    chance = random.Random(setup.table)  # noqa: S311  a test's choice, no secret
    night = listen(setup, 3)
    assert dealt_hidden(night) > 0
    places = {}
    for cycle in night.shoes.orders:
        hidden = night.shoes.never_shown(cycle)
        places[cycle] = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
    other = listen(setup, 3, places)
    assert faces(night) != faces(other)
    assert night.heard == other.heard


@pytest.mark.parametrize("setup", FURTHER_TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("choice", range(4))
def test_until_it_is_revealed_a_card_may_be_another(setup: SimulatedTableSetup, choice: int) -> None:
    chance = random.Random(f"{setup.table}/{choice}")  # noqa: S311  a test's choice, no secret
    night = listen(setup, 1)
    [cycle] = night.shoes.orders
    order = night.shoes.orders[cycle]
    public = [place for place, card in enumerate(order) if card.serial in night.revealed_on]
    last = max(public, key=lambda place: night.revealed_on[order[place].serial])
    place = last if choice == 0 else chance.choice(public)
    others = [at for at in night.shoes.undealt(cycle) if order[at].face != order[place].face]
    swapped = chance.choice(others)
    other = listen(setup, 1, {cycle: {place: swapped, swapped: place}})
    until = night.revealed_on[order[place].serial]
    assert night.heard[:until] == other.heard[:until]
    assert night.heard[until] != other.heard[until]


def test_switch_hands_shows_neither_pair_that_is_given_up_nor_kept_down() -> None:
    night = listen(FURTHER_TABLES["switch-hands"], 4)
    choices = [row[3].act.choice for row in night.heard if getattr(getattr(row[3], "act", None), "choice", "")]  # type: ignore[index]
    assert {"keep", "switch"} <= set(choices)
    assert dealt_hidden(night) >= 2 * choices.count("keep")
