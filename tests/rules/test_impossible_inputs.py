"""Inputs that cannot be, at every game and anywhere in a night: refused with the reason, and nothing changes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pitwarden.rules import LogEntry, RulesState, initial_state, step
from pitwarden.rules.state.state import RowEffects
from pitwarden_client.events import dealer as kp
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import Role
from pitwarden_client.events.dealer_cards import KpAdmit, KpBurnRequest, KpCut, KpHands, KpManualShuffle, KpMode, KpStub
from pitwarden_client.events.dealer_irregularities import (
    KpDealerFirstMissed,
    KpMisplaced,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpReaderBad,
    KpRefuse,
    KpSkipped,
    KpTen,
)
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpChoice,
    KpDealerDraw,
    KpDealerReveal,
    KpDealt,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
    KpSpreadRequest,
)
from pitwarden_client.events.dealer_wagers import (
    KpAntesCollected,
    KpBonusSettled,
    KpClose,
    KpCollected,
    KpDice,
    KpIbSettled,
    KpInsuranceSettled,
    KpOpen,
    KpSettled,
    KpWager,
)
from pitwarden_client.events.inputs import Act, InputLogged, may_send
from pitwarden_client.events.outputs import Refused
from pitwarden_client.events.table import ClockTick
from testkit.nights.arbitrary_rows import NIGHTS, SETUPS, any_record, night
from testkit.tables.rules_table import RulesTable, role_of, setup_of, words

Bad = tuple[Act, Role, str]
"""An input that cannot be, who keys it, and a word that the reason must have."""

PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]

# By the texts and the deals, not by the profiles' own lists.
FAMILY: Final = frozenset({"TAB", "DAB", "SH", "IB"})
OF_A_GAME: Final[tuple[tuple[Act, frozenset[str]], ...]] = (
    (KpBonusSettled(box=1), frozenset({"TAB", "DAB", "IB"})),
    (KpBurnRequest(), frozenset({"TAB", "SH"})),
    (KpHoleUp(), FAMILY),
    (KpDealerDraw(), FAMILY),
    (KpInsuranceSettled(), FAMILY),
    (KpTen(), frozenset({"TAB", "DAB"})),
    (ft.FtTenDestroyed(), frozenset({"TAB", "DAB"})),
    (KpDealerFirstMissed(), frozenset({"TAB", "DAB", "SH"})),
    (KpSkipped(box=1), frozenset({"TAB", "DAB", "SH"})),
    (KpNoCards(box=1), FAMILY),
    (KpOneCard(box=1), FAMILY),
    (KpDealt(), FAMILY),
    (KpChoice(box=1, choice="keep"), frozenset({"SH"})),
    (KpAntesCollected(), frozenset({"SH"})),
    (KpSpreadRequest(), frozenset({"SH"})),
    (KpIbSettled(), frozenset({"IB"})),
    (KpStub(count=31), frozenset({"CB"})),
    (KpHands(counts=(7, 7)), frozenset({"CB"})),
    (KpReveal(box=1), frozenset({"CB"})),
    (KpDealerReveal(), frozenset({"CB"})),
    (KpOpen(window="attack2"), frozenset({"TAB"})),
    (KpClose(window="attack3"), frozenset({"TAB"})),
    (KpClose(window="doubleattack"), frozenset({"DAB"})),
    (KpOpen(window="insurance"), FAMILY),
    (KpClose(window="ib"), frozenset({"IB"})),
    (KpDecision(box=1, decision="fold"), frozenset({"CB"})),
    (KpDecision(box=1, decision="hit"), FAMILY),
    (KpDecision(box=1, decision="surrender"), frozenset({"DAB", "IB", "SH"})),
    (KpWager(wager="flush_bonus", box=1), frozenset({"CB"})),
    (KpWager(wager="triple_match", box=1), frozenset({"TAB"})),
    (KpSettled(wager="ib", box=1), frozenset({"IB"})),
    (KpMode(mode="hand"), frozenset({"CB"})),
    (KpDice(total=7), frozenset({"CR"})),
)
DECKS: Final = (
    ft.FtOpening(deck="Z"), ft.FtDeckVerified(deck="Z"), ft.FtDeckReturned(deck="Z"), KpManualShuffle(deck="Z"),
    ft.FtCardRemoved(deck="Z", count=1, reason="torn"),
)  # fmt: skip
DEVICES: Final = (
    ft.FtInspect(device="ghost", ok=True), ft.FtDeviceRemoved(device="ghost"), ft.FtDeviceInstalled(device="ghost"),
    ft.FtProcedureApproved(device="ghost", reference="ICP-1"),
)  # fmt: skip
BOXES: Final[tuple[Act, ...]] = (
    KpAdmit(box=7), KpCut(by=7), KpBoxes(boxes=(1, 7)), KpDecision(box=7, decision="stand"),
    KpDecision(box=7, decision="play"), KpWager(wager="first_attack", box=7), KpSkipped(box=7),
    KpReveal(box=7), KpBonusSettled(box=7), KpOption(box=7, choice="dead"), KpRefuse(box=7),
)  # fmt: skip
BETWEEN_ROUNDS: Final[tuple[Act, ...]] = (
    KpRoundEnd(), KpHoleUp(), KpDealt(), KpDealerDraw(), KpDealerReveal(),
    KpClose(window="insurance"),
    KpSkipped(box=1), KpMisplaced(first="box1.1", second="box1.2"), KpDecision(box=1, decision="stand"),
    KpDecision(box=1, decision="play"), KpInsuranceSettled(), KpReveal(box=1), KpBonusSettled(box=1),
)  # fmt: skip


def impossible(state: RulesState) -> Iterator[Bad]:
    """Generate inputs that are impossible in `state`."""
    setup = state.setup
    for act, games in OF_A_GAME:
        if setup.profile.game not in games:
            yield act, role_of(act), setup.profile.title
    if setup.positions == 6:
        yield from ((act, role_of(act), "") for act in BOXES)
    yield from ((act, role_of(act), "Z") for act in (*DECKS, KpCollected(deck="Z")))
    yield from ((act, "floor", "ghost") for act in DEVICES)
    yield ft.FtDeviceInstalled(device="shoe"), "floor", "shoe is at the table"
    yield ft.FtCardRemoved(deck="A", count=0, reason="torn"), "floor", "how many"
    yield ft.FtCardRemoved(deck="A", count=9_000, reason="torn"), "floor", "9000"
    yield KpBoxes(boxes=()), "dealer", "positions"
    yield KpBoxes(boxes=(2, 1)), "dealer", "positions"
    yield KpMisplaced(first="nowhere", second="dealer.1"), "dealer", "nowhere" if state.round.open else "round"
    yield ft.Ack(irregularity="x"), "floor", "irregularity"
    yield ft.Refute(irregularity="x", reason="y"), "floor", "irregularity"
    yield ft.FtSettleNote(irregularity="x", ruling="y"), "floor", "irregularity"
    yield ft.Override(reason="because"), "dealer", "dealer must not send override"
    yield ft.FtRecut(), "floor", "floor must not send ft.recut"
    yield KpTen(), "supervisor", "supervisor must not send kp.ten"
    if setup.device("reader") is None:
        yield KpReaderBad(), "dealer", "no card reader"
    if not state.round.open:
        yield from ((act, "dealer", "") for act in BETWEEN_ROUNDS)
    else:
        absent = [
            box for box in range(1, setup.positions + 1) if state.round.deal.boxes and box not in state.round.deal.boxes
        ]
        for box in absent[:1]:
            for act in (KpDecision(box=box, decision="stand"), KpSkipped(box=box), KpReveal(box=box)):
                yield act, "dealer", ""


@cache
def places(name: str) -> tuple[RulesState, ...]:
    """States of a night: before it, and every so many rows."""
    state = initial_state(SETUPS[name])
    kept = [state]
    for at, row in enumerate(night(name, 2)):
        state, _ = step(state, row)
        if at % 9 == 0 or row.number == 1:
            kept.append(state)
    return tuple(kept)


@pytest.mark.parametrize("act", [KpCut(by="dealer"), KpManualShuffle(), KpStub(count=31)], ids=repr)
def test_without_a_deck_there_is_none_to_shuffle_cut_or_count(act: Act) -> None:
    table = RulesTable(setup_of("CB", mode="manual_shoe", decks=()))
    before = table.state
    assert words(table.key(act)) == ["refused PW-INPUT"]
    assert (table.state.decks, table.state.shoe) == (before.decks, before.shoe)


def bare(state: RulesState) -> RulesState:
    """Return `state` without what every row leaves: its effect, what a retraction folds again, a refusal's doubt."""
    kept = replace(state.round.exceptions, choice_doubt=False, swap_doubt=False)
    played = replace(state.round, exceptions=kept)
    return replace(state, now=RowEffects(), undo_base=None, undo_rows=(), round=played)


