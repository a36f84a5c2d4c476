"""The dealer's hand: when it draws, a draw too many, a first card that was missed, the recut before."""

from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_cards import KpCut, KpManualShuffle
from pitwarden_client.events.dealer_irregularities import KpDealerFirstMissed
from pitwarden_client.events.dealer_play import KpDealerDraw, KpHoleUp
from pitwarden_client.events.outputs import Refused
from testkit.tables.rules_table import RulesTable, dealt_table, setup_of, words


def test_the_dealer_draws_after_the_decisions_and_not_before() -> None:
    table = dealt_table("KC 9H", "QD KC", "5S", "6D")
    assert words(table.key(KpDealerDraw())) == ["TAB-19 ALERT"]
    table = dealt_table("KC 9H", "QD KC", "5S", "6D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    table.key(KpDealerDraw())
    assert words(table.draw("3C")) == ["reveal dealer.3"]


def test_an_accidental_dealer_draw_is_burned_but_soft_seventeen_draws() -> None:
    table = dealt_table("KC 9H", "QD KC", "KS", "8D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    table.key(KpDealerDraw())
    assert words(table.draw("3C")) == ["TAB-41 BURN", "reveal burn"]
    table = dealt_table("KC 9H", "QD KC", "AS", "6D")
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    table.key(KpDealerDraw())
    assert words(table.draw("3C")) == ["reveal dealer.3"]


def test_the_dealer_missing_a_first_card_voids_the_round() -> None:
    table = dealt_table()
    assert words(table.key(KpDealerFirstMissed())) == ["TAB-39 VOID"]
    assert words(table.decide(1, "hit", "8C")) == []


def test_a_recut_is_ordered_after_the_cut_and_before_the_first_card_only() -> None:
    table = RulesTable(setup_of("TAB"))
    assert words(table.key(ft.FtRecut(), role="supervisor")) == ["refused TAB-08"]
    table.key(ft.FtDeviceRemoved(device="shuffler"), role="floor")
    table.key(KpManualShuffle(deck="A"))
    table.key(KpCut(by="dealer"))
    assert words(table.key(ft.FtRecut(), role="supervisor")) == ["TAB-08 RECUT", "TAB-06 due"]
    table = RulesTable(setup_of("TAB")).open()
    said = table.key(ft.FtRecut(), role="supervisor")
    assert words(said) == ["refused TAB-08"]
    assert isinstance(said[0], Refused)
