"""Clearing conditions of an irregularity, as published facts and in words."""

from functools import lru_cache
from typing import Final

from pitwarden_client.events.outputs import ClearingFact

CLEARS: Final = {
    "round_end": "the wagers are returned and the round ends",
    "noted": "the floor's ruling",
    "confirmed": "the floor's confirmation",
    "secured": "the device is secured",
    "mode": "the way of dealing is keyed: {}",
    "mixed": "all cards are mixed again",
    "ten_destroyed": "the floorperson destroys the 10",
    "notified": "a casino supervisor is notified",
    "visible_told": "the floor says whether a player can see it",
    "card": "the next card is drawn",
    "burned": "one card is burned",
    "cut": "the cards are cut",
    "hands": "the hands are counted",
    "stub": "the stub is counted again",
    "boxes_agree": "the boxes are keyed",
    "in_the_deal": "the boxes are keyed",
    "unloaded": "the shoe is emptied",
    "card_removed": "the card is taken out of the deck",
    "shuffled": "{} is shuffled",
    "opening": "deck {} or a replacement has its full opening",
    "opened": "a new deck {} is opened",
    "returned": "deck {} leaves the table",
    "verified": "the floor verifies deck {}",
    "counted": "deck {} is counted whole",
    "inspected": "the floorperson inspects {}",
    "inspected_idle": "the floorperson inspects {} between rounds",
    "installed": "{} is on the table",
    "removed": "{} leaves the table",
    "started": "deck {} goes into the shuffler",
    "loaded": "deck {} goes into the shoe",
    "ib_settled": "the in-between wagers are settled",
    "antes_collected": "the antes are collected",
    "put_back": "the discards are back in the shoe",
    "spread": "deck {} is spread",
    "all_chosen": "each player has chosen a hand",
}
"""Phrase for each kind of clearing fact; `{}` is its subject."""


UNSAID: Final = "gone"
"""Kind that is not published: a deck that was returned or replaced is no longer shuffled or counted."""

_STEPS: Final = 64
_ALTERNATIVES: Final = 32
_LETTERS: Final = 500
"""Bounds of the contract. A table of eight decks and sixteen devices stays below the first two."""


@lru_cache(maxsize=1024)
def clearing_steps(awaits: tuple[str, ...]) -> tuple[tuple[ClearingFact, ...], ...]:
    """Return the open clearing conditions as published: steps in order, each with its alternatives."""
    items = [[_fact(token) for token in item.split("|")] for item in awaits]
    steps = [tuple(fact for fact in item if fact.kind != UNSAID)[:_ALTERNATIVES] for item in items]
    return tuple(step for step in steps if step)[:_STEPS]


def remedy_text(steps: tuple[tuple[ClearingFact, ...], ...]) -> str:
    """Return the steps as one sentence of at most 500 characters."""
    return "; then ".join(" or ".join(remedy_phrase(fact) for fact in step) for step in steps)[:_LETTERS]


def remedy_phrase(fact: ClearingFact) -> str:
    """Return one fact in words."""
    return CLEARS.get(fact.kind, fact.kind).format(fact.subject or "the deck")


def _fact(token: str) -> ClearingFact:
    kind, _, subject = token.partition(":")
    return ClearingFact(kind=kind, subject=subject or None)
