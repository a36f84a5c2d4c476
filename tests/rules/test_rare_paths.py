"""Rare paths through transitions and checks: third finds, refutations, unread cards, rows out of place, no rules."""

from dataclasses import replace

import pytest

from pitwarden.rules import initial_state, step
from pitwarden.rules.engine.precedence import resolve_precedence
from pitwarden.rules.state.state import Finding
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealer, KpDealerDraw
from pitwarden_client.events.dealer_wagers import KpClose, KpNoMoreBets
from pitwarden_client.events.device import KeypadEntry, ReaderInserted, ReaderResult, ShufflerStarted
from pitwarden_client.events.outputs import CheckFailed, Irregularity
from pitwarden_client.events.table import LogFault
from testkit.nights.arbitrary_rows import NIGHTS, SETUPS, night
from testkit.tables.rules_table import SEALED, RulesTable, setup_of, words


def dealt(firsts: str = "5C 9H", seconds: str = "6D KC", up: str = "9S", hole: str = "KD") -> RulesTable:
    return RulesTable(setup_of("TAB", reader=False)).open().deal(firsts, up, seconds, hole)


def last(table: RulesTable) -> Irregularity:
    return [one for one in table.said if isinstance(one, Irregularity)][-1]


@pytest.mark.parametrize("name", NIGHTS)
def test_a_profile_without_rules_finds_nothing_and_fails_nowhere(name: str) -> None:
    setup = SETUPS[name]
    state = initial_state(replace(setup, profile=replace(setup.profile, rules=())))
    for row in night(name, 4, faults=True):
        state, said = step(state, row)
        assert not [one for one in said if isinstance(one, Irregularity | CheckFailed)]


def test_without_rules_lost_rows_and_a_silent_reader_are_nothing() -> None:
    setup = setup_of("TAB", reader=False)
    table = RulesTable(replace(setup, profile=replace(setup.profile, rules=())))
    table.key(KpBoxes(boxes=(1, 2)))
    table.row(ReaderInserted(), "reader")
    assert words(table.tick(31_000)) == []
    assert words(table.row(LogFault(fault="forked", detail="d"))) == []


def test_a_log_that_lost_rows_is_nothing_where_the_house_has_a_rule_for_forks_alone() -> None:
    setup = setup_of("TAB")
    kept = tuple(rule for rule in setup.profile.rules if rule.key != "log_fault")
    lost = LogFault(fault="queue_overflow", detail="d")
    assert words(RulesTable(setup).row(lost)) == ["PW-LOG HOLD"]
    table = RulesTable(replace(setup, profile=replace(setup.profile, rules=kept)))
    assert words(table.row(lost)) == []
    assert words(table.row(LogFault(fault="forked", detail="d"))) == ["PW-FORK HOLD"]


@pytest.mark.parametrize("asks", [True, False])
def test_an_inspection_is_due_where_the_game_has_a_clause_for_it(asks: bool) -> None:  # noqa: FBT001  a parameter
    setup = setup_of("TAB", reader=False)
    kept = tuple(rule for rule in setup.profile.rules if asks or rule.key not in {"inspection", "reader_inspection"})
    table = RulesTable(replace(setup, profile=replace(setup.profile, rules=kept))).open()
    table.tick(86_400_000)
    due = {duty.subject for duty in table.state.duties if duty.duty == "inspection"}
    assert due == ({"shoe", "shuffler", "reader"} if asks else set())


def test_a_row_that_comes_again_changes_nothing_and_says_nothing() -> None:
    table = dealt()
    assert [step(table.state, row) for row in table.rows] == [(table.state, ())] * len(table.rows)


def test_a_keypad_entry_that_means_nothing_is_nothing() -> None:
    table = dealt()
    before = table.state
    assert words(table.row(KeypadEntry(key="round_end", digits="12"), "pad")) == []
    assert (table.state.round, table.state.shoe, table.state.table) == (before.round, before.shoe, before.table)


def test_a_third_find_in_a_void_round_says_no_second_void() -> None:
    table = dealt()
    table.draw("2C", up=True)
    assert "TAB-36 VOID+SHUFFLE" in words(table.draw("3C", up=True))
    assert words(table.draw("4D", up=True)) == ["reveal found"]
    assert "TAB-37 DESTROY+HOLD" in words(table.draw("10C"))


