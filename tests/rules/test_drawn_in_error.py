"""Cards drawn in error: who gets them, hidden or exposed, in the initial deal and after it."""

from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpRefuse
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from testkit.tables.rules_table import RulesTable, dealt_table, setup_of, words


def test_a_card_drawn_in_error_unexposed_goes_to_the_next_hand_even_in_the_next_round() -> None:
    table = dealt_table()
    table.draw("8C")
    table.tick()
    assert words(table.key(KpDrawnInError(exposed=False))) == ["TAB-38 USE_NEXT"]
    table.decide(1, "stand")
    table.decide(2, "stand")
    table.finish()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("5D")
    assert words(table.key(KpClose(window="attack2"))) == ["reveal box1.1", "reveal box2.1"]


def test_an_exposed_card_goes_to_the_next_hand_that_takes_it() -> None:
    table = dealt_table()
    table.draw("8C")
    assert words(table.key(KpDrawnInError(exposed=True), after=300)) == ["TAB-40 USE_NEXT"]
    assert words(table.key(KpRefuse(box=1))) == []
    assert words(table.decide(1, "hit")) == ["refused TAB-40"]
    assert words(table.decide(2, "hit")) == ["reveal box2.3"]
    assert [card.exposed for card in table.state.round.play.hands[1].cards] == [False, False, True]


def test_an_exposed_card_of_no_use_is_burned_after_the_reveal_only() -> None:
    table = dealt_table("KC 9H", "QD KC", "KS", "8D")
    table.draw("6H")
    table.key(KpDrawnInError(exposed=True), after=300)
    for box in (1, 2):
        assert words(table.key(KpRefuse(box=box))) == []
        table.key(KpBonusSettled(box=box))
        table.decide(box, "stand")
    assert words(table.key(KpHoleUp())) == ["TAB-40 BURN", "reveal box2.2", "reveal dealer.2"]
    assert words(table.key(KpDrawnInError(exposed=True))) == ["reveal found"]


def test_a_dealt_card_taken_back_in_error_leaves_its_hand() -> None:
    table = dealt_table()
    table.decide(1, "hit", "8C")
    assert words(table.key(KpDrawnInError(exposed=False))) == ["TAB-38 USE_NEXT"]
    assert [len(hand.cards) for hand in table.state.round.play.hands] == [2, 2]


def test_an_error_in_the_initial_deal_is_used_in_the_next_pass() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    for card in ("5C", "9H", "9S"):
        table.draw(card)
    assert words(table.key(KpDrawnInError(exposed=False), after=300)) == ["TAB-38 USE_NEXT"]
    assert words(table.key(KpClose(window="attack2"))) == ["reveal box1.1", "reveal box2.1"]
    assert words(table.key(KpClose(window="attack3"))) == ["reveal dealer.1"]


def test_an_exposed_error_in_the_initial_deal_is_for_the_floor() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("5C")
    assert words(table.key(KpDrawnInError(exposed=True))) == ["TAB-40 ALERT"]
