"""Community cards: shared by all hands, public with the dealer's hand or when they are dealt face up."""

from dataclasses import replace

import pytest

from pitwarden.rules import HousePolicy, ProfileError, RevealDue
from pitwarden.rules.profile.library import EXAMPLES
from pitwarden.rules.profile.loading import parse_profile
from pitwarden_client.events.dealer_irregularities import KpFaceUp
from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpReveal
from pitwarden_client.events.dealer_wagers import KpClose, KpNoMoreBets
from pitwarden_client.events.outputs import Outcomes
from testkit.tables.rules_table import RulesTable, setup_of, words

TEXT = (EXAMPLES / "three-card-poker.toml").read_text(encoding="utf-8")
DOWN = """
[[passes]]
name = "board"
to = "community"
times = 5
up = false
ends = ["kp.dealer_reveal"]
cite = "a test"
"""
UP = """
[[passes]]
name = "flop"
to = "community"
times = 3
up = true
ends = ["kp.close attack2"]
cite = "a test"

[[passes]]
name = "river"
to = "community"
times = 2
up = true
ends = ["kp.dealer_reveal"]
cite = "a test"
"""

HANDS = ("AH AD", "KS QS", "9D 9C")
BOARD = "AS 9S 9H 2C 3C"


def game(passes: str = DOWN) -> str:
    """Two cards to each hand and five that all share, of three card poker's rows."""
    return (
        TEXT.replace("times = 3", "times = 2")
        .replace('"kp.hands", ', "")
        .replace('cite = "public descriptions"\n\n[rules', f'cite = "public descriptions"\n{passes}\n[rules', 1)
        .replace('qualify = ["high_card", "Q"]', 'qualify = ["pair"]')
    )


def table(passes: str = DOWN) -> RulesTable:
    profile = parse_profile("board.toml", game(passes).replace("windows = []", 'windows = ["attack2"]'))
    made = RulesTable(replace(setup_of("CB"), profile=profile, positions=7, policy=HousePolicy())).open()
    made.key(KpBoxes(boxes=(1, 2)))
    made.key(KpNoMoreBets())
    for hand in HANDS:
        made.stack(2, hand)
    return made


def shown(made: RulesTable) -> list[str]:
    return [one.slot for one in made.said if isinstance(one, RevealDue)]


def outcomes(made: RulesTable) -> dict[tuple[str, str], tuple[str, str]]:
    said = [one for output in made.said if isinstance(output, Outcomes) for one in output.wagers]
    return {(one.hand, one.wager): (one.result, one.line) for one in said}


@pytest.mark.parametrize("stacks", [True, False])
def test_cards_dealt_face_down_are_public_with_the_dealer_s_hand(*, stacks: bool) -> None:
    made = table()
    made.decide(1, "play")
    made.decide(2, "play")
    if stacks:
        made.stack(5, BOARD)
    else:
        for card in BOARD.split():
            made.draw(card)
    assert shown(made) == []
    made.key(KpDealerReveal())
    assert shown(made) == ["dealer.1", "dealer.2", *(f"community.{card}" for card in range(1, 6))]
    made.key(KpReveal(box=2))
    made.key(KpReveal(box=1))
    # The dealer has four nines, box 1 aces full of nines, box 2 a pair.
    assert outcomes(made) == {
        ("box1", "ante"): ("lose", "lower"), ("box2", "ante"): ("lose", "lower"),
        ("box1", "play"): ("lose", "lower"), ("box2", "play"): ("lose", "lower"),
        ("box1", "pair_plus"): ("lose", "none"), ("box2", "pair_plus"): ("win", "pair"),
    }  # fmt: skip


def test_cards_dealt_face_up_are_public_when_their_pass_ends() -> None:
    made = table(UP)
    made.decide(1, "play")
    made.stack(3, "AS 9S 9H")
    assert shown(made) == []
    made.key(KpClose(window="attack2"))
    assert shown(made) == ["community.1", "community.2", "community.3"]
    made.decide(2, "play")
    made.stack(2, "2C 3C")
    made.key(KpDealerReveal())
    assert shown(made)[3:] == ["community.4", "community.5", "dealer.1", "dealer.2"]


def test_a_wrong_number_of_cards_shows_none() -> None:
    made = table(UP)
    made.decide(1, "play")
    made.draw("AS")
    assert "TCP-02 CONTINUE" in words(made.key(KpClose(window="attack2")))
    assert shown(made) == []


def test_a_card_keyed_as_found_seals_the_first_that_may_be_of_a_hand() -> None:
    made = table(UP)
    made.key(KpFaceUp())  # perhaps a mistake: then each card lies one place behind its slot
    made.decide(1, "play")
    made.stack(3, "AS 9S 9H")
    made.key(KpClose(window="attack2"))
    assert shown(made) == []
    made.decide(2, "play")
    made.stack(2, "2C 3C")
    made.key(KpDealerReveal())
    assert shown(made) == [f"community.{card}" for card in range(2, 6)]


def test_a_stack_of_community_cards_is_no_hand_of_a_wrong_number() -> None:
    made = table(UP)
    assert words(made.stack(2, "AS 9S")) == ["TCP-03 HOLD+ALERT"]  # three are due
    made = table(UP)
    assert words(made.stack(3, "AS 9S 9H")) == []
    assert words(made.stack(2, "2C 3C")) == []
    assert words(made.decide(1, "play")) == ["TCP-02 CONTINUE", "TCP-03 HOLD"]  # the key of the hands came too late


def test_hands_are_not_counted_where_cards_are_shared() -> None:
    with pytest.raises(ProfileError, match=r"keys\.acts: hands are not counted by 'kp\.hands'"):
        parse_profile("board.toml", game().replace("acts = [", 'acts = ["kp.hands", '))
