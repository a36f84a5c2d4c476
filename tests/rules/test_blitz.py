"""3 Card Blitz: stacks, stubs, hands, folded cards that stay down, two decks, dealing by hand."""

import pytest

from pitwarden.rules import DeckSetup, DeviceSetup, HousePolicy, RevealDue
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_cards import KpHands, KpStub
from pitwarden_client.events.dealer_irregularities import KpDrawnInError
from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpReveal, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpCollected, KpNoMoreBets, KpWager
from pitwarden_client.events.device import ShoeEmpty, ShoeFault, ShoeLoaded, ShoeUnloaded, ShufflerDone, ShufflerStarted
from pitwarden_client.events.outputs import Irregularity
from testkit.tables.rules_table import RulesTable, setup_of, words

ONE = "AC 5D 9H KS 4D 8H QS"
TWO = "2C 6D 10H AS 5H 9S KC"
DEALER = "3C 7D JH 2S 6H 10S AD"


def dealt(policy: HousePolicy | None = None) -> RulesTable:
    table = RulesTable(setup_of("CB", policy=policy or HousePolicy())).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpNoMoreBets())
    for stack in (ONE, TWO, DEALER):
        table.stack(7, stack)
    return table


def shown(table: RulesTable) -> list[str]:
    return [one.slot for one in table.said if isinstance(one, RevealDue)]


def test_hands_are_shown_in_settlement_and_folded_ones_never() -> None:
    table = dealt()
    table.decide(1, "fold")
    table.decide(2, "play")
    table.row(ShoeUnloaded(count=31), "shoe")
    table.key(KpDealerReveal())
    assert shown(table) == [f"dealer.{n}" for n in range(1, 8)]
    assert words(table.key(KpReveal(box=1))) == ["refused CB-26"]
    assert len(words(table.key(KpReveal(box=2)))) == 7
    assert words(table.key(KpRoundEnd())) == []


def test_a_folded_hand_with_a_bonus_wager_is_shown() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpWager(wager="flush_bonus", box=1))
    table.key(KpNoMoreBets())
    table.stack(7, ONE)
    table.stack(7, TWO)
    table.decide(1, "fold")
    assert words(table.key(KpReveal(box=1))) == ["CB-28 ALERT"]  # 51.10(e): the dealer's hand comes first
    table.key(KpDealerReveal())
    assert len(words(table.key(KpReveal(box=1)))) == 7


def test_a_shoe_that_does_not_read_has_nothing_to_show() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.stack()
    table.stack()
    table.decide(1, "play")
    assert words(table.key(KpDealerReveal())) == []


def test_the_dealers_cards_wait_for_all_decisions() -> None:
    table = dealt()
    table.decide(1, "play")
    table.key(KpDealerReveal())
    assert words(table.tick()) == ["CB-27 ALERT"]


def test_a_stack_too_many_holds_until_the_boxes_are_keyed() -> None:
    table = dealt()
    table.stack(7, "2H 3H 4H 5S 6S 7S 8S")
    assert "CB-36 HOLD" in words(table.decide(1, "play"))
    assert "CB-36 cleared" in words(table.key(KpBoxes(boxes=(1, 2, 3))))


def test_an_exposed_error_is_for_the_supervisor() -> None:
    table = RulesTable(setup_of("CB", mode="manual_shoe", devices=(DeviceSetup("shoe", "shoe"),
                       DeviceSetup("shuffler", "shuffler", counts=True)))).open()  # fmt: skip
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.draw("AC")
    assert words(table.key(KpDrawnInError(exposed=True))) == ["CB-35 ALERT"]


@pytest.mark.parametrize("mode", ["alert", "void"])
def test_a_jam_after_the_deal_is_an_alert_unless_the_house_says_void(mode: str) -> None:
    table = dealt(policy=HousePolicy(shoe_fault_after_deal="void" if mode == "void" else "alert"))
    said = words(table.row(ShoeFault(fault="jam"), "shoe"))
    assert said == (["CB-38 VOID+SHUFFLE"] if mode == "void" else ["CB-38 ALERT"])


def test_an_empty_shoe_between_rounds_is_a_notice_only() -> None:
    table = RulesTable(setup_of("CB")).open()
    assert words(table.row(ShoeEmpty(), "shoe")) == ["PW-LEDGER CONTINUE"]


def test_a_manual_shoe_that_fails_holds() -> None:
    devices = (DeviceSetup("shoe", "shoe"), DeviceSetup("shuffler", "shuffler", counts=True))
    table = RulesTable(setup_of("CB", mode="manual_shoe", devices=devices)).open()
    assert words(table.row(ShoeFault(fault="jam"), "shoe")) == ["C-27 HOLD"]


