"""A damaged journal is salvaged by a child process: what it finds arrives, and whatever ends it leaves the evidence."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.journal import salvage_process
from pitwarden.journal.damage import QuarantinedJournal
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.salvage import FIELD, JUDGE, salvage
from pitwarden.journal.salvage_process import MOST_REPORT_BYTES, salvage_in_child
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation.halves import field_half
from testkit.clocks.fake_clock import FakeClock
from testkit.clocks.waiting import until
from testkit.journals.stored_night import stored_night


def children() -> dict[int, list[str]]:
    """Return the salvages that this process runs: their command lines by process id."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        pids = ""
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            pids = (task / "children").read_text()
        for pid in pids.split():
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
                if "salvage" in words:
                    found[int(pid)] = words
    return found


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def environment(pid: int) -> set[str]:
    return {each.partition("=")[0] for each in Path(f"/proc/{pid}/environ").read_text().split("\0") if each}


def hanging(folder: Path) -> Path:
    """Make a file that opens like a journal on a medium without an answer: no process writes to the pipe."""
    path = folder / "field.sqlite.damaged-1"
    os.mkfifo(path)
    return path


async def begun(damaged: Path) -> int:
    """Return the process id of the salvage of `damaged`, once it has made its folder."""
    await until(lambda: children() and damaged.with_name(f"{damaged.name}.salvage").exists(), pause=0.02)
    [pid] = children()
    return pid


async def test_the_child_s_rows_and_words_are_those_of_the_salvage_itself(tmp_path: Path) -> None:
    path = stored_night(tmp_path) / JUDGE
    with path.open("r+b") as file:
        file.write(bytes(4_096))
    evidence = path.read_bytes()
    here = salvage(path, tmp_path / "here")
    assert await salvage_in_child(path) == str(here).replace("/here", f"/{JUDGE}.salvage")
    assert path.read_bytes() == evidence
    rows = []
    for folder in ("here", f"{JUDGE}.salvage"):
        with closing(sqlite3.connect(tmp_path / folder / JUDGE)) as sql:
            rows.append(sql.execute("SELECT body FROM output ORDER BY seq").fetchall())
    assert rows[0] == rows[1] != []


async def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    why = f"[Errno 2] No such file or directory: {tmp_path / 'gone'!r}"
    assert await salvage_in_child(tmp_path / "gone") == f"its rows could not be salvaged: {why}"
    assert names(tmp_path) == []


async def test_a_file_without_a_row_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(bytes(9_000))
    assert await salvage_in_child(tmp_path / "junk") == "no row could be read"


async def killed(pid: int, _task: asyncio.Task[str]) -> str:
    os.kill(pid, signal.SIGKILL)
    return "its rows could not be salvaged: it was ended by signal 9"


async def stopped(_pid: int, task: asyncio.Task[str]) -> str:
    task.cancel()
    return ""


@pytest.mark.parametrize("ending", [killed, stopped])
async def test_a_child_that_is_ended_leaves_the_evidence_alone(
    tmp_path: Path, ending: Callable[[int, asyncio.Task[str]], Awaitable[str]]
) -> None:
    damaged = hanging(tmp_path)
    task = asyncio.create_task(salvage_in_child(damaged))
    pid = await begun(damaged)
    said = await ending(pid, task)
    if said:
        assert await task == said
    else:
        with pytest.raises(asyncio.CancelledError):
            await task
    assert names(tmp_path) == [damaged.name]
    assert not children()


async def test_a_child_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    damaged = hanging(tmp_path)
    said = await salvage_in_child(damaged, most_s=0.2)
    assert said == "its rows could not be salvaged: it took longer than 0.2 s and was ended"
    assert names(tmp_path) == [damaged.name]
    assert not children()


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (f"print('x' * {MOST_REPORT_BYTES + 9})", "its report does not end"),
        ("print('rows')", "it ended with exit code 0 and no report"),
        ('print(\'{"summary": ""}\')', "it ended with exit code 0 and no report"),
        ("raise SystemExit(1)", "it ended with exit code 1 and no report"),
        ('print(\'{"summary": "s"}\'); raise SystemExit(3)', "s"),
    ],
)
async def test_what_is_no_report_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    monkeypatch.setattr(salvage_process, "_command", lambda _damaged, _folder: [sys.executable, "-c", program])
    assert await salvage_in_child(tmp_path / "damaged") == f"its rows could not be salvaged: {said}"


async def test_the_child_is_told_nothing_of_the_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/ta01")
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/notify")
    damaged = hanging(tmp_path)
    task = asyncio.create_task(salvage_in_child(damaged))
    pid = await begun(damaged)
    given = environment(pid)
    assert "PATH" in given
    assert not given & {"CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET"}
    task.cancel()
    await asyncio.wait([task])


def test_the_command_reports_as_json_and_gives_up_when_its_parent_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_night(tmp_path)
    words = ["journal", "salvage", "--json", "--from", str(tmp_path / FIELD), "--out"]
    assert main([*words, str(tmp_path / "out")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] > 0
    assert report["summary"].startswith(f"{report['rows']} rows could be read and stand in ")
    assert main([*words, str(tmp_path / "out")]) == os.EX_CONFIG
    assert "File exists" in json.loads(capsys.readouterr().out)["summary"]
    parents = iter([7, 1, 1, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    assert main([*words, str(tmp_path / "late")]) == os.EX_CONFIG
    assert not (tmp_path / "late").exists()


async def test_a_salvage_that_is_killed_is_a_fault_of_the_status_and_the_half_goes_on(tmp_path: Path) -> None:
    damaged = hanging(tmp_path)
    log = await FieldJournal.open(tmp_path / "fresh.sqlite")
    log.damage = QuarantinedJournal(damaged, "planted")
    half = await field_half(TAB_SHIELDED, FakeClock(), log, {})
    pieces = half._pieces  # noqa: SLF001
    task = asyncio.create_task(pieces.faults.salvage())  # what `run` starts beside the work
    os.kill(await begun(damaged), signal.SIGKILL)
    await task
    await log.close()
    said = "journal_damaged: its rows could not be salvaged: it was ended by signal 9"
    assert said in pieces.statuses.online().faults
    assert damaged.exists()


async def test_tables_of_one_record_share_one_child_which_closing_ends(tmp_path: Path) -> None:
    damaged = hanging(tmp_path)
    record = await JudgeJournal.open(tmp_path / "judge.sqlite")
    tasks = [asyncio.create_task(record.salvage(damaged)) for _ in range(3)]
    await begun(damaged)
    assert len(children()) == 1
    await record.close()
    await asyncio.wait(tasks)
    assert all(task.cancelled() for task in tasks)
    assert not children()
    assert damaged.exists()
