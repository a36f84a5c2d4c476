"""Irregularities are opened once, acknowledged, cleared by the named inputs, refuted by the floor, withdrawn."""

import pytest

from pitwarden.rules import public_state
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_irregularities import KpReaderBad
from pitwarden_client.events.dealer_play import KpDealer, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpInsuranceSettled, KpSettled
from pitwarden_client.events.outputs import Irregularity
from testkit.tables.rules_table import RulesTable, setup_of, words

FIRSTS, SECONDS = "5C 9H", "6D KC"


@pytest.fixture
def table() -> RulesTable:
    return RulesTable(setup_of("TAB")).open().deal(FIRSTS, "9S", SECONDS, "KD")


def last(table: RulesTable) -> Irregularity:
    return [one for one in table.said if isinstance(one, Irregularity)][-1]


def test_a_case_names_its_clause_its_row_and_what_clears_it(table: RulesTable) -> None:
    table.decide(1, "hit")
    table.draw("10D")
    case = last(table)
    assert case.ref == f"e1-{table.number}-0"
    assert (case.catalogue, case.clauses, case.basis) == ("TAB-37", ("13:69F-36.14(b)",), "text")
    assert case.clears == "the floorperson destroys the 10"
    assert case.evidence == (table.number,)


def test_acknowledging_keeps_the_case_open_until_it_is_cleared(table: RulesTable) -> None:
    table.decide(1, "hit", "10D")
    ref = last(table).ref
    assert words(table.key(ft.Ack(irregularity=ref), person="f1")) == ["TAB-37 acknowledged"]
    assert last(table).by == "f1"
    assert words(table.key(ft.Ack(irregularity=ref))) == []
    assert words(table.key(ft.FtTenDestroyed())) == ["TAB-37 cleared"]
    assert last(table).ref == ref


@pytest.mark.parametrize("act", [ft.Ack(irregularity="x"), ft.Refute(irregularity="x", reason="r"),
                                 ft.FtSettleNote(irregularity="x", ruling="r")])  # fmt: skip
def test_what_is_not_open_is_refused(table: RulesTable, act: ft.Ack | ft.Refute | ft.FtSettleNote) -> None:
    assert words(table.key(act)) == ["refused PW-INPUT"]


def test_a_note_clears_an_alert_but_not_a_duty_with_a_named_end(table: RulesTable) -> None:
    table.decide(1, "hit", "10D")
    assert words(table.key(ft.FtSettleNote(irregularity=last(table).ref, ruling="seen"))) == ["refused PW-INPUT"]
    table.key(ft.FtTenDestroyed())
    table.draw("8C")
    table.key(KpDealer(dealer="d2"))
    assert words(table.key(ft.FtSettleNote(irregularity=last(table).ref, ruling="seen"))) == ["TAB-13 cleared"]


def test_what_rests_on_no_sensor_is_not_refuted(table: RulesTable) -> None:
    table.key(KpReaderBad())
    table.key(KpDealer(dealer="d2"))
    assert words(table.key(ft.Refute(irregularity=last(table).ref, reason="no"))) == ["refused PW-INPUT"]


def test_refuting_one_of_two_tens_withdraws_the_void_and_the_other_still_waits(table: RulesTable) -> None:
    table.decide(1, "hit", "10D")
    first = last(table).ref
    assert words(table.draw("10C"))[0] == "TAB-37 VOID+SHUFFLE+DESTROY"
    said = words(table.key(ft.Refute(irregularity=first, reason="a nine")))
    assert said == ["TAB-37 refuted", "TAB-37 withdrawn", "TAB-37 DESTROY+HOLD"]
    assert not table.state.round.void
    # The card that was no 10 is the one that box 1 asked for.
    assert words(table.key(ft.FtTenDestroyed())) == ["TAB-37 cleared", "corrected found box1.3"]


def test_two_tens_need_two_destructions_and_then_the_shuffle(table: RulesTable) -> None:
    table.decide(1, "hit", "10D")
    table.draw("10C")
    assert words(table.key(ft.FtTenDestroyed())) == ["TAB-37 cleared"]
    table.key(KpRoundEnd())
    assert words(table.shuffle()) == ["TAB-13 due"]
    assert words(table.key(ft.FtTenDestroyed())) == []
    assert words(table.shuffle()) == ["TAB-37 cleared"]


def test_settled_wagers_are_listed_in_the_void(table: RulesTable) -> None:
    table.key(KpBonusSettled(box=1))
    table.key(KpSettled(box=2, wager="suited_royals"))
    table.key(KpInsuranceSettled())
    table.decide(1, "hit", "10D")
    table.draw("10C")
    assert last(table).settled_before == ("box1 bonus", "box2 suited_royals", "insurance")


def test_the_state_shows_what_is_open_and_forgets_it_when_cleared(table: RulesTable) -> None:
    table.decide(1, "hit", "10D")
    shown = public_state(table.state)
    assert [one.catalogue for one in shown.irregularities] == ["TAB-37"]
    [opened] = shown.opened
    row = shown.irregularities[0].evidence[0]
    assert (opened.ref, opened.at.number, opened.may_act) == (last(table).ref, row, ("floor", "supervisor"))
    assert opened.logms <= table.state.log_ms
    table.key(ft.FtTenDestroyed())
    assert public_state(table.state).irregularities == ()
    assert public_state(table.state).opened == ()
