"""Players' and dealer's cards after the initial deal: hands, splits, doubles, cards in error, options, burns."""

import pytest

from pitwarden.events import dealer as kp
from pitwarden.events import floor as ft
from pitwarden.events.outputs import Refused
from rules_table import RulesTable, setup_of, words


def dealt(firsts: str = "5C 9H", seconds: str = "6D KC", up: str = "9S", hole: str = "KD") -> RulesTable:
    table = RulesTable(setup_of("TAB")).open().deal(firsts, up, seconds, hole)
    table.key(kp.KpBonusSettled(box=1))
    return table


def test_a_busted_hand_and_a_double_need_no_stand() -> None:
    table = dealt()
    for box in (1, 2):
        table.key(kp.KpBonusSettled(box=box))
    assert words(table.decide(1, "hit", "KH")) == ["reveal box1.3"]
    assert words(table.decide(1, "hit")) == ["refused TAB-30"]
    assert words(table.decide(2, "double", "2C")) == ["reveal box2.3"]
    assert words(table.decide(2, "stand")) == ["refused TAB-30"]


def test_a_hand_that_waits_for_its_card_takes_no_other_decision() -> None:
    table = dealt()
    assert words(table.decide(1, "hit", "hit")) == ["refused TAB-30"]


def test_only_pairs_by_value_are_split_at_most_three_times() -> None:
    assert words(dealt().decide(1, "split")) == ["refused TAB-28"]
    table = dealt("KC 9H", "QD KC")
    said = words(table.decide(1, "split", "JC", "split", "QS", "split", "KS", "split"))
    assert said[-1] == "refused TAB-28"
    assert [hand.target for hand in table.state.round.hands if hand.box == 1] == ["box1", "box1d", "box1c", "box1b"]


def test_the_next_half_gets_its_card_when_the_first_is_complete() -> None:
    table = dealt("8C 9H", "8D KC")
    assert words(table.decide(1, "split", "3C", "stand", "2C", "stand")) == ["reveal box1.2", "reveal box1b.2"]


def test_a_split_ace_stands_or_doubles_and_never_hits() -> None:
    table = dealt("AC 9H", "AD KC")
    assert words(table.decide(1, "split", "5C", "hit")) == ["reveal box1.2", "refused TAB-29"]
    assert words(table.decide(1, "double", "4C")) == ["reveal box1.3"]
    assert words(table.draw("7D")) == ["reveal box1b.2"]
    assert words(table.key(kp.KpDecision(box=2, decision="stand"))) == []
    assert words(table.key(kp.KpHoleUp())) == ["reveal dealer.2"]


def test_the_next_card_after_a_split_ace_is_the_other_aces() -> None:
    table = dealt("AC 9H", "AD KC")
    assert words(table.decide(1, "split", "5C", "7D")) == ["reveal box1.2", "reveal box1b.2"]


def test_a_box_without_a_hand_decides_nothing() -> None:
    assert words(dealt().decide(5, "hit")) == ["refused G-13"]


def test_a_decision_before_the_deal_is_whole_waits_for_no_card() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2)))
    table.key(kp.KpDeal())
    table.draw("5C")
    table.decide(1, "hit")
    assert table.state.round.asked == ()


