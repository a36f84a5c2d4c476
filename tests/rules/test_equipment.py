"""Devices and decks: inspections, openings, shuffles, cuts, faults, the method interlock, counts of whole sets."""

from dataclasses import replace

from pitwarden.rules import DeviceSetup
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_cards import KpCut, KpIdleSpread, KpManualShuffle
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealer, KpDealt, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpBonusSettled
from pitwarden_client.events.device import (
    ReaderFault,
    ReaderInserted,
    ShoeCut,
    ShoeEmpty,
    ShoeFault,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from testkit.tables.rules_table import EVENING, RulesTable, setup_of, words

HOUR = 3_600_000


def by_hand() -> RulesTable:
    table = RulesTable(setup_of("TAB", devices=(DeviceSetup("shoe", "shoe"),)))
    table.key(ft.FtTableOpen())
    table.key(ft.FtInspect(device="shoe", ok=True))
    table.key(ft.FtDeckOpened(deck="A"))
    table.key(ft.FtOpening(deck="A", tens_removed=32))
    return table


def test_a_deck_shuffled_by_hand_is_cut_before_it_is_dealt() -> None:
    table = by_hand()
    table.key(KpManualShuffle())
    table.row(ShoeLoaded(deck="A"), "shoe")
    table.draw("4C")
    assert words(table.tick()) == ["TAB-05 ALERT"]
    table = by_hand()
    table.key(KpManualShuffle(deck="A"))
    table.key(KpCut(by=3))
    table.row(ShoeLoaded(deck="A"), "shoe")
    table.draw("4C")
    assert words(table.tick()) == []


def test_preshuffled_decks_need_a_cut_and_no_shuffle() -> None:
    table = by_hand()
    table.key(ft.FtOpening(deck="A", path="preshuffled"))
    table.key(KpCut(by="dealer"))
    assert words(table.row(ShoeLoaded(deck="A"), "shoe")) == ["TAB-13 due"]


def test_decks_without_an_opening_are_neither_shuffled_nor_loaded() -> None:
    table = RulesTable(setup_of("TAB"))
    table.key(ft.FtInspect(device="shoe", ok=True))
    table.key(ft.FtInspect(device="shuffler", ok=True))
    assert words(table.row(ShufflerStarted(deck="A"), "shuffler")) == ["TAB-53 HOLD"]
    assert words(table.row(ShoeLoaded(deck="A"), "shoe")) == [
        "G-20 HOLD",
        "TAB-04 HOLD",
        "TAB-13 due",
    ]  # it is in the shuffler
    assert words(table.key(ft.FtOpening(deck="A", tens_removed=31))) == ["TAB-02 HOLD"]
    assert sorted(words(table.key(ft.FtOpening(deck="A", tens_removed=32)))) == [
        "G-20 cleared", "TAB-02 cleared", "TAB-53 cleared",
    ]  # fmt: skip


def test_an_unshuffled_shoe_is_not_loaded_again() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD").finish()
    table.row(ShoeUnloaded(), "shoe")
    assert words(table.row(ShoeLoaded(deck="A"), "shoe")) == ["TAB-04 HOLD", "TAB-13 due"]
    assert words(table.key(KpIdleSpread())) == []


def test_a_joker_is_racked_and_holds() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.draw("JKR")) == ["G-02 RACK+HOLD", "reveal found"]
    assert words(table.key(ft.FtCardRemoved(deck="A", count=1, reason="joker"))) == ["G-02 cleared"]


def test_shuffler_faults_and_endless_cycles_are_shuffled_again() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.row(ShufflerFault(deck="B", fault="jam"), "shuffler")) == ["TAB-45 SHUFFLE"]
    table.row(ShufflerStarted(deck="B"), "shuffler")
    assert "TAB-45 cleared" in words(table.row(ShufflerDone(deck="B", count=384), "shuffler"))
    table.row(ShufflerStarted(deck="B"), "shuffler")
    assert words(table.tick(600_000)) == ["TAB-45 SHUFFLE"]


def test_a_shoe_fault_without_a_clause_holds() -> None:
    assert words(RulesTable(setup_of("TAB")).open().row(ShoeFault(fault="jam"), "shoe")) == ["C-27 HOLD"]


