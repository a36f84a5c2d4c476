"""What was found because of an irregularity falls with it when the floorperson refutes it."""

from pitwarden.rules import public_state
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_play import KpBoxes, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpNoMoreBets
from pitwarden_client.events.device import ShoeLoaded, ShufflerDone, ShufflerStarted
from pitwarden_client.events.outputs import Irregularity
from testkit.tables.rules_table import RulesTable, setup_of, words


def refuted(table: RulesTable, ref: str) -> list[str]:
    return words(table.key(ft.Refute(irregularity=ref, reason="it was not so")))


def ref_of(table: RulesTable, *verdicts: str) -> str:
    said = [one for one in table.said if isinstance(one, Irregularity) and one.verdicts == verdicts]
    return said[-1].ref


def counted_short(game: str) -> tuple[RulesTable, str]:
    """Return a table after a round whose deck the shuffler then counted one card short."""
    table = RulesTable(setup_of(game)).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.draw("9C")
    table.key(KpRoundEnd())
    table.row(ShufflerStarted(deck="A"), "shuffler")
    total = table.state.setup.profile.total
    table.row(ShufflerDone(deck="A", count=total - 1), "shuffler")
    return table, public_state(table.state).irregularities[-1].ref


def test_a_refuted_count_takes_the_complaints_about_the_deck_that_had_to_leave() -> None:
    table, count = counted_short("CB")
    assert words(table.row(ShoeLoaded(deck="A", count=52), "shoe")) == ["PW-LEDGER HOLD"]
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    assert words(table.draw("9C")) == ["CB-23 HOLD"]
    assert refuted(table, count) == ["CB-23 refuted", "PW-LEDGER withdrawn", "CB-23 withdrawn"]
    assert public_state(table.state).irregularities == ()


def test_a_load_that_only_the_refuted_count_contradicts_is_no_complaint() -> None:
    table, count = counted_short("TAB")
    assert words(table.row(ShoeLoaded(deck="A", count=384), "shoe"))[0] == "PW-LEDGER HOLD"
    assert refuted(table, count) == ["TAB-01 refuted", "PW-LEDGER withdrawn"]


def test_a_load_that_the_whole_deck_contradicts_stands() -> None:
    table, _ = counted_short("CB")
    table.row(ShoeLoaded(deck="A", count=50), "shoe")
    load = public_state(table.state).irregularities[-1].ref
    assert refuted(table, load)[0] == "PW-LEDGER refuted"
    assert [one.catalogue for one in public_state(table.state).irregularities] == ["CB-23"]


def test_a_retraction_keeps_what_a_finding_rests_on() -> None:
    table, count = counted_short("CB")
    table.row(ShoeLoaded(deck="A", count=52), "shoe")
    table.key(KpBoxes(boxes=(1,)))
    table.key(ft.Retract(number=table.number))
    assert refuted(table, count) == ["CB-23 refuted", "PW-LEDGER withdrawn"]


def test_the_void_of_three_tens_stands_when_one_is_refuted() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.decide(1, "hit", "10D")
    table.draw("10C")
    void = ref_of(table, "VOID", "SHUFFLE", "DESTROY")
    table.draw("10H")
    assert refuted(table, void) == ["TAB-37 refuted", "TAB-37 VOID+SHUFFLE"]
    assert table.state.round.void
    table.key(KpRoundEnd())
    last = ref_of(table, "VOID", "SHUFFLE")
    assert refuted(table, last)[0] == "TAB-37 refuted"


def test_between_rounds_the_shuffle_stands_without_a_void() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.decide(1, "hit", "10D")
    table.draw("10C")
    void = ref_of(table, "VOID", "SHUFFLE", "DESTROY")
    table.draw("10H")
    table.key(KpRoundEnd())
    assert refuted(table, void) == ["TAB-37 refuted", "TAB-37 SHUFFLE"]
