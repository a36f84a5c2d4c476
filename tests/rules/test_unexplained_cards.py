"""A card that no key explains: the hands that it may belong to, and the late key that explains it after all."""

from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_irregularities import KpDrawnInError
from pitwarden_client.events.dealer_play import KpDealerDraw, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled
from testkit.tables.rules_table import RulesTable, dealt_table, words


def told(table: RulesTable) -> set[tuple[str, str]]:
    return {(one.hand, one.result) for one in table.state.round.windows.bets.told if one.wager == "first_attack"}


def settled_bonuses(table: RulesTable) -> RulesTable:
    for box in (1, 2):
        table.key(KpBonusSettled(box=box))
    return table


def test_a_bust_is_a_bust_with_any_other_card() -> None:
    table = settled_bonuses(dealt_table())
    table.draw("8C")
    table.decide(1, "hit", "stand")  # takes the 8: 5 + 6 + 8
    table.draw("KH")
    table.decide(2, "hit")
    table.draw("7H")
    table.key(KpHoleUp())
    table.key(KpHoleUp())
    assert told(table) == {("box2", "lose")}


def test_a_dealers_blackjack_ends_the_round_whatever_the_card_was() -> None:
    table = settled_bonuses(dealt_table("5C 9H", "6D KC", "AS", "KD"))
    table.decide(1, "stand")
    table.draw("2C")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    table.key(KpRoundEnd())
    assert told(table) == {("box1", "lose")}


def test_a_hand_that_was_complete_before_the_card_waits_for_the_dealer_only() -> None:
    table = settled_bonuses(dealt_table("5C 9H", "6D KC", "9S", "KD"))
    table.decide(1, "stand")
    table.draw("2C")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    assert told(table) == set()
    table.key(KpDrawnInError(exposed=False))
    assert told(table) == {("box1", "lose"), ("box2", "push")}


def test_a_card_after_the_dealer_stands_belongs_to_nobody() -> None:
    table = settled_bonuses(dealt_table())
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    before = told(table)
    table.draw("2C")
    assert before
    assert table.state.round.unexplained == frozenset()
    assert told(table) == before


def test_the_dealers_draw_may_be_keyed_late() -> None:
    table = settled_bonuses(dealt_table("5C 9H", "6D KC", "6S", "KD"))
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.key(KpHoleUp())
    table.draw("2C")
    table.key(KpDealerDraw())
    assert words(table.key(KpRoundEnd()))[0] == "reveal dealer.3"


def test_two_late_hits_take_the_two_cards_in_their_order() -> None:
    table = settled_bonuses(dealt_table())
    table.draw("2C")
    table.draw("3C")
    table.decide(1, "hit")
    assert "reveal box1.3" in words(table.decide(1, "hit"))
    assert "reveal box1.4" in words(table.decide(1, "stand"))


def test_a_card_behind_the_request_is_the_one_that_was_requested() -> None:
    table = settled_bonuses(dealt_table())
    table.draw("KD")
    table.decide(1, "hit", "2C")
    table.decide(1, "stand")
    assert [card.face for card in table.state.round.exceptions.extras] == [table.state.round.deal.dealt[-1].face]


def test_a_refuted_card_that_is_keyed_as_drawn_in_error_waits_once() -> None:
    table = settled_bonuses(dealt_table())
    table.draw("10C")
    table.key(ft.FtTenRefuted())
    assert words(table.key(KpDrawnInError(exposed=True))) == ["TAB-38 USE_NEXT"]
    assert len(table.state.round.exceptions.parked) == 1
    assert words(table.decide(1, "hit")) == ["corrected found box1.3"]


def test_a_card_keyed_as_drawn_in_error_may_be_keyed_as_exposed_behind_it() -> None:
    table = settled_bonuses(dealt_table())
    table.draw("8C")
    table.key(KpDrawnInError(exposed=False))
    table.key(KpDrawnInError(exposed=True))
    assert [card.exposed for card in table.state.round.exceptions.parked] == [True]
