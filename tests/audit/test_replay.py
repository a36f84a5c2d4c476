"""A journal is judged again: the same rules give the same bytes, other rules show what differs."""

import asyncio
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_judge_evidence
from pitwarden.audit.replay import EvidenceRowSource, replay
from pitwarden.cli.main import main
from pitwarden.judge.outputs import as_published
from pitwarden.rules import RULES_VERSION
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import OutputEvent
from pitwarden_client.events.outputs import ClearingFact, Duty, Irregularity, Notice, Outcomes, Output, Reveal
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, SimulatedTableSetup
from pitwarden_tools.simulation.halves import SITE as SILENT
from pitwarden_tools.simulation.halves import silent_judge
from testkit.journals.sealed_rows import SITE, table_judge
from testkit.journals.stored_night import JUDGE, file, stored_night
from testkit.journals.text_export import restored

__all__ = ["file"]

OLDER = sorted((Path(__file__).parents[1] / "captures" / "versions").iterdir())


@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO], ids=lambda setup: setup.table)
def test_replay_by_the_same_rules_is_identical_byte_for_byte(setup: SimulatedTableSetup, tmp_path: Path) -> None:
    stored_night(tmp_path, setup)
    with open_judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRowSource(evidence), setup)
        found = asyncio.run(replay(judge, evidence))
        outputs = sum(1 for _ in evidence.outputs(f"{SITE}/{setup.table}"))
    assert (found.differences, found.other_bytes, found.identical) == ([], 0, outputs)
    assert outputs > 10


def test_replay_shows_what_other_rules_would_have_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_night(tmp_path)
    extra = Notice(catalogue="X", clauses=(), verdicts=(), sentence="said by other rules")
    with open_judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRowSource(evidence))
        honest = judge.judge

        async def other_rules(row: object) -> object:
            said = await honest(row)  # type: ignore[arg-type]
            return (*said, extra) if judge.state.number == 20 else said

        monkeypatch.setattr(judge, "judge", other_rules)
        found = asyncio.run(replay(judge, evidence))
    assert [(each.at.number, each.now[-1]) for each in found.differences] == [(20, extra)]


@pytest.mark.parametrize(("version", "other"), [(RULES_VERSION, False), ("0.0.1", True)])
def test_other_words_are_a_difference_of_the_same_rules_alone(
    version: str, *, other: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_night(tmp_path)
    worded = 0
    with open_judge_evidence(tmp_path / JUDGE) as evidence:
        judge = table_judge(EvidenceRowSource(evidence))
        honest = judge.judge

        async def reworded(row: object) -> object:
            nonlocal worded
            said = await honest(row)  # type: ignore[arg-type]
            worded += any(hasattr(one, "sentence") for one in said)
            return tuple(one.model_copy(update={"sentence": "x"}) if hasattr(one, "sentence") else one for one in said)

        monkeypatch.setattr(judge, "judge", reworded)
        monkeypatch.setattr("pitwarden.audit.replay.RULES_VERSION", version)
        found = asyncio.run(replay(judge, evidence))
    assert worded > 0
    assert (found.other_words, len(found.differences)) == ((worded, 0) if other else (0, worded))


def irregularity(*steps: tuple[ClearingFact, ...], sentence: str = "s") -> Irregularity:
    return Irregularity(
        ref="e-1-0", catalogue="TAB-37", clauses=("c",), verdicts=("HOLD",), basis="text", status="open",
        actor="floorperson", clears="the floor's ruling", clears_facts=steps, sentence=sentence,
    )  # fmt: skip


def test_what_a_later_contract_adds_is_no_other_verdict() -> None:
    old, now = irregularity(), irregularity((ClearingFact(kind="noted"),))
    assert as_published((now,), (old,)) == (old,)
    assert as_published((now,), (now,)) == (now,)
    assert as_published((old,), (now,)) != (now,), "a fact that was published and is missing now is a difference"
    assert as_published((irregularity((ClearingFact(kind="noted"),), sentence="t"),), (old,)) != (old,)
    assert as_published((now, now), (old,)) == (now, now)


def unworded(output: Output) -> Output:
    """Return `output` without its texts for people."""
    return output.model_copy(update={name: "" for name in ("sentence", "clears") if hasattr(output, name)})


def is_burn_duty(output: object) -> bool:
    return isinstance(output, Duty) and output.duty == "burn"


@pytest.mark.parametrize("capture", OLDER, ids=lambda capture: capture.name)
def test_an_older_night_is_judged_in_other_bytes_to_the_same_verdicts(capture: Path, tmp_path: Path) -> None:
    """Outcomes of wagers came later than 0.1.0, since 0.4.0 some cards wait, and since 0.4.6 the burn is a duty.

    The verdicts are the same; since 0.4.19 the sentences are others.
    """
    restored(capture, tmp_path)
    with open_judge_evidence(tmp_path / JUDGE) as evidence:
        found = asyncio.run(replay(silent_judge(TAB_SHIELDED, EvidenceRowSource(evidence)), evidence))
        stored = [decode(OutputEvent, one.body).data for one in evidence.outputs(f"{SILENT}/{TAB_SHIELDED.table}")]
    assert [one.catalogue for one in stored if isinstance(one, Irregularity)] == ["TAB-37", "TAB-37"]
    assert found.other_bytes > 0
    assert found.other_words > 0
    revealed: dict[str, int] = {}
    for difference in found.differences:
        then, now = (
            [unworded(one) for one in outputs if not isinstance(one, Outcomes | Reveal) and not is_burn_duty(one)]
            for outputs in (difference.published, difference.now)
        )
        assert now == then
        for reveal in (one for one in difference.published if isinstance(one, Reveal)):
            revealed[reveal.commitment] = difference.at.number
        for reveal in (one for one in difference.now if isinstance(one, Reveal)):
            assert difference.at.number >= revealed.pop(reveal.commitment)
    assert revealed == {}, "a card that was revealed in its round is revealed in it now"


def test_the_replay_command_needs_the_judge_s_key(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "keys" / "judge.key").unlink()
    assert main(["journal", "replay", "--config", str(file)]) == 78
    assert "judge.key" in capsys.readouterr().err
