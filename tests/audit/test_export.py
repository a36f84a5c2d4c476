"""Exports and evidence packs: the committed bytes, which anybody can check without us."""

import csv
import hashlib
import json
from itertools import pairwise
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_log_evidence
from pitwarden.cli.main import main
from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.envelope import OutputEvent
from testkit.journals.stored_night import FIELD, JUDGE, file
from testkit.journals.tampering import body, tamper

__all__ = ["file"]

SECOND_DAY = "2026-11-29"
"""Gaming day of the second epoch of the stored night: its opening, its key, and five ticks."""


def export(file: Path, *words: str) -> int:
    return main(["journal", "export", "--config", str(file), *words])


def test_json_lines_are_the_committed_bytes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(file) == 0
    lines = capsys.readouterr().out.splitlines()
    with open_log_evidence(file.parent / "journals" / FIELD) as log:
        assert [digest(line.encode()) for line in lines] == [row.hash for row in log.rows()]


def test_csv_has_every_row_and_every_output(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for of, column in (("log", "number"), ("outputs", "seq")):
        assert export(file, "--of", of, "--format", "csv") == 0
        table = list(csv.DictReader(capsys.readouterr().out.splitlines()))
        assert int(table[4][column]) == 5
        assert len(table) > 10


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_one_gaming_day_is_exported_alone(file: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    for of in ("log", "outputs"):
        days: dict[str, list[str]] = {}
        for day in ("2026-03-02", SECOND_DAY, "2026-01-01"):
            assert export(file, "--of", of, "--format", form, "--gaming-day", day) == 0
            lines = capsys.readouterr().out.splitlines()
            days[day] = lines if form == "jsonl" else [row["gamingday"] for row in csv.DictReader(lines)]
            if form == "csv":
                assert set(days[day]) <= {day}
        assert len(days["2026-03-02"]) > 10
        assert len(days[SECOND_DAY]) == 7 if of == "log" else days[SECOND_DAY]
        assert days["2026-01-01"] == []
        if form == "jsonl":
            assert all(json.loads(line)["gamingday"] == day for day, lines in days.items() for line in lines)


def test_a_row_that_cannot_be_read_belongs_to_the_day_before_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def scribble(sql: object) -> None:
        sql.execute("UPDATE row SET body = ? WHERE place = 6", (b"\xff\x00junk",))  # type: ignore[attr-defined]

    tamper(file.parent / "journals" / FIELD, scribble)
    assert export(file, "--gaming-day", "2026-03-02") == 0
    assert "\\xff" in capsys.readouterr().out


def test_a_pack_can_be_checked_without_us(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = file.parent / "pack"
    assert export(file, "--round", "2", "--out", str(folder)) == 0
    assert "all commitments hold" in capsys.readouterr().out
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        held, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == held
    summary = json.loads((folder / "summary.json").read_bytes())
    rows = (folder / "events.jsonl").read_bytes().splitlines()
    assert digest(rows[0]) == summary["first"]["hash"]
    assert all(json.loads(b)["prevhash"] == digest(a) for a, b in pairwise(rows))
    assert len(summary["reveals"]) > 5
    assert summary["clock"]["synchronised_throughout"] is True
    assert summary["gaming_days"] == ["2026-03-02"]
    assert {verdict["gaming_day"] for verdict in summary["verdicts"]} <= {"2026-03-02"}


def test_a_pack_says_which_reveal_does_not_hold(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def another_card(sql: object) -> None:
        for seq, said in sql.execute("SELECT seq, body FROM output").fetchall():  # type: ignore[attr-defined]
            event = decode(OutputEvent, said)
            if event.data.kind == "reveal":
                face = "2C" if event.data.face != "2C" else "3C"
                changed = encode(event.model_copy(update={"data": event.data.model_copy(update={"face": face})}))
                sql.execute("UPDATE output SET body = ? WHERE seq = ?", (changed, seq))  # type: ignore[attr-defined]

    tamper(file.parent / "journals" / JUDGE, another_card)
    assert export(file, "--round", "last", "--out", str(file.parent / "pack")) == 1
    assert "do NOT hold" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--round", "99"), ("--row", "nowhere/1")])
def test_a_round_that_is_not_there_is_a_sentence(
    words: tuple[str, str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(file, *words, "--out", str(file.parent / "pack")) == 78
    assert "its last round is 3" in capsys.readouterr().err


def test_a_row_that_cannot_be_read_is_exported_all_the_same(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def scribble(sql: object) -> None:
        sql.execute("UPDATE row SET body = ? WHERE place = 3", (b"\xff\x00junk",))  # type: ignore[attr-defined]
        assert body(sql, 3)  # type: ignore[arg-type]

    tamper(file.parent / "journals" / FIELD, scribble)
    for form, shown in (("jsonl", "\\xff"), ("csv", "e1,3,")):
        assert export(file, "--format", form) == 0
        assert shown in capsys.readouterr().out.splitlines()[2 if form == "jsonl" else 3]
