"""Who may clear what: nobody clears the own act, someone can always clear it, and some acts need two persons."""

from typing import get_args

import pytest

from pitwarden.rules import HousePolicy, SetupError, public_state, validate_setup
from pitwarden.rules.profile.case_records import ActOf, load_cases
from pitwarden.rules.setup.table_setup import TWO_PERSON_ACTS
from pitwarden.rules.transitions.clearing_rights import MAY_CLEAR, may_act
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import Role
from pitwarden_client.events.clearing import STATEMENTS, may_clear
from pitwarden_client.events.dealer_play import KpDealer
from pitwarden_client.events.inputs import InputLogged, may_send
from pitwarden_client.events.outputs import Actor, Irregularity, OpenedIrregularity, Refused, TableState
from pitwarden_client.events.table import PermitApplied
from testkit.tables.rules_table import RulesTable, setup_of, words

RECORDS = [one for cases in load_cases().values() for one in cases]


def dealt(*two_persons: str) -> RulesTable:
    """Return a table in mid-round."""
    table = RulesTable(setup_of("TAB", policy=HousePolicy(two_persons=two_persons))).open()
    return table.deal("5C 9H", "9S", "6D KC", "KD")


def with_dealers_alert(*two_persons: str) -> RulesTable:
    """Return a table with an open ALERT about the dealer's act: no card was burned by the new dealer `d2`."""
    table = dealt(*two_persons)
    assert words(table.key(KpDealer(dealer="d2"))) == ["TAB-13 ALERT", "TAB-13 due"]
    return table


def with_floors_alert(role: Role = "floor", person: str = "f1") -> RulesTable:
    """Return a table with an open ALERT about the act of the one who returned a deck by sample."""
    table = RulesTable(setup_of("CB")).open()
    said = words(table.key(ft.FtDeckReturned(deck="A", all_inspected=False), role=role, person=person))
    assert "G-19 ALERT" in said
    return table


def draw_without_permit(table: RulesTable) -> None:
    """Draw a card that the table was not permitted to draw: a device shows it, and no key does."""
    table.row(PermitApplied(granted=False, cause="expired", as_of=None))
    assert "PW-PERMIT ALERT" in words(table.draw("8C"))


def opening(table: RulesTable) -> OpenedIrregularity:
    return public_state(table.state).opened[-1]


def published(table: RulesTable, opened: OpenedIrregularity) -> TableState:
    """Return the state of the table as its judge publishes it."""
    shown = public_state(table.state)
    return TableState(
        as_of=opened.at, outputs=1, game=shown.game, round=shown.round, in_round=shown.in_round, permit=shown.permit,
        irregularities=shown.irregularities, duties=(), rules_version=shown.rules_version,
        profile_digest=shown.profile_digest, simulated=True, opened=(opened,),
    )  # fmt: skip


def sentence(table: RulesTable) -> str:
    return next(one.sentence for one in reversed(table.said) if isinstance(one, Refused))


def withheld(table: RulesTable, clause: str) -> bool:
    return f"{clause} is not acknowledged" in public_state(table.state).permit.reasons


def test_the_dealer_does_not_acknowledge_the_own_act_and_the_permit_stays_withheld() -> None:
    table = with_dealers_alert()
    ack = ft.Ack(irregularity=opening(table).ref)
    assert withheld(table, "TAB-13")
    assert words(table.key(ack, role="dealer")) == ["refused PW-INPUT"]
    assert sentence(table) == "This concerns the dealer's own act. The floorperson or a supervisor enters it."
    assert withheld(table, "TAB-13")
    assert words(table.key(ack, role="floor")) == ["TAB-13 acknowledged"]
    assert not withheld(table, "TAB-13")


def test_the_person_who_dealt_does_not_clear_it_from_another_terminal_either() -> None:
    table = with_dealers_alert()
    ref = opening(table).ref
    assert opening(table).not_by == "p1"
    assert words(table.key(ft.FtSettleNote(irregularity=ref, ruling="fine"), role="floor", person="p1")) == [
        "refused PW-INPUT"
    ]
    assert sentence(table) == "This concerns your own act. Another person enters it."
    assert words(table.key(ft.FtSettleNote(irregularity=ref, ruling="fine"), role="floor")) == ["TAB-13 cleared"]


def test_the_dealer_at_the_table_is_the_one_whose_act_a_device_shows() -> None:
    table = with_dealers_alert()
    table.key(ft.FtSettleNote(irregularity=opening(table).ref, ruling="fine"), role="floor")
    draw_without_permit(table)
    assert (opening(table).may_clear, opening(table).not_by) == (("floor", "supervisor"), "d2")


@pytest.mark.parametrize("act", sorted(STATEMENTS - {"ft.confirmed"}))
def test_the_floorpersons_act_goes_to_a_supervisor(act: str) -> None:
    table = with_floors_alert()
    ref = opening(table).ref
    acts: dict[str, ft.Ack | ft.Refute | ft.FtSettleNote] = {
        "ack": ft.Ack(irregularity=ref),
        "refute": ft.Refute(irregularity=ref, reason="was not so"),
        "ft.settle_note": ft.FtSettleNote(irregularity=ref, ruling="fine"),
    }
    statement = acts[act]
    for person in ("f1", "f2"):
        assert words(table.key(statement, role="floor", person=person)) == ["refused PW-INPUT"]
        assert sentence(table) == "This concerns the floorperson's own act. A supervisor enters it."
    note = ft.FtSettleNote(irregularity=ref, ruling="fine")
    assert words(table.key(note, role="supervisor")) == ["G-19 cleared"]


