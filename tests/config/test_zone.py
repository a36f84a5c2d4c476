"""The house's time zone in the table file: an unknown one, and a machine without zones, end with 78 and the remedy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwarden.system.gaming_day import check_zone
from testkit.tables.table_file import small_table


def with_zone(folder: Path, zone: str) -> Path:
    file = small_table(folder)
    file.write_text(file.read_text().replace("positions = 6", f'positions = 6\nzone = "{zone}"'))
    return file


def checked(file: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pitwarden.cli", "check-config", str(file)],
        check=False, capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        (
            "America/New_Yrk",
            "America/New_Yrk is no IANA time zone such as America/New_York (did you mean America/New_York?)",
        ),
        ("EDT", "EDT is no IANA time zone"),
        ("America", "America is no IANA time zone"),
        ("posix/America/New_York", "posix/America/New_York is no IANA time zone"),
        ("../../etc/passwd", "../../etc/passwd is no IANA time zone"),
        ("+05:00", "+05:00 is no IANA time zone"),
        ("", "string should have at least 1 character"),
    ],
)
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str, said: str) -> None:
    file = with_zone(tmp_path, zone)
    found = checked(file)
    assert found.returncode == 78
    assert f"{file}:6  table.zone: {said}" in found.stdout + found.stderr


def test_a_known_zone_is_accepted(tmp_path: Path) -> None:
    assert checked(with_zone(tmp_path, "America/New_York")).returncode == 0


def test_a_machine_without_time_zones_needs_them_for_any_zone_but_utc(tmp_path: Path) -> None:
    assert checked(with_zone(tmp_path, "UTC"), PYTHONTZPATH="").returncode == 0
    found = checked(with_zone(tmp_path, "America/New_York"), PYTHONTZPATH="")
    assert found.returncode == 78
    assert "this machine has no time zones. As root: apt-get install tzdata" in found.stdout + found.stderr


def test_utc_needs_no_data() -> None:
    check_zone("UTC")
