"""Fault by fault, `pitwarden doctor` names what is wrong and the command that mends it."""

import asyncio
import errno
import json
import os
import pwd
import subprocess
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.config.models import TableSection
from pitwarden.doctor import host
from pitwarden.doctor.accounts import may_open
from pitwarden.doctor.devices import check_port
from pitwarden.system.clock import SystemClock
from pitwarden_simulators.demo.cables import plugged
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import SERIALS, build
from testkit.clocks.fake_clock import FakeClock
from testkit.tables.examined_table import file, found, only_bad_finding
from testkit.tables.table_file import small_table

__all__ = ["file"]


async def test_a_key_that_others_can_read(file: Path) -> None:
    (file.parent / "keys" / "judge.key").chmod(0o644)
    assert "chmod 600" in only_bad_finding(await found(file), "key judge.key")


def test_the_gaming_day_is_shown_to_be_compared_with_the_house_s() -> None:
    table = TableSection(
        site="harbor", table="ta01", game="craps", positions=6, decks={"A": "red"}, gaming_day="10:00",
        zone="America/New_York",
    )  # fmt: skip
    said = host.check_gaming_day(table, FakeClock())  # 03:00 in New York on 28 November
    assert (said.level, said.what) == ("ok", "2026-11-27 since 10:00 in America/New_York")


async def test_a_port_that_the_service_s_account_cannot_open_is_bad_although_root_can(file: Path) -> None:
    port = file.parent / "port"
    port.touch(mode=0o600)
    own = pwd.getpwuid(os.geteuid()).pw_name
    assert may_open(port, own)
    assert not may_open(port, "nobody")
    assert may_open(port, "an account that is not there"), "then our own rights count"
    port.chmod(0o666)
    assert may_open(port, "nobody")
    os.chown(port, os.geteuid(), pwd.getpwnam("nobody").pw_gid)
    port.chmod(0o606)
    assert not may_open(port, "nobody"), "the group decides before the others do"
    port.chmod(0o600)
    section = next(iter(load_table_file(file, external_checks(), {}).devices.values()))
    finding = check_port("shoe", section.model_copy(update={"port": str(port)}), "nobody")
    assert finding is not None
    assert (finding.level, finding.what) == ("bad", f"{port}: the account nobody has no right to open it")


def test_an_unreadable_folder_is_a_finding_and_no_traceback(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/etc/pitwarden/ta01.keys/field.key")

    monkeypatch.setattr("pitwarden.doctor.host.check_keys", closed)
    assert main(["doctor", str(file)]) == 1
    said = capsys.readouterr().out
    assert "bad     examination: /etc/pitwarden/ta01.keys/field.key: Permission denied" in said
    assert "mend: run it as root" in said


async def test_a_missing_key(file: Path) -> None:
    (file.parent / "keys" / "field.key").unlink()
    assert f"pitwarden keys {file}" in only_bad_finding(await found(file), "key field.key")


async def test_an_absent_broker_and_an_absent_device(file: Path) -> None:
    findings = await found(file)
    assert "127.0.0.1:1 cannot be reached" in only_bad_finding(findings, "broker")
    assert "/nowhere/shoe is not there" in only_bad_finding(findings, "device shoe")


def test_a_refused_table_file_names_line_and_spelling(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace("serial", "seriall"))
    assert main(["doctor", str(file), "--json"]) == 78
    said = json.loads(capsys.readouterr().out)
    assert any("did you mean serial?" in each["what"] for each in said)
    assert all(each["remedy"] == each["mend"] == f"edit {file}" for each in said)


def test_the_findings_are_printed_and_the_exit_code_says_that_one_is_bad(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["doctor", str(file)]) == 1
    said = capsys.readouterr().out
    assert "bad     broker: 127.0.0.1:1 cannot be reached" in said
    assert "mend: systemctl status mosquitto" in said


def test_a_bad_clock() -> None:
    clock = FakeClock()
    clock.utc_now, clock.synchronised = 1_000_000, False
    assert "not synchronised" in only_bad_finding([host.check_clock(clock, None)], "clock")
    assert "1000 s behind the newest row" in only_bad_finding([host.check_clock(clock, 2_000_000)], "clock")
    clock.synchronised = True
    assert host.check_clock(clock, 999_999).level == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", journals], check=True)
    try:
        assert "0 MiB free" in only_bad_finding(asyncio.run(found(file)), "disk")
    finally:
        subprocess.run(["umount", journals], check=True)


async def test_a_device_that_is_another_and_one_that_is_right(file: Path, tmp_path: Path) -> None:
    built = build(TAB_SHIELDED, "7")
    async with plugged({"shoe": built.devices["shoe"]}, tmp_path, SystemClock(), lambda: None) as plugs:
        small_table(tmp_path, shoe=plugs["shoe"].place)
        assert f"expected shoe N1, found shoe {SERIALS['shoe']}" in only_bad_finding(await found(file), "device shoe")
        small_table(tmp_path, shoe=plugs["shoe"].place, serial=SERIALS["shoe"])
        right = next(each for each in await found(file) if each.subject == "device shoe")
        assert right.level == "ok"
        assert SERIALS["shoe"] in right.what
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("device")]
