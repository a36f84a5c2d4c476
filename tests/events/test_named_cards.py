"""A card that a person names is recognized in each act, and what people write about a table otherwise is not."""

from typing import get_args

import pytest

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct, FtCardRemoved
from pitwarden_client.events.named_cards import WRITTEN, names_card, text_names_card

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
WORDS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
SUITS = (("C", "clubs", "♣"), ("D", "diamonds", "♦"), ("H", "hearts", "♥"), ("S", "spades", "♠"))
TEXT = "x00"
"""Part of the pattern of the type `Text`, which no other type of the acts has."""
ACTS = (*get_args(DealerAct), *get_args(FloorAct))


@pytest.mark.parametrize(("rank", "word"), list(zip(RANKS, WORDS, strict=True)))
@pytest.mark.parametrize(("letter", "suit", "symbol"), SUITS)
def test_each_card_is_recognized_as_people_write_it(rank: str, word: str, letter: str, suit: str, symbol: str) -> None:
    forms = (
        f"{rank}{letter}", f"{rank} {letter}", f"{rank}{symbol}", f"{symbol}{rank}", f"{word} of {suit}",
        f"{word.upper()} OF {suit.upper()}", f"{rank} of {suit}", f"{word.capitalize()} of {suit[:-1]}",
    )  # fmt: skip
    for form in forms:
        for text in (form, f"the {form} is torn", f"({form}, torn)"):
            assert text_names_card(text), text


@pytest.mark.parametrize("text", ["JKR", "an ace", "two queens", "the king", "🂱", "T♠", "deuce of spades"])
def test_ranks_that_tell_a_hand_and_jokers_are_recognized(text: str) -> None:
    assert text_names_card(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "torn", "box2.1", "dealer.2", "10 cents", "round 10, box 3", "3 cards", "Mr. King ruled", "jackpot",
        "shoe 2D4", "the heart of it", "5f2c9a-12-0", "memo 7-2026", "A player complained", "K. Diaz", "ten minutes",
    ],
)  # fmt: skip
def test_what_names_no_card_is_left_alone(text: str) -> None:
    assert not text_names_card(text)


def test_each_text_of_each_act_is_looked_at() -> None:
    texts = {name for act in ACTS for name, field in act.model_fields.items() if TEXT in str(field.metadata)}
    assert texts == set(WRITTEN)


def test_each_field_for_a_card_is_looked_at() -> None:
    fields = {
        (act, name)
        for act in ACTS
        for name, field in act.model_fields.items()
        if "JKR" in f"{field.annotation}{field.metadata}"
    }
    assert fields == {(FtCardRemoved, "face"), (FtCardRemoved, "replaced_by")}
    plain = FtCardRemoved(deck="A", count=1, reason="torn")
    assert not names_card(plain)
    assert all(names_card(plain.model_copy(update={name: "7C"})) for _, name in fields)
