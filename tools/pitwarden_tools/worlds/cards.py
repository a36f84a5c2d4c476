"""Cards that are dealt, and what the regulations foresee of them.

A card may lie face up in the shoe (36.14(a)), or be taken for a 10 (36.14(b)). It may be laid in the place
of another, or be drawn in error (36.14(c), (e)). A card that was drawn in error waits at the shoe, and is used as
though it were the next card from it: see `world.served`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.steps import Agenda, CardStep, Either, KeyStep, Note, Way, agenda

FORESEEN: Final = "foreseen"
"""The cost of an event that the regulations foresee; a round has one at most."""

LIKELY: Final = 40.0
"""The weight of the regular way against one that is foreseen, for random courses."""

CORRECTED: Final = "corrected"
"""The fact that cards of the deal lie elsewhere than dealt: such a deal is not keyed as done in its regular order."""

UNREAD_CARD: Final = "unread"
"""The fact that a card left the shoe unread. A card drawn in error behind it would take its place in the log."""

WAITING_DOWN: Final = "waiting.down"
WAITING_UP: Final = "waiting.up"
"""Places of a card that waits at the shoe; players saw one that lies face up."""


def cards(game: WorldGame, dealt: Sequence[CardStep], rest: Agenda | None) -> Agenda | None:
    """Return the cards one by one, with what the regulations foresee of each."""
    chain = [rest]  # what follows the last card, the one before it, and so on
    for at in reversed(range(len(dealt))):
        ways = list(_before(game, dealt[at], chain[-1]))
        one, other = dealt[at], dealt[min(at + 1, len(dealt) - 1)]
        if one != other and one.place.partition(".")[2] == other.place.partition(".")[2]:
            slots = (*_named(game, one), *_named(game, other))
            ways.append(exchanged(one, other, slots, chain[-2]))
        chain.append(agenda(Either(tuple(ways)), rest=None))
    return chain[-1]


def exchanged(one: CardStep, other: CardStep, slots: tuple[int, ...], rest: Agenda | None) -> Way:
    """Return the way in which two cards of one pass are laid in each other's places, and keyed so.

    No row distinguishes two cards that are face down, and were exchanged without a key, from a regular deal. The key of
    such an exchange is taken as certain, as section "Limits" of the document on secrecy states. The hole card and the
    card before it are no such pair: that box's second card came after all others, and is keyed so (36.14(h)).
    """
    key = KeyStep("misplaced", slots, sure=not one.up)
    return Way(agenda(other, one, Note(CORRECTED), key, rest=rest), FORESEEN, 0.3)


def drawn_in_error(rest: Agenda | None) -> Agenda | None:
    """Return `rest`, before which a card may be drawn in error unseen (36.14(c))."""
    erred = agenda(CardStep(WAITING_DOWN, up=False), KeyStep("drawn_in_error"), rest=rest)
    return agenda(Either((Way(rest, weight=LIKELY), Way(erred, FORESEEN, 0.5))), rest=None)


def errors(rest: Agenda | None, *, exposed: bool) -> Iterator[Way]:
    """Yield how a card may be drawn in error while hands are played: unseen, or exposed to the players (36.14(e))."""
    yield Way(agenda(CardStep(WAITING_DOWN, up=False), KeyStep("drawn_in_error"), rest=rest), FORESEEN, 0.02)
    if exposed:
        key = KeyStep("drawn_in_error", "exposed")
        yield Way(agenda(CardStep(WAITING_UP, up=True), key, rest=rest), FORESEEN, 0.02)


def _before(game: WorldGame, card: CardStep, rest: Agenda | None) -> Iterator[Way]:
    made = agenda(card, rest=rest)
    yield Way(made, weight=LIKELY)
    yield Way(agenda(CardStep("found", up=True), KeyStep("face_up"), rest=made), FORESEEN, 0.3)
    yield Way(agenda(CardStep("found", up=True, sensed=True), rest=made), FORESEEN, 0.2)
    if card.up and not game.tens:  # only who sees a face can take it for a 10
        yield Way(agenda(card, KeyStep("ten"), KeyStep("ten_refuted"), rest=rest), FORESEEN, 0.3)


def _named(game: WorldGame, card: CardStep) -> tuple[int, int]:
    """Return a card's slot as terminals name it: box, 0 for the dealer, and number of the card."""
    whose, _, place = card.place.partition(".")
    if whose == "dealer":
        return 0, 1 if place == "up" else 2
    of_box = [one.place for one in game.passes if not one.dealer] + ["last"]
    return int(whose.removeprefix("box")), 1 + of_box.index(place)
