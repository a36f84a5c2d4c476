"""Facts that a log row establishes and that an irregularity awaits, as they are published and as a person is told.

A fact is a kind and perhaps a subject, such as `shuffled` of deck A. The constructors below are the only way to make
one: a misspelled kind, or one with a subject of another sort, is an error of the type checker.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from pitwarden.rules.profile.grammar import device_words
from pitwarden_client.events.outputs import ClearingFact

PlainKind = Literal[
    "all_chosen", "answered", "antes_collected", "bets_closed", "bonus_settled", "boxes_agree", "burned", "card",
    "card_removed", "confirmed", "cut", "dealer", "dealer_first_missed", "explained", "hands", "hole_shown",
    "ib_settled", "in_the_deal", "insurance_settled", "mixed", "mode", "noted", "notified", "put_back", "reader_bad",
    "reader_fault", "round_end",
    "secured", "spread_request", "stub", "ten_destroyed", "unloaded", "visible_told",
]  # fmt: skip
DeckKind = Literal[
    "bad_opening", "counted", "gone", "loaded", "opened", "opening", "returned", "shuffled", "spread", "started",
    "verified",
]  # fmt: skip
DeviceKind = Literal["failed", "inspected", "inspected_idle", "installed", "removed"]
CaseKind = Literal["ack", "confirmed", "noted", "refute"]
FactKind: TypeAlias = PlainKind | DeckKind | DeviceKind | CaseKind | Literal["decided", "key", "ten_refuted"]

REST: Final = "rest"
"""Subject of `shuffled` for the discards of a round that ran short of cards, which are part of a deck."""


class Fact(NamedTuple):
    """A kind, and the name of the deck, device, box, way of dealing, key, irregularity or row that it is about.

    `subject` is None for a fact about the table, and empty where it is unknown which deck or device it is about.
    """

    kind: FactKind
    subject: str | None = None


ClearingStep: TypeAlias = tuple[Fact, ...]
"""Alternatives: one of these facts completes the step."""


def deck_fact(kind: DeckKind, deck: str) -> Fact:
    """Return the fact of `kind` about a deck."""
    return Fact(kind, deck)


def device_fact(kind: DeviceKind, device: str) -> Fact:
    """Return the fact of `kind` about a device."""
    return Fact(kind, device)


def case_fact(kind: CaseKind, ref: str) -> Fact:
    """Return what a person entered about the irregularity `ref`."""
    return Fact(kind, ref)


def box_decided(box: int) -> Fact:
    """Return the fact that a box played or folded."""
    return Fact("decided", str(box))


def ten_refuted(row: str) -> Fact:
    """Return the fact that the card of log row `row` is no 10."""
    return Fact("ten_refuted", row)


def key_fact(key: str) -> Fact:
    """Return the fact that `key` was entered, as profiles name it: `kp.close insurance`."""
    return Fact("key", key)


def mode_keyed(mode: str) -> Fact:
    """Return the fact that this way of dealing was keyed; `fact("mode")` is any of them."""
    return Fact("mode", mode)


_PLAIN: Final[Mapping[PlainKind, Fact]] = {kind: Fact(kind) for kind in get_args(PlainKind)}

fact: Final[Callable[[PlainKind], Fact]] = _PLAIN.__getitem__
"""Return the fact of a kind about the table; of a ruling, the ruling on the irregularity that awaits it.

Checks ask for facts on every row, so this is the access to the table of facts itself, without a function around it.
"""


def parse_step(text: str) -> ClearingStep:
    """Return the alternatives in `text`, such as `noted or verified(deck)`; the name in brackets is a field.

    Raises:
        ValueError: No row can establish such a fact, or no person can be told to bring it about.
    """
    made: list[Fact] = []
    for word in text.split(" or "):
        found = _WORD.fullmatch(word)
        kind = next((known for known in (*WORDS, UNSAID) if found is not None and known == found["kind"]), None)
        if found is None or kind is None:
            raise ValueError(f"{word!r} is not a fact that a person can be told to bring about")
        subject, about = found["subject"], SUBJECTS.get(kind)
        if (subject is None) != (about is None) or (subject is not None and subject not in _FIELDS[about or ""]):
            raise ValueError(f"{word!r}: {kind} is about {' or '.join(_FIELDS[about]) if about else 'the table'}")
        made.append(Fact(kind, subject))
    return tuple(made)


def bound(steps: tuple[ClearingStep, ...], subjects: Mapping[str, str]) -> tuple[ClearingStep, ...]:
    """Return parsed `steps` with each field replaced by its value in `subjects`; `rest` stands for itself."""
    return tuple([tuple([_bound(one, subjects) for one in step]) for step in steps])


def _bound(one: Fact, subjects: Mapping[str, str]) -> Fact:
    return one if one.subject in {None, REST} else Fact(one.kind, subjects[one.subject or ""])


SUBJECTS: Final[Mapping[FactKind, str]] = {
    **dict.fromkeys(get_args(DeckKind), "deck"),
    **dict.fromkeys(get_args(DeviceKind), "device"),
}
"""What the facts are about that a record can name; all others are about the table."""

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "deck": ("deck", "other_deck", "known_deck", REST),
    "device": ("device",),
}
_WORD: Final = re.compile(r"(?P<kind>[a-z_]+)(?:\((?P<subject>[a-z_]+)\))?")

UNSAID: Final[FactKind] = "gone"
"""Kind that is not published: a deck that was returned or replaced is no longer shuffled or counted."""

NOTED: Final[tuple[ClearingStep, ...]] = ((fact("noted"),),)
"""Clearing condition of an ALERT: the floor's ruling (`ft.settle_note`)."""

