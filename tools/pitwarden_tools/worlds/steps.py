"""Steps of a course, and agendas: what is still to happen, as an interned chain, so that equal ones are one object."""

from typing import NamedTuple

from pitwarden_tools.worlds.rows import About


class CardStep(NamedTuple):
    """Card dealt to a place (`box2.last`, `dealer.hole`), face up or down; `sensed`: the shoe saw it face up."""

    place: str
    up: bool
    sensed: bool = False


class Stack(NamedTuple):
    """Hand dispensed at once, face down."""

    place: str
    size: int


class KeyStep(NamedTuple):
    """Input that a person keys; `sure`: it is neither missing nor late, and names what it should."""

    name: str
    about: About = None
    sure: bool = False


class Sensed(NamedTuple):
    """Report of a device; `hides`: its answer is not public yet."""

    name: str
    hides: bool = False


class Turn(NamedTuple):
    """Cards at these places are turned face up; no row records it."""

    places: tuple[str, ...]


class Taken(NamedTuple):
    """A card that waits at `origin` is dealt as the next card; a row records at most the key that requests it."""

    origin: str
    place: str
    up: bool


class Note(NamedTuple):
    """Fact of the round, such as a folded box; no row records it."""

    fact: str


class Way(NamedTuple):
    """One of several ways in which a round may continue.

    `cost`: what it takes of the round's allowance: nothing, the one event that the regulations foresee, or the slip.
    """

    agenda: "Agenda | None"
    cost: str = ""
    weight: float = 1


class Either(NamedTuple):
    """Choice of people: the course continues in one of these ways, whatever the cards are."""

    ways: tuple[Way, ...]


class Asked(NamedTuple):
    """Question about public cards and facts: the course continues by its answer."""

    question: str
    yes: "Agenda | None"
    no: "Agenda | None"


class Play(NamedTuple):
    """A box plays a hand: `half` is empty, or `b` for the second hand after a split; `exposed` as in `WorldGame`."""

    box: int
    exposed: bool
    half: str = ""


class DealerPlay(NamedTuple):
    """The dealer draws while the total is below 17."""


class NextRound(NamedTuple):
    """The round is over; with it its allowance, and all that was keyed early or late."""

    agenda: "Agenda | None"


AnyStep = CardStep | Stack | KeyStep | Sensed | Turn | Taken | Note | Either | Asked | Play | DealerPlay | NextRound


class Agenda:
    """A step and what follows it. Compared by identity: `agenda` gives equal chains as one object."""

    __slots__ = ("rest", "step")

    def __init__(self, step: AnyStep, rest: "Agenda | None") -> None:
        self.step, self.rest = step, rest


_MADE: dict[tuple[AnyStep, type, int], Agenda] = {}


def agenda(*steps: AnyStep, rest: Agenda | None) -> Agenda | None:
    """Return the chain of `steps` in front of `rest`."""
    made = rest
    for step in reversed(steps):
        key = (step, type(step), id(made))
        if key not in _MADE:
            _MADE[key] = Agenda(step, made)
        made = _MADE[key]
    return made