def test_the_shuffler_leaves_the_table_before_hands_shuffle() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.key(KpManualShuffle(deck="A"))) == ["TAB-46 DEV_OUT+HOLD"]
    assert words(table.key(ft.FtDeviceRemoved(device="shuffler"))) == ["TAB-46 cleared"]
    assert words(table.key(KpManualShuffle(deck="A"))) == ["TAB-06 due"]
    assert words(table.key(ft.FtDeviceInstalled(device="shuffler"))) == []
    table.key(ft.FtDeviceRemoved(device="shoe"))
    assert table.state.shoe.deck == ""


def test_a_count_at_the_end_of_the_shoe_balances_without_the_tens() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.draw("10C")
    table.key(ft.FtTenDestroyed())
    assert words(table.row(ShoeUnloaded(count=383), "shoe")) == []
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.row(ShoeUnloaded(count=382), "shoe")) == ["TAB-01 ALERT+HOLD"]


def test_a_round_after_the_cutting_card_waits_for_the_shuffle() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert words(table.row(ShoeCut(), "shoe")) == ["TAB-09 CONTINUE"]
    table.deal("5C 9H", "9S", "6D KC", "KD").finish()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    assert words(table.draw("4D")) == ["TAB-09 HOLD"]


def test_a_short_shoe_is_filled_with_the_discards() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.key(KpDealt())
    table.key(KpBonusSettled(box=1))
    assert words(table.row(ShoeEmpty(), "shoe")) == ["PW-LEDGER CONTINUE"]  # more cards are booked in it
    assert words(table.decide(1, "hit"))[0] == "TAB-42 SHUFFLE+BURN+CONTINUE"
    table.row(ShufflerStarted(deck="A"), "shuffler")
    table.row(ShufflerDone(deck="A", count=377), "shuffler")
    table.key(KpCut(by=1))
    table.row(ShoeLoaded(deck="A", count=377), "shoe")
    assert words(table.draw("3H")) == ["TAB-42 cleared", "TAB-13 done"]
    assert words(table.draw("8C")) == ["reveal box1.3"]
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.finish()
    assert words(table.row(ShoeUnloaded(count=375), "shoe")) == []


def test_old_cards_are_announced_due_and_stop_the_next_round() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.utc_ms = EVENING + 23 * HOUR + HOUR // 2 + 60_000
    assert "G-17 CONTINUE" in words(table.tick())
    table.utc_ms += HOUR // 2
    assert "G-17 due" in words(table.tick())
    table.key(KpBoxes(boxes=(1, 2)))
    assert "G-17 HOLD" in words(table.key(KpDeal()))
    said = words(table.key(ft.FtDeckOpened(deck="A")))
    assert "G-17 cleared" in said
    assert "G-17 done" in said


def test_reader_order_misuse_and_failure() -> None:
    table = RulesTable(setup_of("TAB", reader=True)).open()
    assert words(table.row(ReaderInserted(), "reader")) == []
    table.deal("5C 9H", "AS", "6D KC", "KD")
    table.row(ReaderInserted(), "reader")
    assert words(table.tick()) == ["TAB-23 ALERT"]
    assert words(table.row(ReaderFault(fault="jam"), "reader")) == ["TAB-48 NO_READER"]
    table.finish()
    assert words(table.key(ft.FtInspect(device="reader", ok=True))) == ["TAB-48 cleared"]


def test_a_card_before_the_readers_answer_is_late() -> None:
    table = RulesTable(setup_of("TAB", reader=True)).open().deal("5C 9H", "KS", "6D KC", "9D")
    table.key(KpBonusSettled(box=1))
    table.decide(1, "hit", "8C")
    assert words(table.tick()) == ["TAB-20 ALERT+HOLD"]


def test_a_reader_that_contradicts_the_hole_is_out() -> None:
    table = RulesTable(setup_of("TAB", reader=True)).open().deal("5C 9H", "KS", "6D KC", "AD")
    table.read(bit=False)
    for box in (1, 2):
        table.key(KpBonusSettled(box=box))
        table.decide(box, "stand")
    assert words(table.key(KpHoleUp())) == ["TAB-48 NO_READER", "reveal box2.2", "reveal dealer.2"]


def test_the_same_dealer_burns_nothing_again() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpDealer(dealer="d1"))
    assert not table.state.shoe.burn_due


def test_a_table_that_keys_few_inputs_gets_few_outputs() -> None:
    setup = replace(setup_of("TAB"), inputs=frozenset({"kp.round_end"}))
    table = RulesTable(setup).open()
    for card in ("5C", "9H", "9S"):
        table.draw(card)
    assert words(table.tick()) == []
