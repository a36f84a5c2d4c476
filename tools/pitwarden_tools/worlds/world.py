"""A world: one physical course of the round that agrees with the log so far, and how it continues without a row."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from pitwarden_tools.worlds.cards import UNREAD_CARD, WAITING_DOWN, WAITING_UP
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
_WAITING: Final = frozenset({WAITING_DOWN, WAITING_UP})


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


def waiting_for(world: World) -> tuple[str, int] | None:
    """Return the place and number of the waiting card that is dealt at once as the next card, None for none."""
    step = None if world.agenda is None else world.agenda.step
    if not isinstance(step, CardStep) or "." not in step.place or step.place in _WAITING:
        return None
    return _waiting(world)


def _waiting(world: World) -> tuple[str, int] | None:
    return min((one for one in world.lies if one[0] in _WAITING), key=lambda one: one[1], default=None)


def served(world: World) -> World:
    """Return `world` in which no dealt card waits any more: the act that requests it takes it without a row."""
    ahead = world
    while _waiting(world) is not None and ahead.agenda is not None:
        card, (step, rest) = waiting_for(ahead), (ahead.agenda.step, ahead.agenda.rest)
        if card is not None:
            world = ahead = taken(ahead, card)
        elif isinstance(step, Note):
            ahead = ahead._replace(agenda=rest, facts=ahead.facts | {step.fact})
        elif isinstance(step, Either) and len(regular := [way for way in step.ways if not way.cost]) == 1:
            ahead = ahead._replace(agenda=regular[0].agenda)
        else:
            break
    return world


def taken(world: World, card: tuple[str, int]) -> World:
    """Return `world` after the next step dealt the waiting `card`."""
    if world.agenda is None or not isinstance(world.agenda.step, CardStep):
        return world
    step = world.agenda.step
    moved = {one for one in world.hidden if one[0] == card[0]}
    lies = frozenset() if step.up else frozenset((step.place, number) for _, number in moved)
    hands = world.lies - {card} | ({(step.place, card[1])} if "." in step.place else set())
    return world._replace(agenda=world.agenda.rest, hidden=world.hidden - moved | lies, lies=hands)


def silent(world: World, faces: list[int], allowance: int) -> Iterator[Going]:
    """Yield what `world` may become without a row and without a slip; nothing where a row is due.

    Args:
        world: World whose next step is considered.
        faces: Faces of the log's cards, by their number.
        allowance: Number of slips that a round may have.
    """
    if world.agenda is None:
        return
    step, rest, waits = world.agenda.step, world.agenda.rest, _waiting(world)
    match step:
        case Turn():
            hidden = frozenset(one for one in world.hidden if one[0] not in step.places)
            yield Going(world._replace(agenda=rest, hidden=hidden))
        case Note():
            yield Going(world._replace(agenda=rest, facts=world.facts | {step.fact}))
        case NextRound():
            yield Going(World(step.agenda, allowance, hidden=world.hidden, lies=_carried(world)))
        case CardStep(place="burn") if waits is not None:
            # The text leaves open whether a new dealer burns a card that waits.
            yield Going(taken(world, waits))
        case Asked() | Either() | Play() | DealerPlay():
            yield from _chosen(world, faces)
        case _:
            return


def _chosen(world: World, faces: list[int]) -> Iterator[Going]:
    """Yield what `world` may become by the answer to a question, or by a choice of people."""
    step = None if world.agenda is None else world.agenda.step
    if isinstance(step, Asked):
        answer = answer_to(step.question, places(world), faces, world.facts)
        yield from (Going(world._replace(agenda=step.yes)) for _ in range(answer is not False))
        yield from (Going(world._replace(agenda=step.no)) for _ in range(answer is not True))
    for way in ways(world, faces):
        if way.cost == "foreseen" and world.foreseen:
            yield Going(world._replace(agenda=way.agenda, foreseen=0))
        elif way.cost == "":
            yield Going(world._replace(agenda=way.agenda))


def _carried(world: World) -> frozenset[tuple[str, int]]:
    """Return the card that waits for the next round; one that is not keyed goes to the rack with the others."""
    keyed = not any(name == "drawn_in_error" for name, _ in world.owed)
    return frozenset(one for one in world.lies if one[0] == WAITING_DOWN and keyed)


def ways(world: World, faces: list[int]) -> tuple[Way, ...]:
    """Return the ways in which a world whose next step is a choice of people may continue."""
    if world.agenda is None:
        return ()
    step, rest = world.agenda.step, world.agenda.rest
    match step:
        case Either():
            return step.ways
        case Play():
            lies = places(world)
            facts = world.facts | ({WAITING_UP} & lies.keys())
            return tuple(ways_of(step, hand_of(step, lies, world.facts), faces, facts, rest))
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
        case KeyStep(sure=False):
            owed = world.owed | {(step.name, step.about)}
            yield Going(less._replace(agenda=rest, owed=owed), f"{step.name} {step.about or ''} is missing or late")
        case CardStep() | Stack():
            lies, facts = world.lies | {(step.place, UNREAD)}, world.facts | {UNREAD_CARD}
            yield Going(less._replace(agenda=rest, lies=lies, facts=facts), f"a card for {step.place} was not read")
        case Either():
            slips = [way.agenda for way in step.ways if way.cost == "slip"]
            yield from (Going(less._replace(agenda=one), "the reader is used while insurance is open") for one in slips)
        case _:
            return


def _pressed(world: World, step: KeyStep, rows: int) -> tuple[str, About, int] | None:
    """Return the mistaken key that was `step`, pressed early by so few rows that it may have been meant."""
    key = (step.name, step.about)
    return next((one for one in world.early if one[:2] == key and rows - one[2] <= EARLY), None)