def test_more_finds_between_rounds_are_a_shuffle_and_no_void() -> None:
    table = RulesTable(setup_of("TAB")).open()
    for dealer, card in (("d2", "2C"), ("d3", "3C")):
        table.key(KpDealer(dealer=dealer))
        table.draw(card, up=True)
    assert "TAB-36 SHUFFLE" in words(tuple(table.said))
    table = RulesTable(setup_of("TAB")).open()
    for dealer, card in (("d2", "10C"), ("d3", "10D")):
        table.key(KpDealer(dealer=dealer))
        table.draw(card)
    assert words(tuple(table.said[-2:])) == ["TAB-37 SHUFFLE+DESTROY", "reveal found"]


def test_with_three_tens_refuting_one_leaves_the_void() -> None:
    table = dealt()
    table.draw("10C")
    table.draw("10D")
    table.draw("10H")
    assert words(table.key(ft.FtTenRefuted())) == ["TAB-37 refuted", "TAB-37 USE_NEXT"]
    assert table.state.round.void


def test_a_ten_that_is_destroyed_may_still_be_called_misread() -> None:
    table = dealt()
    table.draw("10C")
    ref = last(table).ref
    table.key(ft.FtTenDestroyed())
    assert words(table.key(ft.Refute(irregularity=ref, reason="surveillance"))) == ["TAB-37 refuted"]


def test_a_count_may_be_refuted() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpNoMoreBets())
    table.stack(6)
    assert words(table.key(ft.Refute(irregularity=last(table).ref, reason="seven"))) == ["CB-36 refuted"]
    assert not table.state.round.void


def test_a_copy_too_many_that_was_shown_is_not_said_again_when_the_deck_leaves() -> None:
    table = RulesTable(setup_of("CB", mode="manual_shoe")).open()
    table.draw("AC", up=True)
    assert "G-01 ALERT" in words(table.draw("AC", up=True))
    assert "G-01 ALERT" not in words(table.row(ShufflerStarted(deck="A"), "shuffler"))


def test_keys_of_another_game_close_no_bets() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpDeal())
    assert not table.state.round.open


def test_a_round_that_begins_before_its_deck_is_loaded_finds_it_with_the_first_card() -> None:
    table = RulesTable(setup_of("TAB"))
    table.key(KpBoxes(boxes=(1, 2)))
    assert table.state.round.deck == ""
    table.draw("5C")
    assert table.state.round.deck == ""


def test_a_dealer_draw_before_the_hole_is_shown_depends_on_nothing_hidden() -> None:
    table = dealt("KC 9H", "QD KC", "KS", "8D")
    table.key(KpDealerDraw())
    assert words(table.draw("3C")) == []
    assert len(table.state.round.play.dealer) == 1


def test_an_uncertain_deal_takes_no_late_card_for_a_decision() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpDeal())
    for card in ("5C", "9H", "9S", "KC", "QC"):
        table.draw(card, after=100)
    table.key(KpClose(window="attack2"))
    table.key(KpDealerDraw(), after=100)
    assert not [word for word in words(tuple(table.said)) if word.startswith("reveal")]


def test_an_unread_pair_may_be_split() -> None:
    table = dealt("?? 9H", "?? KC")
    table.decide(1, "split")
    assert len(table.state.round.play.hands) == 3


def test_an_answer_without_a_round_is_nobodys() -> None:
    table = RulesTable(setup_of("TAB", reader=False)).open()
    assert words(table.row(ReaderResult(answer=SEALED), "reader", bit=True)) == []
    assert table.state.round.play.reader.bit is None


def test_a_reader_inserted_twice_is_one_alert() -> None:
    table = dealt(up="AS")
    table.row(ReaderInserted(), "reader")
    table.row(ReaderInserted(), "reader", after=200)
    assert words(table.tick()) == ["TAB-23 ALERT"]


def test_a_shuffler_that_is_not_configured_still_shuffles_the_deck() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.row(ShufflerStarted(deck="A"), "nobody")
    assert table.state.shoe.deck == ""


def test_a_verdict_that_ends_the_round_cancels_what_goes_on_in_it() -> None:
    table = dealt()
    void = Finding("v", "TAB-36", ("c",), ("VOID",), "text", "dealer", "s")
    burn = Finding("b", "TAB-40", ("c",), ("BURN", "HOLD"), "text", "dealer", "s")
    goes_on = Finding("g", "TAB-38", ("c",), ("USE_NEXT",), "text", "dealer", "s")
    assert [one.verdicts for one in resolve_precedence(table.state, (void, burn, goes_on))] == [("VOID",), ("HOLD",)]
