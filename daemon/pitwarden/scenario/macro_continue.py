"""Macros that continue what the lines began: `stand` for the players, and `shoe` for a shoe that is nearly empty."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from pitwarden.scenario.arguments import Arguments, parse_int
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.macro_base import MacroState, check_arguments

_MOST: Final = 999
_LOW: Final = ("2", "3", "4", "5", "6", "A")
_HIGH: Final = ("7", "8", "9", "10", "J", "Q", "K")


def all_stand(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield the keys by which all boxes stand, or play, that did not decide yet; `stand 1 3` names some of them.

    Raises:
        ScenarioError: No round is in play, or a box is not in it.
    """
    check_arguments(args, (), plain=house.header.positions)
    now = house.round
    if not now.boxes:
        raise ScenarioError("no round is in play here: `deal`, or kp.boxes and the cards, come first")
    named = [parse_int(text, "a box", 1, house.header.positions) for text in args.plain]
    for box in named:
        if box not in now.boxes:
            raise ScenarioError(f"box {box} is not in this round (its boxes: {', '.join(map(str, now.boxes))})")
    bonuses = bool(house.profile.passes) and "kp.bonus_settled" in house.profile.passes[-1].ends
    for box in [box for box in now.boxes if box in named or not named]:
        if box in now.decided:
            continue
        if bonuses and house.keys("kp.bonus_settled") and box not in now.bonus_settled:
            yield f"kp.bonus_settled {box}"
        if box not in now.blackjacks:
            yield f"kp.{'play' if house.profile.in_stacks else 'stand'} {box}"


def small_shoe(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield new dealers, who burn a card each (36.7(c), 2B.7(c)), until `left=` cards are in the shoe.

    Raises:
        ScenarioError: No card is burned at this table, or fewer cards are in the shoe.
    """
    check_arguments(args, ("left",))
    if not house.burns:
        raise ScenarioError("no dealer burns a card at this table: play rounds until few cards are left")
    left = parse_int(args.named.get("left", ""), "left", 1, _MOST)
    more = house.inside - left
    if more < 0:
        raise ScenarioError(f"only {house.inside} cards are in the shoe here")
    for index in range(more):
        yield f"kp.dealer d{2 + index % 2}"
        yield f"sh.card {_spare(house)}"


def _spare(house: MacroState) -> str:
    """Return a card that a later macro can do without: its deals need high cards for the dealer."""
    for ranks in (_LOW, _HIGH):
        with suppress(ScenarioError):
            return house.pack.take(*ranks)
    return house.pack.next()