def test_the_supervisors_act_goes_to_another_supervisor() -> None:
    table = with_floors_alert("supervisor", "s1")
    note = ft.FtSettleNote(irregularity=opening(table).ref, ruling="fine")
    assert (opening(table).may_clear, opening(table).not_by) == (("supervisor",), "s1")
    assert words(table.key(note, role="floor")) == ["refused PW-INPUT"]
    assert sentence(table) == "This concerns the supervisor's own act. Another supervisor enters it."
    assert words(table.key(note, role="supervisor", person="s1")) == ["refused PW-INPUT"]
    assert words(table.key(note, role="supervisor", person="s2")) == ["G-19 cleared"]


def test_a_supervisor_does_not_override_the_warning_about_the_own_act() -> None:
    table = with_floors_alert("supervisor", "s1")
    override = ft.Override(reason="a good one")
    assert words(table.key(override, person="s1")) == ["refused PW-INPUT"]
    assert withheld(table, "G-19")
    table.key(override, person="s2")
    assert not withheld(table, "G-19")


@pytest.mark.parametrize("own", get_args(ActOf))
@pytest.mark.parametrize("actor", get_args(Actor))
def test_someone_can_always_end_it_and_never_the_role_whose_act_it_is(own: ActOf, actor: Actor) -> None:
    ruling = tuple(step for one in RECORDS for step in one.clears if {fact.kind for fact in step} == {"noted"})
    roles = may_act(actor, own, ruling[:1])
    assert roles
    assert all(may_send(role, "ft.settle_note") for role in roles)
    assert own not in roles or own == "supervisor", "a supervisor's act goes to another supervisor"
    assert set(roles) <= set(MAY_CLEAR[own])
    assert own == "supervisor" or own not in MAY_CLEAR[own]
    assert "supervisor" in MAY_CLEAR[own]


def test_what_is_done_stays_with_the_one_who_has_to_do_it() -> None:
    table = with_dealers_alert()
    assert opening(table).may_act == ("dealer", "floor", "supervisor"), "a burned card, or a ruling"
    draw_without_permit(table)
    assert opening(table).may_act == ("supervisor",), "a ruling alone, of the person whom the row names"
    shuffle = next(one for one in RECORDS if (one.row, one.case) == ("unshuffled_load", "load"))
    assert shuffle.act_of == "dealer"
    assert may_act("dealer", shuffle.act_of, shuffle.clears) == ("dealer",)


def test_a_reader_of_the_state_has_the_same_rights() -> None:
    table = with_dealers_alert()
    state = published(table, opening(table))
    ref = opening(table).ref
    assert not may_clear(state, ref, "dealer")
    assert may_clear(state, ref, "floor")
    assert may_clear(state, ref, "floor", "f1")
    assert not may_clear(state, ref, "floor", "p1")
    older = opening(table).model_copy(update={"may_clear": ()})
    assert may_clear(published(table, older), ref, "dealer"), "a judge before rules 0.4.5"
    assert may_clear(state, "another", "dealer"), "what is not open is refused by the judge"


def test_two_persons_destroy_a_card_and_both_are_in_the_log() -> None:
    table = dealt("ft.ten_destroyed")
    table.decide(1, "hit", "10D")
    destroyed = ft.FtTenDestroyed()
    for witness in (None, "f1"):
        assert words(table.key(destroyed, role="floor", witness=witness)) == ["refused PW-INPUT"]
        assert sentence(table) == "This input requires two persons. Enter it again with the name of the second person."
    assert words(table.key(destroyed, role="floor", witness="s1")) == ["TAB-37 cleared"]
    row = table.rows[-1].data
    assert isinstance(row, InputLogged)
    assert (row.person, row.witness) == ("f1", "s1")


def test_the_second_person_is_not_the_one_whose_act_it_is() -> None:
    table = with_dealers_alert("ft.settle_note")
    note = ft.FtSettleNote(irregularity=opening(table).ref, ruling="fine")
    assert words(table.key(note, role="floor", witness="p1")) == ["refused PW-INPUT"]
    assert sentence(table) == "This concerns p1's own act. Name another second person."
    assert words(table.key(note, role="floor", witness="f2")) == ["TAB-13 cleared"]


@pytest.mark.parametrize("act", ["ft.make_tea", "kp.round_end", "retract"])
def test_an_act_that_two_persons_cannot_key_is_refused_at_the_set_up(act: str) -> None:
    with pytest.raises(SetupError, match=f"rules.two_persons: '{act}' is not an act of two persons. Allowed: ft.ten_d"):
        validate_setup(setup_of("TAB", policy=HousePolicy(two_persons=(act,))))
    assert act not in TWO_PERSON_ACTS


def test_an_act_without_a_case_needs_its_second_person_too() -> None:
    table = dealt("override")
    assert words(table.key(ft.Override(reason="a good one"))) == ["refused PW-INPUT"]
    table.key(ft.Override(reason="a good one"), witness="f1")
    assert table.state.table.overridden
    assert not [one for one in table.said if isinstance(one, Irregularity) and one.catalogue == "PW-PERMIT"]
