"""A journal is judged again: the same rules give the same bytes, other rules show what differs."""

import asyncio
from pathlib import Path

import pytest

from pitwarden.audit.reading import judge_evidence
from pitwarden.audit.replay import EvidenceRows, replay
from pitwarden.cli.main import main
from pitwarden.events.outputs import Notice
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, TableSetup
from testkit.journals.sealed_rows import SITE, table_judge
from testkit.journals.stored_night import JUDGE, file, stored_night

__all__ = ["file"]


@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO], ids=lambda setup: setup.table)
def test_replay_by_the_same_rules_is_identical_byte_for_byte(setup: TableSetup, tmp_path: Path) -> None:
    stored_night(tmp_path, setup)
    with judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRows(evidence), setup)
        found = asyncio.run(replay(judge, evidence))
        outputs = sum(1 for _ in evidence.outputs(f"{SITE}/{setup.table}"))
    assert (found.differences, found.other_bytes, found.identical) == ([], 0, outputs)
    assert outputs > 10


def test_replay_shows_what_other_rules_would_have_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_night(tmp_path)
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
