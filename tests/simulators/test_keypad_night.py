"""Nights in which the dealer works by the keypad alone: the same inputs reach the judge, and all is well."""

import pytest

from pitwarden_client.events.dealer_play import KpDealer, KpDecision
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.in_memory.rows import InMemoryRow, LogData
from pitwarden_simulators.in_memory.runner import PureRunner
from pitwarden_simulators.table.actions import KeyPress, Script, TableDisplay
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import CB_AUTO, FURTHER_TABLES, TAB_SHIELDED, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import build
from testkit.nights.in_memory_night import EVENING, InMemoryJudge, InMemoryNight, play

ROUNDS = 3


def keyed(played: InMemoryNight) -> list[object]:
    """Return the dealer's inputs in order, without the person, since a keypad has digits for persons."""
    data = [row.data for row in played.rows]
    acts = [one.act for one in data if isinstance(one, InputLogged) and one.role == "dealer"]
    return ["dealer" if isinstance(act, KpDealer) else act for act in acts]


@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO, *FURTHER_TABLES.values()], ids=lambda setup: setup.table)
def test_an_honest_night_by_keypad_is_the_night_by_terminal(setup: SimulatedTableSetup) -> None:
    by_keypad, by_terminal = InMemoryJudge(setup), InMemoryJudge(setup)
    pressed = play(setup, "3", ROUNDS, judge=by_keypad, keypad=True)
    typed = play(setup, "3", ROUNDS, judge=by_terminal)
    assert by_keypad.complaints() == []
    assert keyed(pressed) == keyed(typed)
    sources = {row.source for row in pressed.rows if isinstance(row.data, InputLogged) and row.data.role == "dealer"}
    assert sources == {"keypad"}


def with_wrong_keys(script: Script[None]) -> Script[None]:
    """Mistake each hit for a double, and take it back."""
    desk: TableDisplay | None = None
    while True:
        try:
            action = next(script) if desk is None else script.send(desk)
        except StopIteration:
            return
        if isinstance(action, KeyPress) and isinstance(action.act, KpDecision) and action.act.decision == "hit":
            yield KeyPress("dealer", action.person, action.act.model_copy(update={"decision": "double"}))
            yield KeyPress("dealer", action.person, Retract(number=1))
        desk = yield action


def test_what_the_dealer_undoes_at_once_is_as_if_it_had_not_been() -> None:
    judge = InMemoryJudge(TAB_SHIELDED)
    rows: list[LogData] = []

    def heard(row: InMemoryRow) -> TableDisplay:
        rows.append(row.data)
        return judge(row)

    built = build(TAB_SHIELDED, "3", heartbeat_ms=10_000, keypad=True)
    PureRunner(built.devices, DRIVER, heard, start_ms=EVENING).play(
        with_wrong_keys(TableNight(built.table, ROUNDS, ()).script())
    )
    assert judge.complaints() == []
    assert len([data for data in rows if isinstance(data, InputLogged) and isinstance(data.act, Retract)]) > 2


def test_a_fault_is_found_and_cleared_at_a_table_whose_dealer_has_a_keypad_only() -> None:
    (fault,) = [one for one in load_faults() if one.name == "stray_ten" and one.table == TAB_SHIELDED.table]
    judge = InMemoryJudge(TAB_SHIELDED)
    played = play(TAB_SHIELDED, "3", ROUNDS, [fault], judge=judge, keypad=True)
    assert played.table.committed
    found = [line for line in judge.complaints() if "TAB-37" in line]
    assert any("cleared" in line for line in found)
    assert len(found) == len(judge.complaints())
