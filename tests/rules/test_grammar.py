"""Counts in sentences: one card is not called cards."""

import pytest

from pitwarden.rules import load_profile
from pitwarden.rules.profile.grammar import device_words, hand_name, in_number


@pytest.mark.parametrize(
    ("plural", "right"),
    [
        ("1 cards were dealt where 14 belong", "1 card was dealt where 14 belong"),
        ("1 cards of deck A were taken out of the shoe", "1 card of deck A was taken out of the shoe"),
        ("The stub has 1 cards where 3 belong", "The stub has 1 card where 3 belong"),
        ("Deck A must be changed in 1 minutes.", "Deck A must be changed in 1 minute."),
        ("51 cards are out where 1 cards belong", "51 cards are out where 1 card belongs"),
        ("21 cards were dealt", "21 cards were dealt"),
        ("51 cards were drawn of deck A and 1 are left", "51 cards were drawn of deck A and 1 is left"),
        ("while 1 cards of it are on the layout", "while 1 card of it is on the layout"),
        ("1 10s came out of deck A", "1 10 came out of deck A"),
    ],
)
def test_a_count_of_one_has_the_singular(plural: str, right: str) -> None:
    assert in_number(plural) == right


@pytest.mark.parametrize(
    ("ident", "words"),
    [
        ("shoe", "the dealing shoe"),
        ("shoe2", "dealing shoe 2"),
        ("reader", "the card reader"),
        ("shuffler-left", "shuffler left"),
        ("keypad", "the keypad"),
        ("ghost", "ghost"),
        ("", ""),
    ],
)
def test_a_device_is_called_what_people_call_it(ident: str, words: str) -> None:
    assert device_words(ident) == words


@pytest.mark.parametrize(
    ("target", "name"),
    [("box2", "Box 2"), ("box2b", "Box 2, second hand"), ("box7d", "Box 7, fourth hand"), ("dealer", "dealer")],
)
def test_a_hand_is_called_by_its_box(target: str, name: str) -> None:
    assert hand_name(target) == name


def test_a_sentence_of_the_catalog_is_in_number() -> None:
    rule = load_profile("three-card-blitz", 1).rule("stub_wrong")
    assert rule is not None
    assert rule.sentence("recount", count=1, right=3) == "The stub has 1 card, 3 are required. Count the hands."
