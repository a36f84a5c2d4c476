"""Export, evidence packs, replay, blast radius, backup and restore: what each proves, and what it refuses."""

import asyncio
import csv
import hashlib
import json
from itertools import pairwise
from pathlib import Path

import pytest

from fake_clock import FakeClock
from pitwarden.audit.reading import judge_evidence, log_evidence
from pitwarden.audit.replay import EvidenceRows, replay
from pitwarden.audit.verify import verify
from pitwarden.cli.journal_blast import of_the_judge
from pitwarden.cli.main import main
from pitwarden.events.base import Position
from pitwarden.events.codec import decode, digest, encode
from pitwarden.events.envelope import OutputEvent
from pitwarden.events.outputs import BlastRadius, Irregularity, Notice
from pitwarden.field.epoch import FieldKeys, open_epoch
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, TableSetup
from sealed_night import PRIVATE, SIGNER, SITE, night, table_judge
from stored_night import FIELD, JUDGE, new_row, stored, whose
from table_with_journals import file
from tampering import body, harmed

__all__ = ["file"]


def export(file: Path, *words: str) -> int:
    return main(["journal", "export", "--config", str(file), *words])


def test_json_lines_are_the_committed_bytes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(file) == 0
    lines = capsys.readouterr().out.splitlines()
    with log_evidence(file.parent / "journals" / FIELD) as log:
        assert [digest(line.encode()) for line in lines] == [row.hash for row in log.rows()]


def test_csv_has_every_row_and_every_output(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for of, column in (("log", "number"), ("outputs", "seq")):
        assert export(file, "--of", of, "--format", "csv") == 0
        table = list(csv.DictReader(capsys.readouterr().out.splitlines()))
        assert int(table[4][column]) == 5
        assert len(table) > 10


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


def test_a_pack_says_which_reveal_does_not_hold(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def another_card(sql: object) -> None:
        for seq, said in sql.execute("SELECT seq, body FROM output").fetchall():  # type: ignore[attr-defined]
            event = decode(OutputEvent, said)
            if event.data.kind == "reveal":
                face = "2C" if event.data.face != "2C" else "3C"
                changed = encode(event.model_copy(update={"data": event.data.model_copy(update={"face": face})}))
                sql.execute("UPDATE output SET body = ? WHERE seq = ?", (changed, seq))  # type: ignore[attr-defined]

    harmed(file.parent / "journals" / JUDGE, another_card)
    assert export(file, "--round", "last", "--out", str(file.parent / "pack")) == 1
    assert "do NOT hold" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--round", "99"), ("--row", "nowhere/1")])
def test_a_round_that_is_not_there_is_a_sentence(
    words: tuple[str, str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(file, *words, "--out", str(file.parent / "pack")) == 78
    assert "its last round is 3" in capsys.readouterr().err


@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO], ids=lambda setup: setup.table)
def test_replay_by_the_same_rules_is_identical_byte_for_byte(setup: TableSetup, tmp_path: Path) -> None:
    stored(tmp_path, setup)
    with judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRows(evidence), setup)
        found = asyncio.run(replay(judge, evidence))
        outputs = sum(1 for _ in evidence.outputs(f"{SITE}/{setup.table}"))
    assert (found.differences, found.other_bytes, found.identical) == ([], 0, outputs)
    assert outputs > 10


def test_replay_shows_what_other_rules_would_have_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path)
    extra = Notice(catalogue="X", clauses=(), verdicts=(), sentence="said by other rules")
    with judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRows(evidence))
        honest = judge.judge

        async def other_rules(row: object) -> object:
            said = await honest(row)  # type: ignore[arg-type]
            return (*said, extra) if judge.state.number == 20 else said

        monkeypatch.setattr(judge, "judge", other_rules)
        found = asyncio.run(replay(judge, evidence))
    assert [(each.at.number, each.now[-1]) for each in found.differences] == [(20, extra)]


def test_the_replay_command_needs_the_judge_s_key(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "keys" / "judge.key").unlink()
    assert main(["journal", "replay", "--config", str(file)]) == 78
    assert "judge.key" in capsys.readouterr().err


