"""A key that ends a pass too early is undone by a later one in its time, or final; see `transitions/pass_marks.py`."""

import pytest

from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpNoCards
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealt, KpDecision, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from pitwarden_client.events.device import ReaderInserted
from testkit.tables.rules_table import RulesTable, setup_of, words

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


def test_a_late_decision_in_its_time_undoes_it() -> None:
    table = early()
    for card in ("9D", "6D", "8C", "8H", "2H"):
        table.draw(card)
    assert words(table.key(KpDecision(box=1, decision="stand")))[:2] == PUBLIC
