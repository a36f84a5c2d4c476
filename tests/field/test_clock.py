"""The kernel is asked seldom how good its time is, and what it said grows worse meanwhile as the kernel lets it."""

import pytest

from pitwarden.system import clock as module
from pitwarden.system.clock import SystemClock


class Machine(SystemClock):
    """A machine whose monotonic time is the test's."""

    now = 1_000

    def mono_ms(self) -> int:
        return self.now


def test_the_kernel_is_asked_once_in_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def adjtimex(timex: object) -> int:
        asked.append(timex)
        return 0

    monkeypatch.setattr(module, "_ADJTIMEX", adjtimex)
    machine = Machine()
    readings = [machine.utc()]
    for _ in range(10):
        machine.now += 999
        readings.append(machine.utc())
    assert len(asked) == 2
    assert all(reading.synchronised for reading in readings)
    assert [reading.error_ms for reading in readings[:6]] == [0, 0, 0, 1, 1, 2]


def test_a_kernel_that_refuses_is_no_proof_of_good_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ADJTIMEX", lambda _timex: -1)
    reading = SystemClock().utc()
    assert not reading.synchronised
    assert reading.error_ms == 86_400_000
