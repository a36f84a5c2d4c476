"""A row leaves nothing unsaid: publishing is left out only where what it looks at has not changed."""

import pytest
from hypothesis import HealthCheck, given, settings

from pitwarden.rules import LogEntry, initial_state, step
from pitwarden.rules.engine.evolve import evolve
from pitwarden.rules.engine.irregularities import expire_graces
from pitwarden.rules.transitions.disclosure import disclose
from testkit.nights.arbitrary_rows import SETUPS, disturbed, night


def unsaid(name: str, rows: tuple[LogEntry, ...]) -> list[int]:
    """Return the rows after which publishing once more has an output."""
    state, left = initial_state(SETUPS[name]), list[int]()
    for row in rows:
        made = evolve(expire_graces(state, row, []), row)
        if made.now.refused is None and disclose(made) is not made:
            left.append(row.number)
        state, _ = step(state, row)
    return left


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(disturbed())
def test_a_row_leaves_nothing_unsaid(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    assert unsaid(*case) == []


@pytest.mark.parametrize("name", ["tab-visible", "cb-auto", "switch-hands"])
def test_nor_does_a_night(name: str) -> None:
    assert unsaid(name, night(name, 3)) == []