def test_the_blast_radius_reaches_back_to_the_last_right_count(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = night()
    last = rows[-1].event
    words = ["journal", "blast-radius", "--config", str(file)]
    assert main([*words, "--row", f"{last.epoch}/{last.tableseq}"]) == 0
    said = capsys.readouterr().out
    assert "the shuffler's count" in said.splitlines()[0]
    assert said.splitlines()[-1].split()[0] in {"1", "2", "3"}
    assert main([*words, "--row", f"{last.epoch}/{last.tableseq}", "--deck", "B"]) == 0
    assert "since the oldest row kept (no count" in capsys.readouterr().out  # deck A's counts say nothing of deck B
    assert main([*words, "--ref", "none-such"]) == 78
    with pytest.raises(SystemExit):
        main([*words, "--row", "nonsense"])


def test_the_blast_radius_of_a_wrong_count_is_the_judge_s_too() -> None:
    blast = BlastRadius(since=Position(epoch="e1", number=8), by="shuffler", rounds=(1, 3), more=2)
    wrong = Irregularity(
        ref="e1-40-0", catalogue="CB-17", clauses=("13:69F-51.7(f)",), verdicts=("DECK_OUT",), basis="text",
        status="open", actor="floorperson", clears="", sentence="", deck="A", blast=blast,
    )  # fmt: skip
    [line] = of_the_judge(wrong)
    assert (
        line == "the judge: deck A was dealt in rounds 1, 3, and 2 before them; shuffler counted it whole on row e1/8"
    )
    assert of_the_judge(wrong.model_copy(update={"blast": None})) == []


def test_a_backup_restores_byte_for_byte_and_is_taken_while_the_log_is_open(file: Path) -> None:
    journals, copies = file.parent / "journals", file.parent / "copies"

    async def back_up_while_it_is_written() -> None:
        journal = await FieldJournal.open(journals / FIELD)
        assert await asyncio.to_thread(main, ["journal", "backup", "--config", str(file), "--out", str(copies)]) == 0
        restored = ["journal", "restore", "--config", str(file), "--from", str(copies)]
        assert await asyncio.to_thread(main, restored) == 78  # the service has it open
        await journal.close()

    asyncio.run(back_up_while_it_is_written())
    with log_evidence(journals / FIELD) as log:
        before = [row.body for row in log.rows()]
    harmed(journals / FIELD, lambda sql: sql.execute("DELETE FROM row WHERE place > 5"))
    assert main(["journal", "restore", "--config", str(file), "--from", str(copies)]) == 0
    assert (journals / f"{FIELD}.before-restore-1").exists()
    assert (journals / FIELD).stat().st_mode & 0o777 == 0o600
    with log_evidence(journals / FIELD) as log, judge_evidence(journals / JUDGE) as judge:
        assert [row.body for row in log.rows()] == before
        assert not verify(whose(), log, judge).findings


def test_what_is_no_backup_is_not_restored(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies = file.parent / "copies"
    words = ["journal", "restore", "--config", str(file), "--from", str(copies)]
    assert main(words) == 78
    assert main(["journal", "backup", "--config", str(file), "--out", str(copies)]) == 0
    assert main(["journal", "backup", "--config", str(file), "--out", str(copies)]) == 78  # never over an older one
    harmed(copies / FIELD, lambda sql: sql.execute("DELETE FROM row WHERE place > 5"))
    assert main(words) == 78
    assert "is not the copy that the backup wrote" in capsys.readouterr().err
    (copies / "backup.json").write_text('{"sha256": {"../../etc/passwd": "0"}}')
    assert main(words) == 78
    assert not list((file.parent / "journals").glob("*.before-restore-*"))


async def test_a_restored_log_opens_a_new_epoch_behind_what_was_restored(tmp_path: Path) -> None:
    stored(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    restored, known = journal.head, {record.epoch for record in await journal.epochs()}
    place = Place(SITE, TAB_SHIELDED.table, simulated=True)
    opening = await open_epoch(journal, place, FieldKeys(SIGNER, (PRIVATE.public_key,)), FakeClock())
    await journal.commit([new_row(opening.rows.build(pending)) for pending in opening.first])
    newest = (await journal.epochs())[-1]
    assert newest.epoch not in known
    assert newest.parent == restored
    await journal.close()


def test_a_row_that_cannot_be_read_is_exported_all_the_same(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def scribble(sql: object) -> None:
        sql.execute("UPDATE row SET body = ? WHERE place = 3", (b"\xff\x00junk",))  # type: ignore[attr-defined]
        assert body(sql, 3)  # type: ignore[arg-type]

    harmed(file.parent / "journals" / FIELD, scribble)
    for form, shown in (("jsonl", "\\xff"), ("csv", "e1,3,")):
        assert export(file, "--format", form) == 0
        assert shown in capsys.readouterr().out.splitlines()[2 if form == "jsonl" else 3]