def test_the_dealer_draws_after_the_decisions_and_not_before() -> None:
    table = dealt("KC 9H", "QD KC", "5S", "6D")
    assert words(table.key(kp.KpDealerDraw())) == ["TAB-19 ALERT"]
    table = dealt("KC 9H", "QD KC", "5S", "6D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(kp.KpHoleUp())
    table.key(kp.KpDealerDraw())
    assert words(table.draw("3C")) == ["reveal dealer.3"]


def test_an_accidental_dealer_draw_is_burned_but_soft_seventeen_draws() -> None:
    table = dealt("KC 9H", "QD KC", "KS", "8D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(kp.KpHoleUp())
    table.key(kp.KpDealerDraw())
    assert words(table.draw("3C")) == ["TAB-41 BURN", "reveal burn"]
    table = dealt("KC 9H", "QD KC", "AS", "6D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(kp.KpHoleUp())
    table.key(kp.KpDealerDraw())
    assert words(table.draw("3C")) == ["reveal dealer.3"]


def test_a_card_drawn_in_error_unexposed_goes_to_the_next_hand_even_in_the_next_round() -> None:
    table = dealt()
    table.draw("8C")
    table.tick()
    assert words(table.key(kp.KpDrawnInError(exposed=False))) == ["TAB-38 USE_NEXT"]
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.finish()
    table.key(kp.KpBoxes(boxes=(1, 2)))
    table.key(kp.KpDeal())
    table.draw("5D")
    assert words(table.key(kp.KpClose(window="attack2"))) == ["reveal box1.1", "reveal box2.1"]


def test_an_exposed_card_goes_to_the_next_hand_that_takes_it() -> None:
    table = dealt()
    table.draw("8C")
    assert words(table.key(kp.KpDrawnInError(exposed=True), after=300)) == ["TAB-40 USE_NEXT", "reveal found"]
    assert words(table.key(kp.KpRefuse(box=1))) == []
    assert words(table.decide(1, "hit")) == ["refused TAB-40"]
    assert words(table.decide(2, "hit")) == []
    assert [card.exposed for card in table.state.round.hands[1].cards] == [False, False, True]


def test_an_exposed_card_that_nobody_can_use_is_burned_after_the_reveal_only() -> None:
    table = dealt("KC 9H", "QD KC", "KS", "8D")
    table.draw("6H")
    table.key(kp.KpDrawnInError(exposed=True), after=300)
    for box in (1, 2):
        assert words(table.key(kp.KpRefuse(box=box))) == []
        table.decide(box, "stand")
    assert words(table.key(kp.KpHoleUp())) == ["TAB-40 BURN", "reveal dealer.2"]


def test_a_dealt_card_taken_back_in_error_leaves_its_hand() -> None:
    table = dealt()
    table.decide(1, "hit", "8C")
    assert words(table.key(kp.KpDrawnInError(exposed=False))) == ["TAB-38 USE_NEXT"]
    assert [len(hand.cards) for hand in table.state.round.hands] == [2, 2]


def test_an_error_in_the_initial_deal_is_used_in_the_next_pass() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2)))
    table.key(kp.KpDeal())
    for card in ("5C", "9H", "9S"):
        table.draw(card)
    assert words(table.key(kp.KpDrawnInError(exposed=False), after=300)) == ["TAB-38 USE_NEXT"]
    assert words(table.key(kp.KpClose(window="attack2"))) == ["reveal box1.1", "reveal box2.1"]
    assert words(table.key(kp.KpClose(window="attack3"))) == ["reveal dealer.1"]


def test_an_exposed_error_in_the_initial_deal_is_for_the_floor() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2)))
    table.key(kp.KpDeal())
    table.draw("5C")
    assert words(table.key(kp.KpDrawnInError(exposed=True))) == ["TAB-40 ALERT"]


@pytest.mark.parametrize("act", [kp.KpDrawnInError(exposed=True), kp.KpFaceUp(), kp.KpTen(), kp.KpRoundEnd()])
def test_keys_without_a_card_or_a_round_are_refused(act: kp.DealerAct) -> None:
    assert words(RulesTable(setup_of("TAB")).key(act)) == ["refused PW-INPUT"]


def test_boxes_are_refused_that_the_table_lacks_and_in_a_round_that_is_played() -> None:
    table = RulesTable(setup_of("TAB", positions=6)).open()
    for boxes in ((7,), (), (2, 1), (1, 1)):
        assert words(table.key(kp.KpBoxes(boxes=boxes))) == ["refused G-13"]
    table.deal("5C 9H", "9S", "6D KC", "KD")
    table.decide(1, "stand")
    assert words(table.key(kp.KpBoxes(boxes=(1, 2)))) == ["refused PW-INPUT"]


def test_a_box_without_cards_sits_out_and_its_cards_move_up() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2, 3)))
    table.key(kp.KpDeal())
    table.draw("5C")
    table.draw("9H")
    assert words(table.key(kp.KpClose(window="attack2"))) == ["TAB-14 CONTINUE"]
    assert words(table.key(kp.KpNoCards(box=2))) == ["TAB-43 CONTINUE", "reveal box1.1", "reveal box3.1"]


