"""Random rounds: an honest course, one slip in it, and the rows and the truth that come of both."""

import random
from dataclasses import dataclass, field

from pitwarden_tools.worlds.deal import HouseOptions
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.rows import WorldRow, points_of
from pitwarden_tools.worlds.steps import (
    Agenda,
    AnyStep,
    CardStep,
    KeyStep,
    NextRound,
    Sensed,
    Stack,
    Taken,
    Turn,
    Way,
)
from pitwarden_tools.worlds.world import World, places, silent, taken, waiting_for, ways

_BOOST = 12
"""Factor on the probability of a foreseen event in a round that has one."""


@dataclass(slots=True)
class Item:
    """Step with the faces of its cards, or a row of its own; `unread`: it leaves no row."""

    step: AnyStep | None
    faces: tuple[int, ...] = ()
    row: WorldRow | None = None
    unread: bool = False


@dataclass(slots=True)
class PlayedCourse:
    """A log, and the row from which on each of its cards is truly visible; a card that never is, is not in `seen`.

    `pace_ms`: time between two rows. Within a second the core takes a card and its key in either order.
    """

    rows: list[WorldRow] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    name: str = ""
    pace_ms: int = 2_000


def deck_of(game: WorldGame, rng: random.Random) -> list[int]:
    """Return a shuffled pack."""
    deck = [face for face in range(52) if game.tens or face % 13 != 9] * game.copies  # noqa: PLR2004  rank of a 10
    rng.shuffle(deck)
    return deck


def honest(house: HouseOptions, course: Agenda | None, rng: random.Random, odd: float) -> list[Item]:
    """Return one course without a slip; `odd`: how often a round has an event that the regulations foresee."""
    deck, faces, items = deck_of(house.game, rng), [-1], list[Item]()
    world, rare = World(course, 0), rng.random() < odd
    while world.agenda is not None:
        step, rest = world.agenda.step, world.agenda.rest
        waits = waiting_for(world)
        if isinstance(step, CardStep) and waits is not None:
            # The act comes before the key that requests the card, as everywhere in a course.
            keyed = bool(items) and isinstance(items[-1].step, KeyStep)
            items.insert(len(items) - keyed, Item(Taken(waits[0], step.place, step.up)))
            world = taken(world, waits)
            continue
        match step:
            case CardStep() | Stack():
                drawn = tuple(deck.pop() for _ in range(step.size if isinstance(step, Stack) else 1))
                lies = {(step.place, len(faces) + at) for at in range(len(drawn))}
                faces += drawn
                items.append(Item(step, drawn))
                world = world._replace(agenda=rest, lies=world.lies | lies)
            case Sensed():
                bit = _blackjack(world, faces) if step.name == "result" else 0
                if step.name == "result":
                    world = world._replace(lies=world.lies | {("answer", len(faces))})
                    faces.append(bit)
                items.append(Item(step, (bit,)))
                world = world._replace(agenda=rest)
            case KeyStep() | Turn():
                items.append(Item(step))
                world = world._replace(agenda=rest)
            case _:
                if isinstance(step, NextRound):
                    rare = rng.random() < odd
                world = _went(world, faces, rng, rare=rare)
    return items


def _went(world: World, faces: list[int], rng: random.Random, *, rare: bool) -> World:
    """Return `world` after one step that people choose, or that follows by itself."""
    allowed = {"", "foreseen"} if rare and world.foreseen else {""}
    choices = [way for way in ways(world, faces) if way.cost in allowed]
    if choices:
        way = rng.choices(choices, [_weight(one) for one in choices])[0]
        return world._replace(agenda=way.agenda, foreseen=0 if way.cost else world.foreseen)
    return next(silent(world, faces, 0)).world


def _weight(way: Way) -> float:
    return way.weight * _BOOST if way.cost else way.weight


def _blackjack(world: World, faces: list[int]) -> int:
    lies = places(world)
    two = [faces[card] for place in ("dealer.up", "dealer.hole") for card in lies.get(place, [])]
    return int(points_of(two) == 21 and len(two) == 2)  # noqa: PLR2004  a blackjack


def log_of(items: list[Item], name: str) -> PlayedCourse:
    """Return the rows of `items`, and when each card is truly seen."""
    made, lying, cards = PlayedCourse(name=name), dict[str, list[int]](), 0
    for item in items:
        row = _row(item)
        if row is not None and not item.unread:
            made.rows.append(row)
            brought = len(row.faces) if row.kind != "device" else int(row.name == "result")
            new = list(range(cards + 1, cards + brought + 1))
            cards += brought
            _lie(item, new, made, lying)
        if isinstance(item.step, Turn):
            for place in item.step.places:
                made.seen.update(dict.fromkeys(lying.pop(place, []), len(made.rows)))
        elif isinstance(item.step, Taken):
            waiting = lying.pop(item.step.origin, [])
            if item.step.up:
                made.seen.update(dict.fromkeys(waiting, len(made.rows)))
            else:
                lying.setdefault(item.step.place, []).extend(waiting)
    return made


def _row(item: Item) -> WorldRow | None:
    step = item.step
    if item.row is not None:
        return item.row
    match step:
        case CardStep():
            return WorldRow("card", faces=item.faces, up=step.sensed)
        case Stack():
            return WorldRow("stack", faces=item.faces)
        case KeyStep():
            return WorldRow("key", step.name, step.about)
        case Sensed():
            return WorldRow("device", step.name, bit=bool(item.faces[0]))
        case _:
            return None


def _lie(item: Item, cards: list[int], made: PlayedCourse, lying: dict[str, list[int]]) -> None:
    step = item.step
    up = step.up if isinstance(step, CardStep) else not step.hides if isinstance(step, Sensed) else False
    place = step.place if isinstance(step, CardStep | Stack) else "answer"
    if up:
        made.seen.update(dict.fromkeys(cards, len(made.rows)))
    else:
        lying.setdefault(place, []).extend(cards)