@pytest.mark.parametrize("name", NIGHTS)
def test_what_cannot_be_is_refused_with_the_reason_and_changes_nothing(name: str) -> None:
    refused = 0
    for state in places(name):
        after = night(name, 2)[0] if not state.number else None
        tick = replace(
            after or night(name, 2)[state.number - 1], number=state.number + 1, data=ClockTick(), faces=(), bit=None
        )
        quiet, said_quietly = step(state, tick)
        for act, role, named in impossible(state):
            data = InputLogged(role=role, terminal="t1", person="p1", input_id="i1", as_of=None, act=act)
            made, said = step(state, replace(tick, source="t1", data=data))
            refusals = [one for one in said if isinstance(one, Refused)]
            assert len(refusals) == 1, f"{act!r} by {role} is not refused"
            assert named in refusals[0].sentence, (act, refusals[0].sentence)
            assert len(refusals[0].sentence) > 15
            assert bare(made) == bare(quiet), act
            assert [one for one in said if one is not refusals[0]] == list(said_quietly)
            refused += 1
    assert refused > 400


def test_a_refused_shuffle_leaves_earlier_inputs_to_be_taken_back() -> None:
    [state] = [one for one in places("tab-visible") if one.round.open][:1]
    row = replace(night("tab-visible", 2)[state.number - 1], number=state.number + 1, source="t1")

    def keyed(act: Act, at: int) -> InputLogged:
        return InputLogged(role=role_of(act), terminal="t1", person="p1", input_id=f"i{at}", as_of=None, act=act)

    state, _ = step(state, replace(row, data=keyed(KpWager(wager="insurance", box=state.round.deal.boxes[0]), 1)))
    state, said = step(state, replace(row, number=row.number + 1, data=keyed(KpManualShuffle(deck="Z"), 2)))
    assert [type(one) for one in said] == [Refused]
    _, said = step(state, replace(row, number=row.number + 2, data=keyed(ft.Retract(number=row.number), 3)))
    assert not [one for one in said if isinstance(one, Refused)]


