"""The table of faults is whole: every fault can be committed, happens in a night, and is named once for each table."""

import pytest

from pitwarden_simulators.faults.catalogue import chosen, load_faults
from pitwarden_simulators.faults.injectors import RIGS
from pitwarden_simulators.table.setup import ALL_TABLES, SimulatedTableSetup
from testkit.nights.in_memory_night import play

FAULTS = load_faults()


def test_every_fault_has_its_table_and_its_rig_and_every_rig_is_used() -> None:
    assert {fault.table for fault in FAULTS} == set(ALL_TABLES)
    assert {fault.rig for fault in FAULTS} == set(RIGS)
    assert len({(fault.table, fault.name) for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("setup", ALL_TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_night_commits_every_fault_of_its_table_once(setup: SimulatedTableSetup, seed: str) -> None:
    faults = [fault for fault in FAULTS if fault.table == setup.table]
    table = play(setup, seed, 10, faults).table
    assert sorted(table.committed) == sorted(fault.name for fault in faults)
    assert len(table.expected) == sum(len(fault.rows) for fault in faults)
    assert not table.astray()


def test_faults_are_chosen_by_name_and_a_wrong_name_gets_the_nearest() -> None:
    assert chosen(FAULTS, "all") == FAULTS
    assert chosen(FAULTS, "none") == ()
    assert {fault.name for fault in chosen(FAULTS, "stray_ten, reboot")} == {"stray_ten", "reboot"}
    with pytest.raises(ValueError, match=r"'strayten' \(did you mean stray_ten\?\)"):
        chosen(FAULTS, "strayten")
