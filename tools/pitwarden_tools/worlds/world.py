"""A world: one physical course of the round that agrees with the log so far, and how it continues without a row."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from pitwarden_tools.worlds.play import answer_to, dealer_ways, hand_of, ways_of
from pitwarden_tools.worlds.rows import UNREAD, About
from pitwarden_tools.worlds.steps import (
    Agenda,
    Asked,
    CardStep,
    DealerPlay,
    Either,
    KeyStep,
    NextRound,
    Note,
    Play,
    Stack,
    Turn,
    Way,
)

EARLY: Final = 6
"""Number of rows that a key may be early, at most."""


class World(NamedTuple):
    """World: the steps still to come, the rest of the round's allowance, and the place of each card.

    `slips`, `foreseen`: how many slips and foreseen events the round may still have; `hidden`, `lies`: places and the
    numbers of the cards there, in `lies` those of hands, 0 for one that was not read; `facts`: what the round knows of
    itself; `owed`: keys that are missing so far; `early`: keys that were pressed before their time, and their rows.
    """

    agenda: Agenda | None
    slips: int
    foreseen: int = 1
    hidden: frozenset[tuple[str, int]] = frozenset()
    lies: frozenset[tuple[str, int]] = frozenset()
    facts: frozenset[str] = frozenset()
    owed: frozenset[tuple[str, About]] = frozenset()
    early: frozenset[tuple[str, About, int]] = frozenset()


class Going(NamedTuple):
    """A world that another may become without a row; `why` names the slip, empty for none."""

    world: World
    why: str = ""


def places(world: World) -> dict[str, list[int]]:
    """Return the cards of each place, in the order in which they came."""
    lies: dict[str, list[int]] = {}
    for place, card in sorted(world.lies, key=lambda one: one[1]):
        lies.setdefault(place, []).append(card)
    return lies


def silent(world: World, faces: list[int], allowance: int) -> Iterator[Going]:
    """Yield what `world` may become without a row and without a slip; nothing where a row is due.

    Args:
        world: World whose next step is considered.
        faces: Faces of the log's cards, by their number.
        allowance: Number of slips that a round may have.
    """
    if world.agenda is None:
        return
    step, rest = world.agenda.step, world.agenda.rest
    match step:
        case Turn():
            hidden = frozenset(one for one in world.hidden if one[0] not in step.places)
            yield Going(world._replace(agenda=rest, hidden=hidden))
        case Note():
            yield Going(world._replace(agenda=rest, facts=world.facts | {step.fact}))
        case NextRound():
            yield Going(World(step.agenda, allowance, hidden=world.hidden))
        case Asked():
            answer = answer_to(step.question, places(world), faces, world.facts)
            yield from (Going(world._replace(agenda=step.yes)) for _ in range(answer is not False))
            yield from (Going(world._replace(agenda=step.no)) for _ in range(answer is not True))
        case Either() | Play() | DealerPlay():
            for way in ways(world, faces):
                if way.cost == "foreseen" and world.foreseen:
                    yield Going(world._replace(agenda=way.agenda, foreseen=0))
                elif way.cost == "":
                    yield Going(world._replace(agenda=way.agenda))
        case _:
            return


def ways(world: World, faces: list[int]) -> tuple[Way, ...]:
    """Return the ways in which a world whose next step is a choice of people may continue."""
    if world.agenda is None:
        return ()
    step, rest = world.agenda.step, world.agenda.rest
    match step:
        case Either():
            return step.ways
        case Play():
            return tuple(ways_of(step, hand_of(step, places(world), world.facts), faces, world.facts, rest))
        case DealerPlay():
            lies = places(world)
            hand = [card for place in ("dealer.up", "dealer.hole", "dealer.hit") for card in lies.get(place, [])]
            return tuple(dealer_ways(hand, faces, rest))
        case _:
            return ()


def slipped(world: World, rows: int) -> Iterator[Going]:
    """Yield what `world` may become without a row by a slip, or since a key was pressed early."""
    if world.agenda is None:
        return
    step, rest = world.agenda.step, world.agenda.rest
    pressed = _pressed(world, step, rows) if isinstance(step, KeyStep) else None
    if pressed is not None:
        yield Going(world._replace(agenda=rest, early=world.early - {pressed}))
        return
    if not world.slips:
        return
    less = world._replace(slips=world.slips - 1)
    match step:
        case KeyStep():
            owed = world.owed | {(step.name, step.about)}
            yield Going(less._replace(agenda=rest, owed=owed), f"{step.name} {step.about or ''} is missing or late")
        case CardStep() | Stack():
            lies = world.lies | {(step.place, UNREAD)}
            yield Going(less._replace(agenda=rest, lies=lies), f"a card for {step.place} was not read")
        case Either():
            slips = [way.agenda for way in step.ways if way.cost == "slip"]
            yield from (Going(less._replace(agenda=one), "the reader is used while insurance is open") for one in slips)
        case _:
            return


def _pressed(world: World, step: KeyStep, rows: int) -> tuple[str, About, int] | None:
    """Return the mistaken key that was `step`, pressed early by so few rows that it may have been meant."""
    key = (step.name, step.about)
    return next((one for one in world.early if one[:2] == key and rows - one[2] <= EARLY), None)
