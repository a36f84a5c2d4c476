"""A key that ends a pass too early is undone by a later one in its time, or final; see `transitions/pass_marks.py`."""

import pytest

from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpNoCards
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealt, KpDecision, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from pitwarden_client.events.device import DeviceHealth, ReaderInserted
from testkit.tables.rules_table import HousePolicy, RulesTable, setup_of, words

PUBLIC = ["reveal box1.1", "reveal box2.1"]


def early(*, reader: bool | str = "none") -> RulesTable:
    """Return a table of two boxes whose first window was closed after one card."""
    table = RulesTable(setup_of("TAB", reader=reader)).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("9C")
    assert "TAB-14 CONTINUE" in words(table.key(KpClose(window="attack2")))
    return table


def test_the_same_key_in_its_time_undoes_it() -> None:
    table = early()
    table.draw("9D")
    assert words(table.key(KpClose(window="attack2")))[-2:] == PUBLIC


def test_the_key_of_the_next_pass_undoes_it() -> None:
    table = early()
    table.draw("9D")
    table.draw("6D")
    assert words(table.key(KpClose(window="attack3")))[-2:] == PUBLIC
    assert words(table.draw("8C"))[-1:] == ["reveal dealer.1"]


def test_a_key_that_still_comes_too_early_leaves_it_open() -> None:
    table = early()
    table.key(KpClose(window="attack3"))
    for card in ("9D", "6D", "8C", "8H", "2H"):
        table.draw(card)
    assert words(table.key(KpDealt()))[:2] == PUBLIC


def test_a_decision_with_the_wrong_number_is_no_haste() -> None:
    table = early()
    table.draw("9D")
    table.draw("6D")
    table.key(KpBonusSettled(box=1))
    table.decide(1, "hit")
    for card in ("8C", "8H", "2H"):
        table.draw(card)
    assert words(table.key(KpBonusSettled(box=2))) == []
    assert not {*PUBLIC} & {*words(table.key(KpHoleUp()))}


@pytest.mark.parametrize("act", [KpDrawnInError(exposed=False), KpNoCards(box=2)])
def test_an_irregularity_makes_the_number_final(act: KpDrawnInError | KpNoCards) -> None:
    table = early()
    table.draw("9D")
    table.key(act)
    table.draw("6D")
    assert PUBLIC[1] not in words(table.key(KpClose(window="attack3")))


def test_a_card_in_the_reader_makes_the_number_final() -> None:
    table = early(reader=False)
    table.draw("9D")
    table.row(ReaderInserted(), "reader")
    assert words(table.key(KpClose(window="attack2"))) == []


def test_boxes_keyed_anew_count_the_deal_from_there() -> None:
    table = early()
    table.draw("9D")
    table.key(KpBoxes(boxes=(1, 2)))
    table.draw("6D")
    assert words(table.key(KpClose(window="attack3")))[-2:] == PUBLIC


def test_boxes_that_make_the_key_right_keep_it() -> None:
    table = early()
    assert words(table.key(KpBoxes(boxes=(1,)))) == ["reveal box1.1"]
    table.draw("6D")
    assert words(table.key(KpClose(window="attack3"))) == ["reveal dealer.1"]


def closed(table: RulesTable) -> list[str]:
    """Return what the table reports after the window was closed, until its grace is over."""
    return [*words(table.key(KpClose(window="attack2"))), *words(table.tick(5_000))]


def begun(**choices: str) -> RulesTable:
    table = RulesTable(setup_of("TAB", policy=HousePolicy(**choices))).open()  # type: ignore[arg-type]
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    return table


def test_a_window_before_its_cards_is_an_alert_at_the_choice_of_the_house() -> None:
    assert "TAB-15 ALERT" in closed(begun(early_window="alert"))
    assert "TAB-15 ALERT" not in closed(begun())


def test_a_window_that_raced_with_the_last_card_is_closed_in_time() -> None:
    table = begun(early_window="alert")
    table.draw("9C")
    table.key(KpClose(window="attack2"))
    table.draw("9D", after=300)
    assert "TAB-15 ALERT" not in words(table.tick(5_000))


def test_a_window_that_is_closed_while_the_shoe_is_silent_is_no_complaint() -> None:
    table = RulesTable(setup_of("TAB", policy=HousePolicy(early_window="alert"))).open()
    table.row(DeviceHealth(state="lost", reason="silent"), "shoe")
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    assert "TAB-15 ALERT" not in closed(table)


def test_a_late_decision_in_its_time_undoes_it() -> None:
    table = early()
    for card in ("9D", "6D", "8C", "8H", "2H"):
        table.draw(card)
    assert words(table.key(KpDecision(box=1, decision="stand")))[:2] == PUBLIC
