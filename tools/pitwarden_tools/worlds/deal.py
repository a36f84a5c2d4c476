"""The beginning of a round and its deal, with what the regulations foresee of it."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from pitwarden_tools.worlds.blitz import blitz
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.play import play
from pitwarden_tools.worlds.steps import Agenda, CardStep, Either, KeyStep, NextRound, Way, agenda

FORESEEN = "foreseen"
"""The cost of an event that the regulations foresee; a round has one at most."""

_LIKELY = 40.0
"""The weight of the regular way against one that is foreseen, for random courses."""


class HouseOptions(NamedTuple):
    """Habits of a table: its game, boxes at most, rounds in a log, whether it keys `dealt`, deals in stacks."""

    game: WorldGame
    boxes: int = 2
    rounds: int = 1
    dealt: bool = False
    stacks: bool = False


def course(house: HouseOptions) -> Agenda | None:
    """Return all honest courses of so many rounds."""
    made: Agenda | None = None
    for _ in range(house.rounds):
        made = _round(house, agenda(NextRound(made), rest=None))
    return made


def _round(house: HouseOptions, end: Agenda | None) -> Agenda | None:
    boxes = range(1, house.boxes + 2)
    chosen = [one for size in range(1, house.boxes + 1) for one in combinations(boxes, size)]
    begun = agenda(Either(tuple([Way(_keyed(house, one, end)) for one in chosen])), rest=None)
    if not house.game.burns:
        return begun
    burn, dealer = CardStep("burn", up=False), KeyStep("dealer")
    before, behind = agenda(dealer, burn, rest=begun), agenda(burn, dealer, rest=begun)
    return agenda(Either((Way(begun, weight=_LIKELY / 2), Way(before), Way(behind))), rest=None)


def _keyed(house: HouseOptions, boxes: tuple[int, ...], end: Agenda | None) -> Agenda | None:
    if not house.game.burns:
        return agenda(KeyStep("boxes", boxes), rest=blitz(house.game, boxes, end, stacks=house.stacks))
    start = KeyStep(house.game.start)
    regular = _deal(house, boxes, boxes, end)
    ways = [Way(regular, weight=_LIKELY), Way(agenda(KeyStep("dealer"), CardStep("burn", up=False), rest=regular))]
    for box in boxes if len(boxes) > 1 else ():
        left = tuple(one for one in boxes if one != box)
        ways.append(Way(_deal(house, boxes, left, end), FORESEEN))
    return agenda(KeyStep("boxes", boxes), start, Either(tuple(ways)), rest=None)


def _deal(house: HouseOptions, keyed: tuple[int, ...], boxes: tuple[int, ...], end: Agenda | None) -> Agenda | None:
    """Return the deal to `boxes`; those of `keyed` that are not among them are noticed to have no card."""
    game = house.game
    done = [KeyStep("dealt")] if house.dealt else []
    hands = play(game, boxes, end)
    hole = CardStep("dealer.hole", up=False)
    lasts = {box: CardStep(f"box{box}.last", up=True) for box in boxes}
    made = _cards([*lasts.values(), hole], agenda(*done, rest=hands))
    ways = [Way(made, weight=_LIKELY)]
    for box in boxes:
        others = [card for one, card in lasts.items() if one != box]
        missed = KeyStep("one_card", box)
        ways.append(Way(agenda(*others, missed, lasts[box], hole, rest=hands), FORESEEN, 1 / len(boxes)))
        ways.append(Way(agenda(*others, hole, missed, lasts[box], rest=hands), FORESEEN, 1 / len(boxes)))
        alone = agenda(KeyStep("declined", box), hole, rest=_alone(game, boxes, box, end))
        ways.append(Way(agenda(*others, rest=alone), FORESEEN, 0.3))
    made = agenda(Either(tuple(ways)), rest=None)
    for one in reversed(game.passes):
        ends = [KeyStep(one.ends)] if one.ends else []
        if one.dealer:
            made = _cards([CardStep("dealer.up", one.up)], agenda(*ends, rest=made))
            continue
        made = _cards([CardStep(f"box{box}.{one.place}", one.up) for box in boxes], agenda(*ends, rest=made))
    for box in keyed:
        made = made if box in boxes else agenda(KeyStep("no_cards", box), rest=made)
    return made


def _alone(game: WorldGame, boxes: tuple[int, ...], box: int, end: Agenda | None) -> Agenda | None:
    """Return the play of the boxes but one that declined its second card."""
    left = tuple(one for one in boxes if one != box)
    return play(game, left, end)


def _cards(cards: list[CardStep], rest: Agenda | None) -> Agenda | None:
    """Return the cards one by one; before each there may be one that lay face up in the shoe, sensed or keyed."""
    made = rest
    for card in reversed(cards):
        made = agenda(card, rest=made)
        made = agenda(Either(tuple(_found(made))), rest=None)
    return made


def _found(made: Agenda | None) -> Iterator[Way]:
    yield Way(made, weight=_LIKELY)
    yield Way(agenda(CardStep("found", up=True), KeyStep("face_up"), rest=made), FORESEEN, 0.3)
    yield Way(agenda(CardStep("found", up=True, sensed=True), rest=made), FORESEEN, 0.2)