WORDS: Final[Mapping[FactKind, str]] = {
    "round_end": "the wagers are returned and the round ends",
    "noted": "the floorperson's ruling",
    "confirmed": "the floorperson's confirmation",
    "secured": "the device is secured",
    "mode": "the way of dealing is entered",
    "mixed": "all cards are mixed again",
    "ten_destroyed": "the floorperson destroys the 10",
    "notified": "a casino supervisor is notified",
    "visible_told": "the floorperson states whether a player can see it",
    "card": "the next card is drawn",
    "burned": "one card is burned",
    "cut": "the cards are cut",
    "hands": "the hands are counted",
    "stub": "the stub is counted again",
    "boxes_agree": "the boxes are entered",
    "in_the_deal": "the boxes are entered",
    "unloaded": "the shoe is emptied",
    "card_removed": "the card is taken out of the deck",
    "shuffled": "{} is shuffled",
    "opening": "{} or a replacement has its full opening",
    "opened": "new cards are opened as {}",
    "returned": "{} leaves the table",
    "verified": "the floorperson verifies {}",
    "counted": "{} is counted complete",
    "inspected": "the floorperson inspects {}",
    "inspected_idle": "the floorperson inspects {} between rounds",
    "installed": "{} is at the table",
    "removed": "{} leaves the table",
    "started": "{} goes into the shuffler",
    "loaded": "{} goes into the shoe",
    "ib_settled": "the in-between wagers are settled",
    "antes_collected": "the antes are collected",
    "spread": "{} is spread",
    "all_chosen": "each player has chosen a hand",
}
"""Phrase for each kind that a person may be told to bring about; `{}` is the deck or device that it is about."""

_REST_WORDS: Final = "the discards are shuffled"
_MODES: Final[Mapping[str, str]] = {
    "manual_shoe": "dealing from a manual shoe is entered",
    "auto_shoe": "dealing from an automated shoe is entered",
    "hand": "dealing from the hand is entered",
}


_PHRASES: Final[Mapping[str, str]] = {str(kind): words for kind, words in WORDS.items()}
_ABOUT: Final[Mapping[str, str]] = {str(kind): about for kind, about in SUBJECTS.items()}


def fact_words(kind: str, subject: str | None) -> str:
    """Return what brings a fact about, in words.

    Args:
        kind: Kind of a clearing condition.
        subject: Deck, device or way of dealing that it is about; None or empty where none is known.
    """
    words, about = _PHRASES.get(kind, kind), _ABOUT.get(kind)
    if kind == "mode" and subject:
        return _MODES.get(subject, words)
    if about == "deck":
        return _REST_WORDS if subject == REST else words.format(f"deck {subject}" if subject else "the deck")
    return words.format(device_words(subject) if subject else "the device") if about else words


_STEPS: Final = 64
_ALTERNATIVES: Final = 32
_LETTERS: Final = 500
"""Bounds of the contract. A table of eight decks and sixteen devices stays below the first two."""


@lru_cache(maxsize=1024)
def clearing_steps(awaits: tuple[ClearingStep, ...]) -> tuple[tuple[ClearingFact, ...], ...]:
    """Return the open clearing conditions as published: steps in order, each with its alternatives."""
    steps = [tuple(_published(one) for one in step if one.kind != UNSAID)[:_ALTERNATIVES] for step in awaits]
    return tuple(step for step in steps if step)[:_STEPS]


def remedy_text(steps: tuple[tuple[ClearingFact, ...], ...]) -> str:
    """Return the steps as one sentence of at most 500 characters."""
    return "; then ".join(" or ".join(fact_words(one.kind, one.subject) for one in step) for step in steps)[:_LETTERS]


def _published(one: Fact) -> ClearingFact:
    return ClearingFact(kind=one.kind, subject=one.subject or None)
