"""The UTC clock is set while a table plays: the log says by how much, and log time goes on evenly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.field.log.ticker import KEY_MS, STEP_MS, Ticker
from pitwarden_client.events.table import ClockStepped, ClockTick
from testkit.clocks.fake_clock import FakeClock


class Bench:
    """A ticker with what it offers."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.offered: list[PendingRow] = []
        self.renewed = 0
        self.ticker = Ticker(self.clock, self, self, PermitDisplay("e1"), self)

    def log_ms(self) -> int:
        return self.clock.mono_ms()

    def offer(self, pending: PendingRow) -> bool:
        self.offered.append(pending)
        return True

    def renew(self) -> None:
        self.renewed += 1

    def steps(self) -> list[int]:
        return [each.content.delta_ms for each in self.offered if isinstance(each.content, ClockStepped)]


@pytest.mark.parametrize("hours", [-5, -1, 1, 24, 9_000])
def test_a_step_is_said_once_with_its_size_and_direction(hours: int) -> None:
    bench = Bench()
    bench.clock.utc_now += hours * 3_600_000
    for _ in range(5):
        bench.clock.pass_ms(400)
        bench.ticker.check()
    assert bench.steps() == [hours * 3_600_000]


@given(st.lists(st.tuples(st.integers(1, 20_000), st.integers(-4 * STEP_MS, 4 * STEP_MS)), max_size=30))
def test_no_step_moves_a_tick_and_all_steps_together_are_where_utc_went(moves: list[tuple[int, int]]) -> None:
    stepped, steady = Bench(), Bench()
    for passed, step in moves:
        for bench in (stepped, steady):
            bench.clock.pass_ms(passed)
        stepped.clock.utc_now += step
        for bench in (stepped, steady):
            bench.ticker.check()
    ticks = [sum(isinstance(each.content, ClockTick) for each in bench.offered) for bench in (stepped, steady)]
    assert ticks[0] == ticks[1]
    assert not steady.steps()
    assert all(abs(step) >= STEP_MS for step in stepped.steps())
    assert abs(sum(stepped.steps()) - sum(step for _, step in moves)) < STEP_MS


def test_the_key_is_renewed_each_day_of_log_time_whatever_utc_does() -> None:
    bench = Bench()
    bench.clock.utc_now -= 3 * KEY_MS
    for _ in range(3):
        bench.clock.pass_ms(KEY_MS)
        bench.ticker.check()
    assert bench.renewed == 3
