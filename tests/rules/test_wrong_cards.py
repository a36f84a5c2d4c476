"""Hands without their cards, cards in the wrong place, and cards that are found and put aside."""

from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_irregularities import (
    KpFaceUp,
    KpMisplaced,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpSkipped,
    KpTen,
)
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealer, KpDealt, KpDecision, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from testkit.tables.rules_table import RulesTable, dealt_table, setup_of, words


def test_a_box_without_cards_sits_out_and_its_cards_move_up() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2, 3)))
    table.key(KpDeal())
    table.draw("5C")
    table.draw("9H")
    assert words(table.key(KpClose(window="attack2"))) == ["TAB-14 CONTINUE"]
    assert words(table.key(KpNoCards(box=2))) == ["TAB-43 CONTINUE", "reveal box1.1", "reveal box3.1"]


def test_a_box_with_one_card_may_take_its_second_after_all_others() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2, 3)))
    table.key(KpDeal())
    for card in ("5C", "9H", "7H"):
        table.draw(card)
    table.key(KpClose(window="attack2"))
    table.draw("9S")
    table.key(KpClose(window="attack3"))
    table.draw("KC")
    assert words(table.key(KpOneCard(box=2))) == ["TAB-43 OPTION"]
    table.key(KpOption(box=2, choice="take"))
    for card in ("QC", "JC", "8D"):
        table.draw(card)
    said = table.key(KpBonusSettled(box=1))
    # Each of the last three may be the hole card: box 2's key may be late, and another box's may be missing.
    assert words(said) == ["reveal box1.2"]


def test_a_skipped_hand_takes_its_card_before_the_hole_is_shown_or_is_dead() -> None:
    table = dealt_table()
    assert words(table.key(KpSkipped(box=2))) == ["TAB-44 OPTION"]
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    assert words(table.key(KpOption(box=2, choice="take"))) == ["refused TAB-44"]
    assert words(table.key(KpOption(box=2, choice="dead"))) == ["TAB-44 HAND_DEAD"]
    assert words(table.key(KpOption(box=2, choice="dead"))) == ["refused TAB-44"]


def test_swapped_cards_are_revealed_where_they_lie() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("5C")
    table.draw("9H")
    table.key(KpMisplaced(first="box1.1", second="box2.1"))
    table.key(KpMisplaced(first="box1.1", second="box1.2"))  # nothing lies there yet
    said = table.key(KpClose(window="attack2"))
    faces = {getattr(one, "slot", ""): getattr(one, "face", -1) for one in said}
    assert faces["box1.1"] > faces["box2.1"]


def test_a_card_keyed_as_found_gives_its_slot_to_the_next() -> None:
    table = dealt_table()
    table.decide(1, "hit", "8C")
    assert words(table.key(KpTen())) == ["TAB-37 DESTROY+HOLD"]
    assert words(table.key(KpTen())) == ["refused PW-INPUT"]
    assert words(table.key(ft.FtTenConfirmed())) == []
    table = dealt_table()
    table.key(KpDealt())
    table.decide(1, "hit", "8C")
    assert words(table.key(KpFaceUp())) == ["TAB-36 RACK", "corrected box1.3 found"]


def test_a_burn_card_that_is_keyed_as_found_is_burned_again() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.key(KpFaceUp())) == ["TAB-36 RACK", "TAB-13 due"]
    assert table.state.shoe.burn_due
    table.draw("5C")
    assert not table.state.shoe.burn_due


def test_a_refuted_burn_ten_serves_as_the_burn_card() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpDealer(dealer="d2"))
    table.draw("10C")
    assert words(table.key(ft.FtTenRefuted())) == ["TAB-37 refuted", "TAB-13 done"]
    assert not table.state.shoe.burn_due
    assert words(table.key(ft.FtTenRefuted())) == ["refused TAB-37"]


def test_found_cards_of_two_epochs_differ_by_more_than_their_row() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.draw("10C")
    number = table.number
    table.epoch = "e2"
    while table.number < number - 1:
        table.tick(1)
    assert "TAB-37 SHUFFLE+DESTROY" in words(table.draw("10D"))
    assert table.number == number


def test_a_ten_that_is_refuted_in_the_next_epoch_is_the_next_card_unless_its_round_ended() -> None:
    table = dealt_table()
    table.key(KpDecision(box=1, decision="hit"))
    table.draw("10C")
    table.epoch = "e2"
    assert words(table.key(ft.FtTenRefuted())) == ["TAB-37 refuted", "TAB-37 USE_NEXT"]
    table.draw("10D")
    table.key(KpRoundEnd())
    table.epoch = "e3"
    assert words(table.key(ft.FtTenRefuted())) == ["TAB-37 refuted"]
    assert not table.state.round.open
