"""A retraction folds the round again without the input; what others rest on, or has been shown, is not taken back."""

from pitwarden.rules.engine.retraction import MAX_ROWS
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpReaderBad
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealer
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose, KpWager
from pitwarden_client.events.device import DeviceGap, ShufflerStarted
from testkit.tables.rules_table import RulesTable, setup_of, words


def dealt(*, reader: bool | str = "none") -> RulesTable:
    return RulesTable(setup_of("TAB", reader=reader)).open().deal("5C 9H", "9S", "6D KC", "KD")


def test_what_rested_on_the_input_is_withdrawn_under_the_retraction() -> None:
    table = dealt(reader=False)
    table.key(KpReaderBad())
    number = table.number
    said = table.key(ft.Retract(number=number))
    assert words(said) == ["TAB-48 withdrawn"]
    assert not any(case.live for case in table.state.cases)


def test_what_the_input_hid_is_said_with_the_number_of_the_retraction() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    number = table.number
    table.draw("5C", after=500)
    said = table.key(ft.Retract(number=number), after=PACE)
    assert words(said) == ["TAB-14 ALERT"]
    assert getattr(said[0], "ref", "") == f"e1-{table.number}-0"


def test_a_wrong_box_taken_back_reveals_the_pass_that_it_hid() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.key(KpBoxes(boxes=(1, 2, 3)))
    wrong = table.number
    table.draw("5C")
    table.draw("9H")
    assert words(table.key(KpClose(window="attack2"))) == ["TAB-14 CONTINUE"]
    assert words(table.key(ft.Retract(number=wrong))) == ["reveal box1.1", "reveal box2.1"]


def test_only_the_author_takes_back_and_only_an_input_of_the_round() -> None:
    table = dealt()
    table.key(KpDrawnInError(exposed=False))
    number = table.number
    assert words(table.key(ft.Retract(number=number), person="p2")) == ["refused PW-INPUT"]
    assert words(table.key(ft.Retract(number=number - 1))) == ["refused PW-INPUT"]
    assert words(table.key(ft.Retract(number=1))) == ["refused PW-INPUT"]


def test_after_a_reveal_a_shuffle_or_a_destruction_nothing_is_taken_back() -> None:
    table = dealt()
    table.key(KpWager(wager="insurance", box=1))
    number = table.number
    table.key(KpBonusSettled(box=1))
    assert words(table.key(ft.Retract(number=number))) == ["refused PW-INPUT"]
    table.key(KpWager(wager="insurance", box=1))
    number = table.number
    table.row(ShufflerStarted(deck="B"), "shuffler")
    assert words(table.key(ft.Retract(number=number)))[-1] == "refused PW-INPUT"


def test_cases_that_stay_keep_their_names_and_cleared_ones_reopen() -> None:
    table = dealt()
    table.row(DeviceGap(first=1, last=2), "shoe")
    table.key(ft.FtDeckVerified(deck="A"))
    number = table.number
    table.key(KpDealer(dealer="d2"))
    said = table.key(ft.Retract(number=number))
    assert words(said) == ["PW-GAP HOLD"]
    assert {case.said.catalogue for case in table.state.cases} == {"PW-GAP", "TAB-13"}


def test_duties_follow_a_retraction() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.utc_ms += 13 * 3_600_000
    table.tick()
    table.key(ft.FtInspect(device="shoe", ok=True))
    said = table.key(ft.Retract(number=table.number))
    assert words(said) == ["G-10 due"]
    table.key(ft.FtTableClose())
    assert words(table.key(ft.FtTableOpen()))[-1] == "G-10 due"
    assert words(table.key(ft.Retract(number=table.number))) == ["G-10 done", "G-10 done"]


def test_a_table_that_idled_long_takes_nothing_back() -> None:
    table = dealt()
    table.key(KpDrawnInError(exposed=False))
    number = table.number
    for _ in range(MAX_ROWS + 1):
        table.tick()
    assert words(table.key(ft.Retract(number=number))) == ["refused PW-INPUT"]


PACE = 2_000
