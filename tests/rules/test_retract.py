"""A retraction folds the round again without the input; what others rest on, or has been shown, is not taken back."""

from dataclasses import replace

from pitwarden.rules import load_profile
from pitwarden.rules.engine.retraction import MAX_ROWS
from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpReaderBad
from pitwarden_client.events.dealer_play import KpBoxes, KpChoice, KpDeal, KpDealer, KpDealt, KpDecision
from pitwarden_client.events.dealer_wagers import KpAntesCollected, KpBonusSettled, KpClose, KpWager
from pitwarden_client.events.device import DeviceGap, ShufflerStarted
from pitwarden_client.events.outputs import Refused
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


def refusal_of(table: RulesTable, act: DealerAct) -> str:
    [said] = [one for one in table.key(act) if isinstance(one, Refused)]
    return said.sentence


def test_a_refused_decision_names_the_earlier_key_and_that_key_can_be_retracted() -> None:
    table = dealt()
    table.key(KpBonusSettled(box=1))
    table.key(KpDecision(box=1, decision="hit"))
    hasty = table.number
    said = refusal_of(table, KpDecision(box=1, decision="stand"))
    assert (
        said
        == f"Box 1 is still waiting for its card. Deal that card first, or retract row {hasty} if it was a mistake."
    )
    assert words(table.key(ft.Retract(number=hasty))) == []
    assert table.state.round.play.asked == ()


def test_a_key_after_the_last_decision_of_a_hand_names_that_decision() -> None:
    table = dealt()
    table.key(KpBonusSettled(box=1))
    table.key(KpDecision(box=1, decision="stand"))
    hasty = table.number
    said = refusal_of(table, KpDecision(box=1, decision="hit"))
    assert said == f"The hand of box 1 is complete. If row {hasty} was a mistake, retract it."


def test_a_key_that_can_no_longer_be_retracted_is_not_named() -> None:
    table = dealt()
    table.key(KpBonusSettled(box=1))
    table.key(KpDealt())
    table.key(KpDecision(box=1, decision="double"))
    assert words(table.draw("2H")) == ["reveal box1.3"]
    assert "retract" not in refusal_of(table, KpDecision(box=1, decision="hit"))


def test_a_second_choice_names_the_first_one() -> None:
    table = RulesTable(replace(setup_of("TAB"), profile=load_profile("switch-hands", 6))).open()
    table.deal("5C 9C", "KD", "6D 9D", "7S")
    table.key(KpAntesCollected())
    table.key(KpChoice(box=1, choice="switch"))
    first = table.number
    assert refusal_of(table, KpChoice(box=1, choice="keep")).endswith(f"If row {first} was a mistake, retract it.")
