"""The tamper table: what `journal verify` says to each manipulation, without a witness elsewhere and with one.

The adversary has the disk of the table, its format and time. Without a key, only a rollback of both journals to a state
that the table itself once signed stays unseen, and any witness shows it. What a stolen key can hide is listed at the
end, each with who still sees it; docs/explanation/threat-model.md has the same list.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import OutsideWitnesses, verify_journals
from pitwarden.cli.main import main
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import LogHead, RecordHead
from testkit.journals.laundering import (
    Manipulation,
    anew_without_marks,
    as_an_older_version,
    both_keys_cut_both,
    both_keys_rewrite_the_last_row,
    both_of_another_table,
    consumers_ahead,
    cut_both,
    cut_record,
    cut_record_and_signature,
    field_key_cuts_both,
    field_key_rewrites,
    judge_key_cuts_both,
    judge_key_cuts_outputs,
    judge_key_milder_verdicts,
    laundered_by_a_start,
    log_of_another_table,
    mark_of_another_place,
    milder_verdicts,
    milder_verdicts_unsigned,
    no_closing_mark,
    no_last_outputs,
    no_mark,
    no_oldest_rows,
    on_judge,
    on_log,
    one_output_more,
    published_heads,
    published_records,
    rolled_back,
    rolled_back_with_the_clock,
    trimmed_by_nobody,
)
from testkit.journals.stored_night import FIELD, JUDGE, KEY, file, whose
from testkit.journals.tampering import (
    append_to_a_closed_log,
    append_to_an_epoch_that_ended,
    change_an_output,
    change_bytes,
    change_received,
    change_with_its_hash,
    cut_tail,
    cut_tail_and_marks,
    forge_a_checkpoint,
    forge_an_opening,
    move_places,
    remove,
    remove_an_output,
    rewrite,
    swap_bodies,
    write_a_closed_epoch_anew,
)

__all__ = ["file"]

KEYLESS: list[tuple[Manipulation, str]] = [
    (on_log(change_bytes), "row_changed"),
    (on_log(change_with_its_hash), "row_changed"),
    (on_log(remove), "row_removed"),
    (on_log(no_oldest_rows), "row_removed"),
    (on_log(trimmed_by_nobody), "forged"),
    (on_log(swap_bodies), "rows_reordered"),
    (on_log(move_places), "rows_reordered"),
    (on_log(append_to_a_closed_log), "row_appended"),
    (on_log(append_to_an_epoch_that_ended), "row_appended"),
    (on_log(cut_tail), "tail_cut"),
    (on_log(cut_tail_and_marks), "unsigned"),
    (on_log(rewrite), "rewritten"),
    (on_log(anew_without_marks), "unsigned"),
    (on_log(write_a_closed_epoch_anew), "rewritten"),
    (on_log(forge_an_opening), "forged"),
    (on_log(forge_a_checkpoint), "forged"),
    (on_log(mark_of_another_place), "unsigned"),
    (on_log(no_closing_mark), "not_closed"),
    (on_log(no_mark), "unsigned"),
    (on_log(consumers_ahead), "tail_cut"),
    (on_judge(change_an_output), "outputs_broken"),
    (on_judge(remove_an_output), "outputs_broken"),
    (on_judge(no_last_outputs), "tail_cut"),
    (on_judge(one_output_more), "unsigned"),
    (on_judge(milder_verdicts), "rewritten"),
    (on_judge(milder_verdicts_unsigned), "unsigned"),
    (on_judge(change_received), "row_changed"),
    (on_judge(cut_record), "tail_cut"),
    (on_judge(cut_record_and_signature), "unsigned"),
    (cut_both, "unsigned"),
    (laundered_by_a_start, "set_aside"),
    (as_an_older_version, "set_aside"),
    (log_of_another_table, "other_table"),
    (both_of_another_table, "other_table"),
]
"""Manipulations without a key, with one of the findings that `verify` gives by the two files alone."""

ROLLBACKS: list[Manipulation] = [rolled_back, rolled_back_with_the_clock]
"""Both files become what the table itself once signed and closed: only a witness elsewhere knows better."""

WITH_A_KEY: list[tuple[Manipulation, str, str]] = [
    (field_key_rewrites, "halves_differ", "halves_differ"),
    (field_key_cuts_both, "unsigned", "older_copy"),
    (judge_key_cuts_both, "unsigned", "older_copy"),
    (judge_key_milder_verdicts, "", "rewritten"),
    (judge_key_cuts_outputs, "", "older_copy"),
    (both_keys_cut_both, "", "older_copy"),
    (both_keys_rewrite_the_last_row, "", "halves_differ"),
]
"""Manipulations with a stolen key; what is found without a witness elsewhere, and with one. Empty: nothing."""


Told = LogHead | RecordHead


def verified(config: Path, capsys: pytest.CaptureFixture[str], heads: Sequence[tuple[str, Told]]) -> tuple[int, str]:
    """Exit code and words of `pitwarden journal verify`, with these heads in a witness's file."""
    words = ["journal", "verify", "--config", str(config)]
    if heads:
        kept = config.parent / "heads.jsonl"
        kept.write_bytes(b"".join(encode(head) + b"\n" for _, head in heads))
        words += ["--witness", str(kept)]
    return main(words), capsys.readouterr().out


