"""The beginning of a round and its deal, with what the regulations foresee of it."""

from itertools import combinations
from typing import NamedTuple

from pitwarden_tools.worlds.blitz import blitz
from pitwarden_tools.worlds.cards import CORRECTED, FORESEEN, LIKELY, cards, drawn_in_error
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.play import play
from pitwarden_tools.worlds.steps import Agenda, Asked, CardStep, Either, KeyStep, NextRound, Note, Turn, Way, agenda


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
    burn, dealer, note = CardStep("burn", up=False), KeyStep("dealer"), Note("burned")
    asked = agenda(Either((Way(begun, weight=LIKELY), Way(_burn_shown(begun), FORESEEN))), rest=None)
    before, behind = agenda(dealer, burn, note, rest=asked), agenda(burn, dealer, note, rest=begun)
    return agenda(Either((Way(begun, weight=LIKELY / 2), Way(before), Way(behind))), rest=None)


def _burn_shown(rest: Agenda | None) -> Agenda | None:
    """Return a player's request to see the burn card (36.7(c)): the card is turned, and the key is pressed twice."""
    press = KeyStep("burn_request")
    return agenda(Turn(("burn",)), press, press, rest=rest)


def _keyed(house: HouseOptions, boxes: tuple[int, ...], end: Agenda | None) -> Agenda | None:
    if not house.game.burns:
        return agenda(KeyStep("boxes", boxes), rest=blitz(house.game, boxes, end, stacks=house.stacks))
    start = KeyStep(house.game.start)
    regular = _deal(house, boxes, boxes, end)
    ways = [Way(regular, weight=LIKELY), Way(agenda(KeyStep("dealer"), CardStep("burn", up=False), rest=regular))]
    for box in boxes if len(boxes) > 1 else ():
        left = tuple(one for one in boxes if one != box)
        ways.append(Way(_deal(house, boxes, left, end), FORESEEN))
    return agenda(KeyStep("boxes", boxes), start, Either(tuple(ways)), rest=None)


def _deal(house: HouseOptions, keyed: tuple[int, ...], boxes: tuple[int, ...], end: Agenda | None) -> Agenda | None:
    """Return the deal to `boxes`; those of `keyed` that are not among them are noticed to have no card."""
    game = house.game
    hands = play(game, boxes, end)
    if game.shows_burn:
        shown = Either((Way(hands, weight=LIKELY), Way(_burn_shown(hands), FORESEEN)))
        hands = agenda(Asked("burned", agenda(shown, rest=None), hands), rest=None)
    hole = CardStep("dealer.hole", up=False)
    lasts = {box: CardStep(f"box{box}.last", up=True) for box in boxes}
    done = agenda(Asked(CORRECTED, hands, agenda(KeyStep("dealt"), rest=hands)), rest=None) if house.dealt else hands
    made = cards(game, [*lasts.values(), hole], drawn_in_error(done))
    ways = [Way(made, weight=LIKELY)]
    for box in boxes:
        others = [card for one, card in lasts.items() if one != box]
        missed = KeyStep("one_card", box)
        ways.append(Way(agenda(*others, missed, lasts[box], hole, rest=hands), FORESEEN, 1 / len(boxes)))
        ways.append(Way(agenda(*others, hole, missed, lasts[box], rest=hands), FORESEEN, 1 / len(boxes)))
        alone = agenda(KeyStep("declined", box), hole, rest=_alone(game, boxes, box, end))
        ways.append(Way(agenda(*others, rest=alone), FORESEEN, 0.3))
    made = agenda(Either(tuple(ways)), rest=None)
    run: list[CardStep] = []
    for one in reversed(game.passes):
        if one.ends:
            made = drawn_in_error(agenda(KeyStep(one.ends), rest=cards(game, run, made)))
            run = []
        dealt = ["dealer.up"] if one.dealer else [f"box{box}.{one.place}" for box in boxes]
        run = [*(CardStep(place, one.up) for place in dealt), *run]
    made = cards(game, run, made)
    for box in keyed:
        made = made if box in boxes else agenda(KeyStep("no_cards", box), rest=made)
    return made


def _alone(game: WorldGame, boxes: tuple[int, ...], box: int, end: Agenda | None) -> Agenda | None:
    """Return the play of the boxes but one that declined its second card."""
    left = tuple(one for one in boxes if one != box)
    return play(game, left, end)
