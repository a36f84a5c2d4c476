"""What `pitwarden doctor` says of the number of files that the table's services may open."""

import asyncio
import resource
from pathlib import Path

import pytest

from pitwarden.cli.table_file import read_table_file
from pitwarden.doctor import open_files
from pitwarden.doctor.findings import DoctorFinding
from pitwarden_client.events.topics import Half
from testkit.tables.examined_table import file, only_bad_finding

__all__ = ["file"]

TABLE, FIELD = "pitwarden-table@ta01.service", "pitwarden-field@ta01.service"


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file whose text `systemctl` answers, after the line of arguments that it got."""
    said = tmp_path / "answer"
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {said}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return said


def examined(file: Path, only: Half | None = None) -> list[DoctorFinding]:
    table = read_table_file(file)
    assert table is not None
    return asyncio.run(open_files.check_open_files("ta01", table, only))


def test_a_unit_that_may_open_enough_files(file: Path, answers: Path) -> None:
    answers.write_text(f"Id={TABLE}\nLoadState=loaded\nLimitNOFILE=65536\n")
    [one] = examined(file)
    assert (one.level, one.subject) == ("ok", "open files")
    assert one.what == f"{TABLE} may open 65536, and needs 68 at most"
    assert (answers.parent / "asked").read_text() == f"show {TABLE} -p Id,LoadState,LimitNOFILE --no-pager\n"
    answers.write_text(f"Id={TABLE}\nLoadState=loaded\nLimitNOFILE=infinity\n")
    [one] = examined(file)
    assert one.what == f"{TABLE} may open any number, and needs 68 at most"


def test_a_drop_in_that_leaves_a_unit_too_few_files(file: Path, answers: Path) -> None:
    answers.write_text(f"Id={TABLE}\nLoadState=loaded\nLimitNOFILE=67\n")
    said = only_bad_finding(examined(file), "open files")
    assert said.startswith(f"{TABLE} may open 67, and needs 68 at most / set LimitNOFILE=68 or more")
    assert f"systemctl edit {TABLE}" in said


def test_each_unit_of_halves_that_run_apart_has_a_finding_of_its_own(file: Path, answers: Path) -> None:
    file.write_text(file.read_text().replace("[storage]", '[storage]\nhalves = "apart"', 1))
    answers.write_text(
        f"Id={FIELD}\nLoadState=loaded\nLimitNOFILE=64\n\n"
        "Id=pitwarden-judge@ta01.service\nLoadState=loaded\nLimitNOFILE=65536\n"
    )
    found = examined(file)
    assert [one.level for one in found] == ["bad", "ok"]
    answers.write_text(f"Id={FIELD}\nLoadState=loaded\nLimitNOFILE=64\n")
    [only] = examined(file, "field")
    assert only.what.startswith(f"{FIELD} may open 64")


@pytest.mark.parametrize("answer", [f"Id={TABLE}\nLoadState=not-found\nLimitNOFILE=524288\n", ""])
def test_without_such_a_unit_the_limit_of_what_is_started_here_is_said(file: Path, answers: Path, answer: str) -> None:
    answers.write_text(answer)
    [one] = examined(file)
    assert one.what.startswith("a process started from here may open ")


def test_a_service_manager_that_does_not_answer_is_not_waited_for(
    file: Path, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers.with_name("bin").joinpath("systemctl").write_text("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr(open_files, "_ASK_S", 0.05)
    [one] = examined(file)
    assert one.what.startswith("a process started from here may open ")


def test_without_systemd_our_own_limit_is_said(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    [one] = examined(file)
    assert one.what == (
        f"a process started from here may open {resource.getrlimit(resource.RLIMIT_NOFILE)[1]}, and needs 68 at most"
    )
