"""Macros deal what a real pack could deal, and hands that the rules let stand."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.scenario import parse_scenario
from pitwarden.scenario.macro_base import rank_total
from pitwarden.scenario.macros import MacroStep, expand
from pitwarden_client.events.card_faces import is_ten, parse_face

ROUND = st.fixed_dictionaries(
    {},
    optional={
        "boxes": st.integers(1, 7),
        "up": st.sampled_from(["A", "2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K"]),
        "hit": st.integers(1, 7),
        "double": st.integers(1, 7),
        "split": st.integers(1, 7),
        "bj": st.integers(1, 7),
    },
)


def steps(head: str, rows: list[str]) -> list[MacroStep]:
    return list(expand(parse_scenario(f"title: t\n{head}\n---\n" + "\n".join(rows), "m.scn")))


def loads(made: list[MacroStep]) -> list[list[str]]:
    """Return the cards drawn since each load."""
    shoes: list[list[str]] = []
    for one in made:
        if one.word == "sh.load":
            shoes.append([])
        elif one.word == "sh.card":
            shoes[-1].append(one.args[0])
        elif one.word == "sh.stack":
            shoes[-1].extend(one.args[1:])
    return shoes


@settings(max_examples=60, deadline=None)
@given(st.lists(ROUND, min_size=1, max_size=8))
def test_triple_attack_blackjack_never_deals_a_card_too_many(rounds: list[dict[str, object]]) -> None:
    rows = ["round " + " ".join(f"{key}={value}" for key, value in one.items()) for one in rounds]
    made = steps("game: TAB\ndevices: shoe, shuffler, reader visible=no", ["open", *rows, "shuffle A", *rows])
    for shoe in loads(made):
        assert max(Counter(shoe).values()) <= 8
        assert not any(is_ten(parse_face(name)) for name in shoe)
    kinds = Counter(one.word for one in made)
    assert kinds["kp.deal"] == kinds["kp.round_end"] == 2 * len(rounds)
    assert kinds["rd.ins"] == kinds["rd.res"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.sampled_from(["manual_shoe", "auto_shoe"]))
def test_blitz_deals_seven_to_each_and_no_card_twice(boxes: list[int], mode: str) -> None:
    made = steps(f"game: CB\nmode: {mode}", ["open", *(f"round boxes={count}" for count in boxes)])
    shoes = loads(made)
    assert [len(shoe) for shoe in shoes] == [7 * (count + 1) for count in boxes] + [0]
    assert all(len(set(shoe)) == len(shoe) for shoe in shoes)


def test_two_decks_take_turns() -> None:
    made = steps("game: CB\ndecks: A red, B blue", ["open", "round times=4"])
    assert [one.args[0] for one in made if one.word == "sh.load"] == ["A", "B", "A", "B", "A"]


def test_the_rest_of_the_shoe_is_what_was_not_drawn() -> None:
    made = steps("game: TAB", ["open", "round boxes=2", "sh.card 10H", "sh.card ??", "shuffle A"])
    (rest,) = [one.args[0] for one in made if one.word == "sh.unload"]
    assert int(rest) == 384 - 1 - 6 - 1  # burn, round, unread card; a 10 was never one of the 384


@pytest.mark.parametrize("up", "A23456789JQK")
@pytest.mark.parametrize("hole", "A23456789JQK")
def test_the_dealer_draws_to_hard_17_or_soft_18_and_no_further(up: str, hole: str) -> None:
    made = steps("game: TAB", ["open", f"round boxes=1 up={up} hole={hole}"])
    cards = [one.args[0] for one in made if one.word == "sh.card"][1:]
    hand = [name[:-1] for name in (cards[1], cards[3], *cards[4:])]
    points, soft = rank_total(hand)
    before, was_soft = rank_total(hand[:-1])
    assert 17 + soft <= points <= 21
    assert len(hand) == 2 or before < 17 + was_soft


def test_hands_by_name() -> None:
    made = steps("game: TAB", ["open", "deal boxes=2 b1=9H/KC up=7D hole=QS"])
    cards = [one.args[0] for one in made if one.word == "sh.card"][1:]
    assert (cards[0], cards[2], cards[3], cards[5]) == ("9H", "7D", "KC", "QS")


def test_manual_shuffles_are_cut() -> None:
    words = [one.word for one in steps("game: TAB\ndevices: shoe", ["open", "round", "shuffle A by=hand"])]
    assert words.count("kp.manual_shuffle") == words.count("kp.cut") == 2
    assert "sf.start" not in words


def test_a_step_can_stand_in_a_file() -> None:
    made = steps("game: TAB", ['refute TAB-36 "it lay face down"', "sh.card(9H,up)"])
    assert [one.text for one in made] == ['refute TAB-36 "it lay face down"', "sh.card 9H up"]
