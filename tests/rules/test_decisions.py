"""Players' decisions after the initial deal: hits, doubles, splits, aces, and what waits for a card."""

import pytest

from pitwarden_client.events import dealer as kp
from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpFaceUp, KpTen
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealerDraw, KpDealt, KpDecision, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled
from testkit.tables.rules_table import RulesTable, dealt_table, setup_of, words


def test_a_busted_hand_and_a_double_need_no_stand() -> None:
    table = dealt_table()
    table.key(KpDealt())
    for box in (1, 2):
        table.key(KpBonusSettled(box=box))
    assert words(table.decide(1, "hit", "KH")) == ["reveal box1.3"]
    assert words(table.decide(1, "hit")) == ["refused TAB-30"]
    assert words(table.decide(2, "double", "2C")) == ["reveal box2.3"]
    assert words(table.decide(2, "stand")) == ["refused TAB-30"]


def test_a_hand_that_waits_for_its_card_takes_no_other_decision() -> None:
    table = dealt_table()
    assert words(table.decide(1, "hit", "hit")) == ["refused TAB-30"]


def test_only_pairs_by_value_are_split_at_most_three_times() -> None:
    assert words(dealt_table().decide(1, "split")) == ["refused TAB-28"]
    table = dealt_table("KC 9H", "QD KC")
    said = words(table.decide(1, "split", "JC", "split", "QS", "split", "KS", "split"))
    assert said[-1] == "refused TAB-28"
    assert [hand.target for hand in table.state.round.play.hands if hand.box == 1] == [
        "box1",
        "box1d",
        "box1c",
        "box1b",
    ]


def test_the_next_half_gets_its_card_when_the_first_is_complete() -> None:
    table = dealt_table("8C 9H", "8D KC")
    table.key(KpDealt())
    assert words(table.decide(1, "split", "3C", "stand", "2C", "stand")) == ["reveal box1.2", "reveal box1b.2"]


def test_a_stand_does_not_show_the_card_of_a_half_that_may_be_drawn_in_error() -> None:
    """Without `kp.dealt` the last key may be the one that was missing for the first half."""
    table = dealt_table("8C 9H", "8D KC")
    assert words(table.decide(1, "split", "3C", "stand", "2C", "stand")) == ["reveal box1.2"]
    assert words(table.decide(2, "stand")) == ["reveal box1b.2"]


def test_a_split_ace_stands_or_doubles_and_never_hits() -> None:
    table = dealt_table("AC 9H", "AD KC")
    table.key(KpDealt())
    assert words(table.decide(1, "split", "5C", "hit")) == ["reveal box1.2", "refused TAB-29"]
    assert words(table.decide(1, "double", "4C")) == ["reveal box1.3"]
    assert words(table.draw("7D")) == ["reveal box1b.2"]
    assert words(table.key(KpDecision(box=2, decision="stand"))) == []
    for box in (1, 2):
        table.key(KpBonusSettled(box=box))
    # The other ace may be doubled: only a second key says that the hole card was turned.
    assert words(table.key(KpHoleUp())) == []
    assert words(table.key(KpDealerDraw())) == ["reveal dealer.2"]


def test_the_next_card_after_a_split_ace_is_the_other_aces() -> None:
    table = dealt_table("AC 9H", "AD KC")
    assert words(table.decide(1, "split", "5C", "7D")) == ["reveal box1.2", "reveal box1b.2"]


def test_a_box_without_a_hand_decides_nothing() -> None:
    assert words(dealt_table().decide(5, "hit")) == ["refused G-13"]


def test_a_decision_before_the_deal_is_whole_waits_for_no_card() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("5C")
    table.decide(1, "hit")
    assert table.state.round.play.asked == ()


@pytest.mark.parametrize("act", [KpDrawnInError(exposed=True), KpFaceUp(), KpTen(), KpRoundEnd()])
def test_keys_without_a_card_or_a_round_are_refused(act: kp.DealerAct) -> None:
    assert words(RulesTable(setup_of("TAB")).key(act)) == ["refused PW-INPUT"]


def test_boxes_are_refused_that_the_table_lacks_and_in_a_round_that_is_played() -> None:
    table = RulesTable(setup_of("TAB", positions=6)).open()
    for boxes in ((7,), (), (2, 1), (1, 1)):
        assert words(table.key(KpBoxes(boxes=boxes))) == ["refused G-13"]
    table.deal("5C 9H", "9S", "6D KC", "KD")
    table.decide(1, "stand")
    assert words(table.key(KpBoxes(boxes=(1, 2)))) == ["refused PW-INPUT"]