def test_a_box_with_one_card_may_take_its_second_after_all_others() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2, 3)))
    table.key(kp.KpDeal())
    for card in ("5C", "9H", "7H"):
        table.draw(card)
    table.key(kp.KpClose(window="attack2"))
    table.draw("9S")
    table.key(kp.KpClose(window="attack3"))
    table.draw("KC")
    assert words(table.key(kp.KpOneCard(box=2))) == ["TAB-43 OPTION"]
    table.key(kp.KpOption(box=2, choice="take"))
    for card in ("QC", "JC", "8D"):
        table.draw(card)
    said = table.key(kp.KpBonusSettled(box=1))
    assert words(said) == ["reveal box1.2", "reveal box3.2", "reveal box2.2"]


def test_a_skipped_hand_takes_its_card_before_the_hole_is_shown_or_is_dead() -> None:
    table = dealt()
    assert words(table.key(kp.KpSkipped(box=2))) == ["TAB-44 OPTION"]
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(kp.KpHoleUp())
    assert words(table.key(kp.KpOption(box=2, choice="take"))) == ["refused TAB-44"]
    assert words(table.key(kp.KpOption(box=2, choice="dead"))) == ["TAB-44 HAND_DEAD"]
    assert words(table.key(kp.KpOption(box=2, choice="dead"))) == ["refused TAB-44"]


def test_swapped_cards_are_revealed_where_they_lie() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpBoxes(boxes=(1, 2)))
    table.key(kp.KpDeal())
    table.draw("5C")
    table.draw("9H")
    table.key(kp.KpMisplaced(first="box1.1", second="box2.1"))
    table.key(kp.KpMisplaced(first="box1.1", second="box1.2"))  # nothing lies there yet
    said = table.key(kp.KpClose(window="attack2"))
    faces = {getattr(one, "slot", ""): getattr(one, "face", -1) for one in said}
    assert faces["box1.1"] > faces["box2.1"]


def test_the_dealer_missing_a_first_card_voids_the_round() -> None:
    table = dealt()
    assert words(table.key(kp.KpDealerFirstMissed())) == ["TAB-39 VOID"]
    assert words(table.decide(1, "hit", "8C")) == []


def test_a_card_keyed_as_found_gives_its_slot_to_the_next() -> None:
    table = dealt()
    table.decide(1, "hit", "8C")
    assert words(table.key(kp.KpTen())) == ["TAB-37 DESTROY+HOLD"]
    assert words(table.key(kp.KpTen())) == ["refused PW-INPUT"]
    assert words(table.key(ft.FtTenConfirmed())) == []
    table = dealt()
    table.decide(1, "hit", "8C")
    assert words(table.key(kp.KpFaceUp())) == ["TAB-36 RACK"]


def test_a_burn_card_that_is_keyed_as_found_is_burned_again() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.key(kp.KpFaceUp())) == ["TAB-36 RACK", "reveal found"]
    assert table.state.shoe.burn_due
    table.draw("5C")
    assert not table.state.shoe.burn_due


def test_a_recut_is_ordered_after_the_cut_and_before_the_first_card_only() -> None:
    table = RulesTable(setup_of("TAB"))
    assert words(table.key(ft.FtRecut(), role="supervisor")) == ["refused TAB-08"]
    table.key(ft.FtDeviceRemoved(device="shuffler"), role="floor")
    table.key(kp.KpManualShuffle(deck="A"))
    table.key(kp.KpCut(by="dealer"))
    assert words(table.key(ft.FtRecut(), role="supervisor")) == ["TAB-08 RECUT", "TAB-06 due"]
    table = RulesTable(setup_of("TAB")).open()
    said = table.key(ft.FtRecut(), role="supervisor")
    assert words(said) == ["refused TAB-08"]
    assert isinstance(said[0], Refused)


def test_a_refuted_burn_ten_serves_as_the_burn_card() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(kp.KpDealer(dealer="d2"))
    table.draw("10C")
    assert words(table.key(ft.FtTenRefuted())) == ["TAB-37 refuted", "TAB-37 USE_NEXT"]
    assert not table.state.shoe.burn_due
    assert words(table.key(ft.FtTenRefuted())) == ["refused TAB-37"]
