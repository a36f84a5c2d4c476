"""The kernel is asked seldom how good its time is, and what it said grows worse meanwhile as the kernel lets it."""

from pathlib import Path

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


@pytest.mark.parametrize(
    ("kernel", "manager", "found"),
    [
        ("0a1b2c3d-0a1b-2c3d-0a1b-2c3d0a1b2c3d\n", "", "0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d"),
        (None, "0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d", "0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d"),
        (None, "%b", ""),
        (None, "", ""),
    ],
)
def test_the_boot_is_named_by_the_kernel_or_by_systemd_where_a_unit_hides_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str | None, manager: str, found: str
) -> None:
    if kernel is not None:
        (tmp_path / "boot_id").write_text(kernel)
    monkeypatch.setattr(module, "_BOOT_ID", tmp_path / "boot_id")
    monkeypatch.setenv("MACHINE_BOOT_ID", manager)
    assert SystemClock().boot_id() == found


def test_this_machine_names_its_boot() -> None:
    assert len(SystemClock().boot_id()) == 32
