"""The card ledger against the simulator's own cards, and the books by themselves."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pitwarden.rules import HousePolicy, LogEntry, RuleOutput, initial_state, load_profile, step
from pitwarden.rules.state.card_book import KEPT_ROUNDS, DeckBook, add_round, blast_rounds, record_count
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpRoundEnd
from pitwarden_client.events.device import (
    DeviceCount,
    DeviceGap,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerStarted,
)
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity, Notice
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.in_memory.rows import InMemoryRow
from pitwarden_simulators.in_memory.runner import PureRunner
from pitwarden_simulators.table.actions import TableDisplay
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.table_builder import Built, build
from testkit.nights.arbitrary_rows import NIGHTS, SETUPS, disturbed, night, table_of
from testkit.nights.in_memory_night import EVENING, InMemoryJudge
from testkit.tables.rules_table import RulesTable, setup_of, words

PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]


class Bookkeeper:
    """Compares the books with the cards that really lie there whenever the dealer ends a round."""

    def __init__(self, name: str, built: Built) -> None:
        self.judge = InMemoryJudge(table_of(name))
        self.table = built.table
        self.known = 0

    def __call__(self, row: InMemoryRow) -> TableDisplay:
        desk = self.judge(row)
        if isinstance(row.data, InputLogged) and isinstance(row.data.act, KpRoundEnd):
            self.compare(self.judge.state.round.deck)
        return desk

    def compare(self, deck: str) -> None:
        book = self.judge.state.book(deck)
        assert book.own == self.table.setup.cards
        real = {"shoe": len(self.table.shoe.cards), "rack": len(self.table.layout.rack), "layout": 0}
        for account, cards in real.items():
            booked = getattr(book, account)
            assert booked in {None, cards}, f"{account} of deck {deck}"
            self.known += booked is not None


@pytest.mark.parametrize("name", NIGHTS)
def test_what_is_booked_lies_there(name: str) -> None:
    built = build(table_of(name), "5", heartbeat_ms=10_000)
    keeper = Bookkeeper(name, built)
    PureRunner(built.devices, DRIVER, keeper, start_ms=EVENING).play(TableNight(built.table, 12).script())
    assert keeper.judge.complaints() == []
    assert keeper.known or name == "cb-manual"


@settings(max_examples=15, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(disturbed())
def test_no_card_is_in_two_accounts_and_none_is_a_debt(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    state = initial_state(SETUPS[name])
    said: list[RuleOutput] = []
    for row in rows:
        state, outputs = step(state, row)
        said += outputs
        for book in state.books:
            accounts = (book.shuffler, book.shoe, book.rack)
            assert all(one is None or one >= 0 for one in (*accounts, book.own))
    for one in said:
        if isinstance(one, Irregularity) and one.catalogue == "PW-LEDGER":
            assert one.basis == "house"
            assert set(one.verdicts) <= {"ALERT", "HOLD"}
            assert one.blast is not None


ACTS = sorted({row.data.act.act for name in NIGHTS for row in night(name, 3) if isinstance(row.data, InputLogged)})


@settings(max_examples=15, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(NIGHTS), st.frozensets(st.sampled_from(ACTS), max_size=len(ACTS)))
def test_whatever_a_table_does_not_key_its_honest_books_are_unknown_not_wrong(
    name: str, unkeyed: frozenset[str]
) -> None:
    state = initial_state(replace(SETUPS[name], inputs=frozenset(ACTS) - unkeyed))
    rows = [row for row in night(name, 3) if not isinstance(row.data, InputLogged) or row.data.act.act not in unkeyed]
    for number, row in enumerate(rows, start=1):
        state, outputs = step(state, replace(row, number=number))
        assert [one for one in outputs if isinstance(one, Irregularity | Notice) and one.catalogue == "PW-LEDGER"] == []


def opened() -> RulesTable:
    return RulesTable(setup_of("TAB")).open()


def test_a_count_that_a_device_answers_is_compared_once_no_card_crosses_it() -> None:
    table = opened()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    assert words(table.row(DeviceCount(request="r", count=383), "shoe")) == []
    table.row(DeviceCount(request="r", count=384), "shoe")
    table.draw("9C", after=100)
    assert words(table.tick()) == []
    table.row(DeviceCount(request="r", count=366), "shoe")
    assert words(table.tick(1_500)) == ["PW-LEDGER ALERT"]


def test_a_shuffler_that_says_it_is_empty_may_leave() -> None:
    table = opened()
    table.row(ShufflerStarted(deck="B"), "shuffler")
    assert words(table.row(DeviceCount(request="r", count=0), "shuffler")) == []
    assert words(table.key(ft.FtDeviceRemoved(device="shuffler"))) == []


def test_after_lost_events_nothing_is_known_until_the_cards_are_together() -> None:
    table = opened()
    table.row(DeviceGap(first=1, last=9), "shoe")
    book = table.state.book("A")
    assert (book.own, book.shoe, book.layout) == (384, None, None)
    table.shuffle()
    assert table.state.book("A").shoe == 384


def test_a_load_that_differs_is_one_alarm_and_the_books_follow_it() -> None:
    table = opened()
    table.row(ShufflerStarted(deck="A"), "shuffler")
    table.row(ShufflerDone(deck="A", count=None), "shuffler")
    assert "PW-LEDGER HOLD" in words(table.row(ShoeLoaded(deck="A", count=380), "shoe"))
    assert table.state.book("A").own == 380


def test_more_cards_than_were_loaded_are_an_alarm() -> None:
    table = opened()
    table.row(ShufflerDone(deck="A", count=2), "shuffler")
    table.row(ShoeLoaded(deck="A", count=2), "shoe")
    assert "PW-LEDGER ALERT" not in words(table.draw("5C") + table.draw("6C"))
    assert "PW-LEDGER ALERT" in words(table.draw("7C"))


def test_a_shoe_that_reports_no_load_has_the_deck_once_it_dispenses_a_card() -> None:
    table = opened()
    table.row(ShoeUnloaded(), "shoe")
    table.row(ShufflerStarted(deck="A"), "shuffler")
    table.row(ShufflerDone(deck="A", count=384), "shuffler")
    assert (table.state.book("A").shuffler, table.state.book("A").shoe) == (384, 0)
    table.draw("5C")
    assert (table.state.book("A").shuffler, table.state.book("A").shoe) == (0, 383)


def test_stacks_put_into_the_shoe_in_mid_shoe_leave_unknown_how_many_it_holds() -> None:
    """The Bart Carter shuffle (2B.1): the shoe still holds the rest, so what it was given is no whole deck."""
    setup = setup_of("TAB", profile=load_profile("switch-hands", 6), policy=HousePolicy(bart_carter=True))
    table = RulesTable(setup)
    table.shuffle()
    table.key(KpBoxes(boxes=(1,)))
    table.draw("5C")
    table.key(KpRoundEnd())
    table.row(ShufflerDone(deck="A", count=1), "shuffler")
    assert "PW-LEDGER HOLD" not in words(table.row(ShoeLoaded(deck="A", count=1), "shoe"))
    assert (table.state.book("A").own, table.state.book("A").shoe) == (312, None)


def test_a_count_of_no_booked_card_is_compared_with_nothing() -> None:
    table = opened()
    table.row(DeviceCount(request="r", count=5), "shuffler")
    table.row(ShoeUnloaded(), "shoe")
    table.row(DeviceCount(request="r", count=5), "shoe")
    assert words(table.tick(1_500)) == []


def test_a_ten_that_is_destroyed_where_none_is_over_leaves_the_books_as_they_are() -> None:
    table = opened()
    books = table.state.books
    table.key(ft.FtTenDestroyed())
    assert table.state.books == books


def test_a_card_that_is_taken_out_comes_from_where_the_cards_are() -> None:
    table = opened()
    table.key(ft.FtCardRemoved(deck="A", count=1, reason="torn"))
    assert (table.state.book("A").own, table.state.book("A").shoe) == (383, 382)


def test_a_card_taken_out_of_a_deck_that_nobody_counted_asks_for_a_count() -> None:
    table = RulesTable(setup_of("TAB"))
    assert table.state.book("A").own is None
    said = table.key(ft.FtCardRemoved(deck="A", count=1, reason="torn"))
    assert any(isinstance(one, Irregularity) and "Verify or replace it" in one.sentence for one in said)


def test_the_radius_lists_the_latest_rounds_and_counts_the_rest() -> None:
    book = record_count(DeckBook("A", own=52), "floor-1", ("e1", 4))
    for number in range(1, KEPT_ROUNDS + 11):
        book = add_round(book, number)
    found = blast_rounds(book)
    assert (found.by, found.more, found.rounds[0], found.rounds[-1]) == ("floor-1", 10, 11, KEPT_ROUNDS + 10)
    assert blast_rounds(record_count(book, "shuffler", ("e1", 9))).rounds == ()
    assert blast_rounds(record_count(book, "shuffler", ("e1", 9)), "shuffler").by == "floor-1"
    assert blast_rounds(DeckBook("B")).since is None
