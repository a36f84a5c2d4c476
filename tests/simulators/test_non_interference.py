"""Hidden cards leave no trace (design 6): whole nights with other hidden cards look the same to everyone.

First form: cards that never become public, drawn or not, change places within their shoe; the nights are equal.
Second form: a card that becomes public later, or the reader's answer, is another one; the nights are equal up to, and
without, the row that publishes it. Equal means every row as logged and every output of the rules core; only what seals
hold differs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from pitwarden.events.device import ShoeCard, ShoeStack
from pitwarden.rules.entry import AnswerDue, RevealDue
from pitwarden_simulators.cards import Card, is_blackjack
from pitwarden_simulators.devices.shoe import Dealt
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.pure.rows import LogRow
from pitwarden_simulators.table.actions import Desk
from pitwarden_simulators.table.setup import TAB_SHIELDED, TAB_VISIBLE, TABLES, TableSetup
from pure_judge import PureJudge
from pure_night import play
from shoes import Cycle, Shoes, seeded

ROUNDS = 8
SAMPLES = 5
LOOKING = {
    "short_shoe",
    "reader_misuse_shielded",
    "reader_misuse_visible",
    "early_reader_insert",
    "missed_reader_check",
}
LOOKING |= {"reader_failure"}
"""Faults that look through the shoe for a card, or deal one round's cards from two shuffles."""


class Enough(Exception):  # noqa: N818  no error: the rest of the night need not be played
    """The row that was waited for has come."""


@dataclass
class Witness:
    """What anybody can see of a night before row `last`: rows, outputs, revealed faces and answers."""

    judge: PureJudge
    last: int | None = None
    seen: list[tuple[object, ...]] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)

    def __call__(self, row: LogRow) -> Desk:
        if row.number == self.last:
            raise Enough
        if isinstance(row.data, ShoeCard | ShoeStack):
            self.drawn.append(row.number)
        before = len(self.judge.outputs)
        desk = self.judge(row)
        said = [output for _, output in self.judge.outputs[before:]]
        faces = [output.face for output in said if isinstance(output, RevealDue)]
        bits = [output.bit for output in said if isinstance(output, AnswerDue)]
        self.seen.append((row.number, row.log_ms, row.source, repr(row.data), repr(said), faces, bits))
        return desk

    def deals(self, truth: Shoes) -> dict[int, tuple[Cycle, Dealt]]:
        """What really left the shoe with each row that says so, and in which cycle."""
        assert truth.table is not None
        return dict(zip(self.drawn, zip(truth.dealt_in, truth.table.shoe.dealt, strict=True), strict=True))


def night(
    setup: TableSetup, shoes: Shoes, *, faults: bool = False, last: int | None = None, rounds: int = ROUNDS
) -> Witness:
    witness = Witness(PureJudge(setup), last)
    wrong = [fault for fault in load_faults() if faults and fault.table == setup.table and fault.name not in LOOKING]
    try:
        play(setup, "1", rounds, wrong, judge=witness, shoes=shoes)
    except Enough:
        assert last is not None
    return witness


def permuted(places: list[int], random: Random) -> Mapping[int, int]:
    other = places[:]
    random.shuffle(other)
    return dict(zip(places, other, strict=True))


@pytest.mark.parametrize("setup", TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("faults", [False, True], ids=["honest", "faulty"])
def test_cards_that_never_become_public_leave_no_trace(setup: TableSetup, *, faults: bool) -> None:
    truth = Shoes()
    told = night(setup, truth, faults=faults)
    random = seeded(7)
    moved = Shoes({cycle: permuted(truth.never_shown(cycle), random) for cycle in truth.orders})
    retold = night(setup, moved, faults=faults)
    assert truth.orders != moved.orders
    assert told.seen == retold.seen


def swapped(truth: Shoes, cycle: Cycle, card: Card, other: int) -> Shoes:
    """The same shoes, with `card` and the one at place `other` of `cycle` in each other's place."""
    place = truth.places_of(cycle, lambda one: one.serial == card.serial)[0]
    return Shoes({cycle: {place: other, other: place}})


def published_later(truth: Shoes, told: Witness) -> Iterator[tuple[int, Cycle, Card]]:
    """Each card that a row after its own publishes: that row, and the cycle in which it was drawn."""
    deals = told.deals(truth)
    for row, output in told.judge.outputs:
        if isinstance(output, RevealDue) and row.number > output.event:
            cycle, dealt = deals[output.event]
            yield row.number, cycle, dealt.cards[output.index]


@pytest.mark.parametrize("setup", TABLES.values(), ids=lambda setup: setup.table)
def test_a_card_leaves_no_trace_before_the_row_that_publishes_it(setup: TableSetup) -> None:
    truth = Shoes()
    told = night(setup, truth)
    random = seeded(11)
    for row, cycle, card in random.sample(list(published_later(truth, told)), SAMPLES):
        order = truth.orders[cycle]
        other = random.choice([place for place in truth.undealt(cycle) if order[place].face != card.face])
        retold = night(setup, swapped(truth, cycle, card, other), last=row)
        assert retold.seen == told.seen[: row - 1]


@pytest.mark.parametrize("setup", [TAB_SHIELDED, TAB_VISIBLE], ids=lambda setup: setup.table)
def test_the_readers_answer_leaves_no_trace_before_the_row_that_publishes_it(setup: TableSetup) -> None:
    truth = Shoes()
    told = night(setup, truth, rounds=20)
    deals = told.deals(truth)
    answers = [(row.number, output) for row, output in told.judge.outputs if isinstance(output, AnswerDue)]
    for row, answer in answers[:SAMPLES]:
        said = [out for seen, out in told.judge.outputs if isinstance(out, RevealDue) and seen.number <= row]
        up = Card(0, [output.face for output in said if output.slot == "dealer.1"][-1], "A")
        cycle, dealt = deals[max(number for number in told.drawn if number < answer.event)]
        order = truth.orders[cycle]
        flipping = [place for place in truth.undealt(cycle) if is_blackjack((up, order[place])) is not answer.bit]
        retold = night(setup, swapped(truth, cycle, dealt.cards[0], seeded(row).choice(flipping)), last=row, rounds=20)
        assert retold.seen == told.seen[: row - 1]
        assert retold.judge.state != told.judge.state
    assert answers