def test_a_misdeal_that_leaves_the_deck_whole_is_shuffled() -> None:
    table = dealt()
    table.decide(1, "play")
    assert words(table.key(KpStub(count=30))) == ["CB-16 HOLD"]
    said = table.key(KpHands(counts=(8, 7, 7)))
    assert words(said) == ["CB-16 cleared", "CB-16 VOID+SHUFFLE"]
    assert [one.basis for one in said if isinstance(one, Irregularity)] == ["text", "text"]


def test_the_right_stub_with_a_wrong_hand_removes_the_deck_too() -> None:
    table = dealt()
    table.decide(1, "play")
    table.key(KpStub(count=31))
    said = words(table.key(KpHands(counts=(7, 8, 7))))
    assert said == ["CB-36 VOID", "CB-16 VOID+DECK_OUT"]
    table.key(KpRoundEnd())
    table.key(ft.FtDeckOpened(deck="A"))
    assert "CB-16 cleared" in words(table.key(ft.FtOpening(deck="A")))


def test_hands_that_are_counted_right_change_nothing() -> None:
    table = dealt()
    table.decide(1, "play")
    assert words(table.key(KpHands(counts=(7, 7, 7)))) == []


def test_two_decks_are_due_one_round_earlier() -> None:
    decks = (DeckSetup("A", "red"), DeckSetup("B", "blue"))
    devices = (DeviceSetup("shoe", "shoe", automated=True), DeviceSetup("shuffler", "shuffler", counts=False))
    table = RulesTable(setup_of("CB", decks=decks, devices=devices)).open()
    table.key(ft.FtDeckOpened(deck="B"))
    table.key(ft.FtOpening(deck="B"))
    said: list[str] = []
    for turn in range(5):
        deck = "AB"[turn % 2]
        table.row(ShufflerStarted(deck=deck), "shuffler")
        table.row(ShufflerDone(deck=deck), "shuffler")
        table.row(ShoeLoaded(deck=deck), "shoe")
        table.key(KpBoxes(boxes=(1,)))
        said += [f"{turn + 1} {word}" for word in words(table.key(KpNoMoreBets()))]
        table.stack()
        table.stack()
        table.decide(1, "play")
        table.row(ShoeUnloaded(), "shoe")
        table.key(KpDealerReveal())
        table.key(KpRoundEnd())
        table.key(KpCollected(deck=deck))
    assert said == ["4 CB-22 due", "5 CB-22 due"]


def test_hand_dealing_counts_only_where_the_house_says_so() -> None:
    for counts in (False, True):
        devices = (DeviceSetup("shuffler", "shuffler", counts=False),)
        policy = HousePolicy(hand_mode_counts=counts)
        table = RulesTable(setup_of("CB", mode="hand", devices=devices, policy=policy)).open()
        said: list[str] = []
        for _ in range(6):
            table.key(KpBoxes(boxes=(1,)))
            said += words(table.key(KpNoMoreBets()))
            table.decide(1, "play")
            table.key(KpDealerReveal())
            table.key(KpRoundEnd())
            table.row(ShufflerStarted(deck="A"), "shuffler")
            table.row(ShufflerDone(deck="A"), "shuffler")
        assert said == (["CB-14 due", "CB-14 HOLD", "CB-14 overdue"] if counts else [])


def test_a_deal_before_the_bets_are_closed_and_of_an_unshuffled_deck() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.row(ShufflerDone(deck="A", count=52, mode="sort"), "shuffler")
    table.row(ShufflerStarted(deck="A"), "shuffler")
    table.row(ShufflerDone(deck="A", count=52, mode="sort"), "shuffler")
    table.row(ShoeLoaded(deck="A", count=52), "shoe")
    table.key(KpBoxes(boxes=(1,)))
    assert words(table.stack(7, ONE)) == ["CB-07 HOLD"]
    assert words(table.tick()) == ["CB-11 ALERT"]


def test_a_shoe_with_a_stub_in_it_and_a_deck_that_is_still_shuffled_are_not_loaded() -> None:
    table = dealt()
    assert "CB-21 HOLD" in words(table.row(ShoeLoaded(deck="A"), "shoe"))
    table = RulesTable(setup_of("CB")).open()
    table.row(ShufflerStarted(deck="A"), "shuffler")
    assert "CB-20 HOLD" in words(table.row(ShoeLoaded(deck="A"), "shoe"))


def test_stacks_in_a_dead_round_are_nobodys() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpNoMoreBets())
    assert words(table.stack(6)) == ["CB-36 VOID+SHUFFLE"]
    assert words(table.stack(7)) == []
    assert len(table.state.round.deal.stacks) == 1


def test_a_face_up_card_in_the_stub_is_the_floors() -> None:
    table = dealt()
    assert words(table.draw("4S", up=True)) == ["CB-35 ALERT", "reveal found"]
