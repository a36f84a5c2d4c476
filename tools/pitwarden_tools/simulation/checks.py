"""Check of a simulated night: nothing lost, doubled, missing, changed or early; and every proof of it holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError, open_judge_evidence, open_log_evidence
from pitwarden.audit.replay import EvidenceRowSource, replay
from pitwarden.audit.verify import verify_journals
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden_tools.campaign.stored import Stored, read
from pitwarden_tools.campaign.verdict import wrongs
from pitwarden_tools.simulation.halves import PRIVATE, SIGNER, SITE, silent_judge
from pitwarden_tools.simulation.rig import SimulatedRig


@dataclass(frozen=True, slots=True)
class SimulatedFindings:
    """Extent of the check of a night, and what was wrong."""

    rows: int
    outputs: int
    epochs: int
    wrong: tuple[str, ...]


async def wrong_after(rig: SimulatedRig) -> SimulatedFindings:
    """Return what is wrong with a night whose service was stopped in order."""
    stored = read(rig.folder)
    wrong = [*rig.published.wrong, *wrongs(rig, stored), *_published(rig, stored), *await _proofs(rig)]
    passed_ms = rig.clock.mono_ms()
    if stored.rows and stored.rows[-1].logms > passed_ms:
        wrong.append(f"log time says {stored.rows[-1].logms} ms, and {passed_ms} ms have passed: deadlines came early")
    epochs = len({row.epoch for row in stored.rows})
    return SimulatedFindings(len(stored.rows), len(stored.outputs), epochs, tuple(wrong))


def _published(rig: SimulatedRig, stored: Stored) -> Iterator[str]:
    """Compare what left the service with what it has stored: the same bytes under the same numbers, none missing."""
    rows = {(row.epoch, row.tableseq): body for row, body in zip(stored.rows, stored.bodies, strict=True)}
    for at, body in rig.published.rows().items():
        if rows.get(at) != body:
            yield f"row {at[0]}/{at[1]} was published, and {'is not in the log' if at not in rows else 'changed'}"
    for epoch in {row.epoch for row in stored.rows}:
        numbers = [row.tableseq for row in stored.rows if row.epoch == epoch]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the numbers of epoch {epoch} have a gap"
    outputs = {event.outputseq: body for event, body in zip(stored.outputs, stored.output_bodies, strict=True)}
    for number, body in rig.published.outputs().items():
        if outputs.get(number) != body:
            yield f"output {number} was published, and {'was never committed' if number not in outputs else 'changed'}"
    heard = {payload for _, payload in rig.published.heard}
    for kind, bodies in (("rows", stored.bodies), ("outputs", stored.output_bodies)):
        said = [body in heard for body in bodies]
        # The last ones may wait for the next start: the service was stopped as soon as people had left.
        if not all(said[: _last(said) + 1]):
            yield f"{kind} were committed and never published: number {said.index(False) + 1} of {len(said)}"


def _last(said: Sequence[bool]) -> int:
    """Return the index of the last True; -1 for none."""
    return max((index for index, each in enumerate(said) if each), default=-1)


async def _proofs(rig: SimulatedRig) -> list[str]:
    """Verify the journals, and judge the stored rows again."""
    setup = rig.built.table.setup
    scope = AuditScope(SITE, setup.table, (SIGNER.public,), (derive_checkpoint_key(PRIVATE).public,))
    wrong = []
    try:
        with (
            open_log_evidence(rig.folder / "field.sqlite") as log,
            open_judge_evidence(rig.folder / "judge.sqlite") as judge,
        ):
            report = verify_journals(scope, log, judge)
            wrong += [f"journal verify: {found}" for found in report.findings]
            again = await replay(silent_judge(setup, EvidenceRowSource(judge)), judge)
            wrong += [
                f"judged again, row {each.at.epoch}/{each.at.number} says something else" for each in again.differences
            ]
            if again.other_bytes:
                wrong.append(f"judged again, {again.other_bytes} outputs have other bytes")
    except AuditError as error:
        wrong.append(f"the journals cannot be read: {error}")
    return wrong
