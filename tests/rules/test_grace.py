"""Order alerts wait one second of log time, since keypad and shoe race; a deadline fires before the row at its time."""

from pitwarden_client.events.dealer_irregularities import KpDrawnInError
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDecision
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from pitwarden_client.events.table import ClockTick
from testkit.tables.rules_table import RulesTable, setup_of, words


def boxes() -> RulesTable:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    return table


def test_a_key_within_the_grace_leaves_nothing() -> None:
    table = boxes()
    table.draw("5C")
    assert words(table.key(KpDeal(), after=999)) == []
    assert words(table.tick(5_000)) == []


def test_a_key_at_the_end_of_the_grace_comes_too_late() -> None:
    table = boxes()
    table.draw("5C")
    assert words(table.key(KpDeal(), after=1_000)) == ["TAB-14 ALERT"]


def test_a_card_that_overtakes_the_window_key_leaves_no_slot_certain() -> None:
    """It may as well be a card that the shoe read twice, which moves every later card by one place."""
    table = boxes()
    table.key(KpDeal())
    table.draw("5C")
    table.draw("9H")
    table.draw("9S")
    said = words(table.key(KpClose(window="attack2"), after=300))
    assert not any(word.startswith("reveal") for word in said)


def test_a_card_that_overtakes_the_decision_belongs_to_it() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.key(KpBonusSettled(box=1))
    table.draw("8C")
    assert words(table.key(KpDecision(box=1, decision="hit"), after=400)) == []
    assert words(table.tick(5_000)) == []
    # The key of a card drawn in error would be the next one: another row shows that the hit is none.
    assert words(table.key(KpDecision(box=1, decision="stand"))) == ["reveal box1.3"]


def test_an_unasked_card_stays_sealed_and_is_asked_about() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.key(KpBonusSettled(box=1))
    assert words(table.draw("8C")) == []
    assert words(table.tick(1_000)) == ["TAB-17 ALERT"]
    assert words(table.key(KpDrawnInError(exposed=False))) == ["TAB-38 USE_NEXT"]
    assert words(table.key(KpDecision(box=1, decision="hit"))) == ["reveal box1.3"]


def test_a_new_epoch_ends_every_wait() -> None:
    table = boxes()
    table.draw("5C")
    table.epoch, table.log_ms = "e2", 0
    assert words(table.row(ClockTick(), after=10)) == ["TAB-14 ALERT"]