def name(value: object) -> str:
    return str(getattr(value, "__name__", ""))


@pytest.mark.parametrize(("harm", "kind"), KEYLESS, ids=name)
@pytest.mark.parametrize("elsewhere", ["no witness", "a witness"])
def test_a_manipulation_without_a_key_is_found(
    harm: Manipulation, kind: str, elsewhere: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journals = file.parent / "journals"
    heads: tuple[tuple[str, Told], ...] = (*published_heads(journals), *published_records(journals))
    harm(journals)
    code, said = verified(file, capsys, heads if elsewhere == "a witness" else ())
    found = [line for line in said.splitlines() if " at " in line and ": " in line and not line.startswith("witness")]
    assert (code, kind in {line.split(" ")[0] for line in found}) == (1, True), said
    assert f"{KEY}: NOT as committed" in said
    if kind != "other_table":
        assert any("/" in line.split(": ", 1)[0] or "e1/" in line or "output" in line for line in found), said


@pytest.mark.parametrize("harm", ROLLBACKS, ids=name)
def test_a_rollback_to_a_signed_state_is_seen_by_a_witness_alone(
    harm: Manipulation, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journals = file.parent / "journals"
    heads = published_heads(journals)
    harm(journals)
    code, said = verified(file, capsys, ())
    assert code == 0, said
    assert "a rollback of both files to a state that was once signed cannot be seen" in said
    code, said = verified(file, capsys, heads)
    assert code == 1
    assert "older_copy at log" in said
    assert f"{heads[-1][1].at.epoch}/{heads[-1][1].at.number}" in said


@pytest.mark.parametrize(("harm", "alone", "with_witness"), WITH_A_KEY, ids=name)
def test_what_a_stolen_key_hides_is_known(harm: Manipulation, alone: str, with_witness: str, file: Path) -> None:
    """An auditor has the public keys; the judge's comes from the log."""
    journals = file.parent / "journals"
    nobody = OutsideWitnesses(in_place=True)
    somebody = OutsideWitnesses(published_heads(journals), published_records(journals), in_place=True)
    harm(journals)
    for outside, expected in ((nobody, alone), (somebody, with_witness)):
        with open_log_evidence(journals / FIELD) as log, open_judge_evidence(journals / JUDGE) as judge:
            kinds = {found.kind for found in verify_journals(whose(), log, judge, outside).findings}
        assert (expected in kinds) if expected else not kinds, kinds


@pytest.mark.parametrize("harm", [judge_key_milder_verdicts, judge_key_cuts_outputs], ids=name)
def test_what_the_judge_s_own_key_rewrites_is_seen_by_judging_again(
    harm: Manipulation, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["journal", "verify", "--config", str(file)]) == 0
    harm(file.parent / "journals")
    capsys.readouterr()
    assert main(["journal", "replay", "--config", str(file)]) == 1
    assert "are judged otherwise" in capsys.readouterr().out


def test_an_untouched_night_has_no_finding_with_a_witness(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heads, records = published_heads(file.parent / "journals"), published_records(file.parent / "journals")
    code, said = verified(file, capsys, (*heads, *records))
    assert code == 0, said
    assert f"{len(heads)} signed heads" in said
    last = records[-1][1].output
    assert (
        f"{len(records)} signed ends of the record; the last proves what the judge had published up to output {last}"
        in said
    )


def test_each_missing_witness_is_named_with_what_it_would_prove(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = verified(file, capsys, ())
    assert "verdicts that the judge's own key wrote anew cannot be seen here" in said
    _, said = verified(file, capsys, published_heads(file.parent / "journals"))
    assert "witness elsewhere of the verdicts: none was given" in said
    _, said = verified(file, capsys, published_records(file.parent / "journals"))
    assert "witness elsewhere: none was given" in said
    assert "witness elsewhere of the verdicts: none" not in said


def test_the_judge_s_end_alone_shows_a_rollback(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = published_records(file.parent / "journals")
    rolled_back(file.parent / "journals")
    code, said = verified(file, capsys, records)
    assert code == 1
    assert "older_copy at judge: " in said


def test_an_end_that_the_judge_did_not_sign_is_no_witness(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source, told), *_ = reversed(published_records(file.parent / "journals"))
    code, said = verified(file, capsys, [(source, told.model_copy(update={"output": told.output + 1}))])
    assert code == 1
    assert "forged at " in said


def test_a_witness_that_holds_nothing_or_something_else_is_refused(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = file.parent / "kept"
    for content, said in ((b"\n", "holds no head"), (b"{}\n", "line 1: is no retained head"), (None, "cannot be read")):
        kept.unlink(missing_ok=True)
        if content is not None:
            kept.write_bytes(content)
        assert main(["journal", "verify", "--config", str(file), "--witness", str(kept)]) == 78
        assert said in capsys.readouterr().err


def test_a_witness_of_another_table_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [*_, (_, last)] = published_heads(file.parent / "journals")
    code, said = verified(file, capsys, (("other", last.model_copy(update={"signature": "A" * 86 + "=="})),))
    assert code == 1
    assert "forged at " in said
    assert "heads.jsonl line 1" in said
