"""Form (a) of docs/explanation/secrecy.md while the service dies at fixed rows."""

import pytest

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_simulators.table.setup import ALL_TABLES, SimulatedTableSetup
from testkit.secrecy.night_variants import changed_faces, permuted
from testkit.secrecy.observations import first_difference
from testkit.simulated_service.night import SimulatedNightPlan, play

CRASHES = (9, 37, 60, 61, 77)
"""Before the first round, in it, at two rows that follow each other, and later."""


@pytest.mark.parametrize("setup", ALL_TABLES.values(), ids=lambda setup: setup.table)
def test_a_night_of_crashes(setup: SimulatedTableSetup) -> None:
    programme = SimulatedNightPlan(setup, "1", 3, crashes=CRASHES)
    one = play(programme)
    other = play(programme, permuted(one.truth, "1"))
    rows = [decode(LogEvent, body) for body in set(one.observed.bodies)]
    heard = [(row.source, row.deviceboot, row.devicecounter) for row in rows if row.devicecounter]
    assert len(heard) == len(set(heard)), "an event of a device stands in the log twice"
    assert len({row.epoch for row in rows}) == len(programme.crashes) + 1
    assert changed_faces(one.truth, other.truth) > 20
    assert first_difference(one.observed, other.observed) == ""
