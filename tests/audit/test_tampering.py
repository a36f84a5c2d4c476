"""Each way to tamper with a journal is named for what it is. The adversary had the disk, and not the signing key."""

import shutil
from pathlib import Path

import pytest

from pitwarden.audit.chains import AuditFinding
from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import OutsideWitnesses, VerificationReport, verify_journals
from pitwarden_client.events.base import Position
from pitwarden_client.events.status import LogHead
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED
from testkit.journals.stored_night import FIELD, JUDGE, stored_night, whose
from testkit.journals.tampering import (
    Tampering,
    append_to_a_closed_log,
    append_to_an_epoch_that_ended,
    change_an_output,
    change_bytes,
    change_received,
    change_with_its_hash,
    cut_received,
    cut_tail,
    cut_tail_and_marks,
    forge_a_checkpoint,
    forge_an_opening,
    forget_the_end,
    move_places,
    remove,
    remove_an_output,
    remove_the_last_outputs,
    rewrite,
    swap_bodies,
    tamper,
    write_a_closed_epoch_anew,
)


def looked_at(folder: Path, head: LogHead | None = None) -> VerificationReport:
    with open_log_evidence(folder / FIELD) as log, open_judge_evidence(folder / JUDGE) as judge:
        heads = () if head is None else (("the broker", head),)
        return verify_journals(whose(), log, judge, OutsideWitnesses(heads, in_place=True))


def kinds(report: VerificationReport) -> list[str]:
    return list(dict.fromkeys(found.kind for found in report.findings))


@pytest.mark.parametrize(
    ("harm", "named", "place"),
    [
        (change_bytes, "row_changed", "e1/40"),
        (change_with_its_hash, "row_changed", "e1/40"),
        (remove, "row_removed", "e1/43"),
        (swap_bodies, "rows_reordered", "e1/40"),
        (move_places, "rows_reordered", "e1/41"),
        (append_to_a_closed_log, "row_appended", "/8"),
        (append_to_an_epoch_that_ended, "row_appended", "e1/"),
        (cut_tail, "tail_cut", "log"),
        (cut_tail_and_marks, "unsigned", "e1/1"),
        (rewrite, "rewritten", "/7"),
        (write_a_closed_epoch_anew, "rewritten", "e1/"),
        (forge_an_opening, "forged", "e1/1"),
        (forge_a_checkpoint, "forged", "checkpoint"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_tampering_with_the_log_is_named(tmp_path: Path, harm: Tampering, named: str, place: str) -> None:
    stored_night(tmp_path)
    tamper(tmp_path / FIELD, harm)
    first = looked_at(tmp_path).findings[0]
    assert (first.kind, place in first.where) == (named, True), first


def test_an_untouched_journal_has_no_finding(tmp_path: Path) -> None:
    report = looked_at(stored_night(tmp_path))
    assert not report.findings
    assert (report.unsigned, report.rows, report.rows > 100) == (0, report.judged, True)
    assert report.outputs > 10


def test_an_older_copy_of_either_file_is_named(tmp_path: Path) -> None:
    """The copy is whole in itself; the other half and the broker's head know more."""
    for name, kind in ((FIELD, "older_copy"), (JUDGE, "older_copy")):
        folder = tmp_path / name
        folder.mkdir()
        stored_night(folder)
        tamper(folder / name, cut_tail_and_marks if name == FIELD else forget_the_end)
        report = looked_at(folder)
        assert kind in kinds(report), report.findings
        assert name.partition(".")[0].replace("field", "log") in {found.where for found in report.findings}


def test_without_the_judge_the_retained_head_shows_an_older_copy(tmp_path: Path) -> None:
    stored_night(tmp_path)
    with open_log_evidence(tmp_path / FIELD) as log:
        kept = next(c for c in log.checkpoints() if c.mark == "head")
    head = LogHead(at=kept.head.at, hash=kept.head.hash, signer=kept.signer, signature=kept.signature)
    tamper(tmp_path / FIELD, cut_tail_and_marks)
    with open_log_evidence(tmp_path / FIELD) as log:
        known = OutsideWitnesses((("the broker", head),))
        assert kinds(verify_journals(whose(), log, None, known)) == ["older_copy", "unsigned"]
        assert kinds(verify_journals(whose(), log, None)) == ["unsigned"]  # nobody else knows what is gone
        forged = OutsideWitnesses((("the broker", head.model_copy(update={"signature": "A" * 86 + "=="})),))
        assert kinds(verify_journals(whose(), log, None, forged))[0] == "forged"


@pytest.mark.parametrize("swapped", [(FIELD,), (JUDGE,), (FIELD, JUDGE)])
def test_journals_of_another_table_are_named(tmp_path: Path, swapped: tuple[str, ...]) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, setup in ((ours, TAB_SHIELDED), (theirs, CB_AUTO)):
        folder.mkdir()
        stored_night(folder, setup)
    for name in swapped:
        shutil.copy(theirs / name, ours / name)
    report = looked_at(ours)
    assert kinds(report) == ["other_table"]
    assert len(report.findings) == len(swapped)


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (change_an_output, ["outputs_broken"]),
        (remove_an_output, ["outputs_broken"]),
        (remove_the_last_outputs, ["tail_cut"]),
        (cut_received, ["tail_cut", "older_copy"]),
        (change_received, ["row_changed", "halves_differ"]),
    ],
)
def test_tampering_with_the_judge_s_record_is_named(tmp_path: Path, harm: Tampering, named: list[str]) -> None:
    stored_night(tmp_path)
    tamper(tmp_path / JUDGE, harm)
    assert kinds(looked_at(tmp_path)) == named


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    stored_night(tmp_path)
    path = tmp_path / JUDGE
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    with open_judge_evidence(path) as judge:
        assert judge.damage()


def test_a_finding_is_a_sentence() -> None:
    said = str(AuditFinding("row_changed", "log row e/5", "its bytes are others"))
    assert said == "row_changed at log row e/5: the bytes of a committed row were changed; its bytes are others"
    assert Position(epoch="e", number=5)