@st.composite
def keyed(draw: st.DrawFn) -> tuple[str, int, Role, Act]:
    """Generate a table, a place in its night, and any input of any person."""
    name = draw(st.sampled_from(NIGHTS))
    act = draw(st.one_of(*(any_record(kind) for kind in (*get_args(kp.DealerAct), *get_args(ft.FloorAct)))))
    return name, draw(st.integers(0, len(places(name)) - 1)), draw(st.sampled_from(get_args(Role))), act


@settings(max_examples=40, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(keyed())
def test_of_every_kind_of_input_what_is_refused_changes_nothing(case: tuple[str, int, Role, Act]) -> None:
    name, at, role, act = case
    state = places(name)[at]
    logged = InputLogged(role=role, terminal="t1", person="p1", input_id="i1", as_of=None, act=act)
    row = LogEntry("pure", state.number + 1, state.log_ms, state.utc_ms, "t1", logged)
    made, said = step(state, row)
    refusals = [one for one in said if isinstance(one, Refused)]
    assert refusals or may_send(role, act.act)
    if refusals:
        quiet, said_quietly = step(state, replace(row, data=ClockTick()))
        assert len(refusals[0].sentence) > 15
        assert bare(made) == bare(quiet)
        assert [one for one in said if one not in refusals] == list(said_quietly)


def test_a_wager_with_a_name_is_refused_where_no_wager_has_a_name_of_its_own() -> None:
    table = RulesTable(setup_of("TAB"))
    said = table.key(KpWager(wager="first_attack", box=1, name="lucky-ladies"))
    assert words(said) == ["refused PW-INPUT"]
    assert table.state.now.refused is not None
    assert "has no first_attack wager called lucky-ladies" in table.state.now.refused.sentence
