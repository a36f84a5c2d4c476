"""Every fault of the table of faults is judged as the text orders, in its round, and nothing is invented."""

import pytest

from pitwarden_client.events.outputs import CheckFailed, Refused
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import ALL_TABLES, SimulatedTableSetup
from testkit.nights.in_memory_night import InMemoryJudge, play


@pytest.mark.parametrize("setup", ALL_TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_night_with_every_fault_is_judged_as_expected(setup: SimulatedTableSetup, seed: str) -> None:
    judge = InMemoryJudge(setup)
    faults = [fault for fault in load_faults() if fault.table == setup.table]
    table = play(setup, seed, 10, faults, judge=judge).table
    wrong = [line for line in judge.book.compare(table.expected) if not line.agrees]
    assert wrong == []
    assert [output for _, output in judge.outputs if isinstance(output, CheckFailed | Refused)] == []
