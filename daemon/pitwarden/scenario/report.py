"""A played scenario as text or as JSON lines, and the scenarios that cover each clause."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario import parse_scenario
from pitwarden.scenario.arguments import format_clock
from pitwarden.scenario.errors import RefusedGameError
from pitwarden.scenario.matcher import needs_expectation
from pitwarden.scenario.player import LineResult, ScenarioResult, StepResult
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, RevealCorrected


def format_output(output: RuleOutput) -> str:
    """Return `output` in the syntax of an expectation."""
    match output:
        case Irregularity(status="open") | Notice():
            return f"{output.catalogue} {' '.join(output.verdicts) or '(notice)'}"
        case Irregularity() | Duty():
            return f"{output.catalogue} {output.status}"
        case Refused():
            return f"refused {output.catalogue}"
        case RevealDue():
            return f"reveal {output.slot} {face_name(output.face)}"
        case RevealCorrected():
            return f"corrected {output.was} {output.slot}"
        case AnswerDue():
            return f"answer {'bj' if output.bit else 'no'}"
        case Outcomes():
            return "; ".join(f"outcome {one.hand} {one.wager} {one.result} {one.pays}".strip() for one in output.wagers)
        case CheckFailed():
            return "check.failed"


_WIDTH = 44


def as_text(outcome: ScenarioResult, *, expanded: bool) -> Iterator[str]:
    """Yield each line with its outputs, followed by its differences.

    With `expanded`, each event of a macro has a line of its own.
    """
    scenario = outcome.scenario
    yield f"{scenario.file}: {scenario.header.title}"
    for one in outcome.judged:
        yield from _line(one, expanded=expanded, asks=outcome.asks)
    wrong = sum(bool(one.problem or not (one.agrees or outcome.asks)) for one in outcome.judged)
    if outcome.agrees and outcome.asks:
        yield f"{scenario.file}: {len(outcome.judged)} lines, nothing was expected"
    elif outcome.agrees:
        yield f"{scenario.file}: {len(outcome.judged)} lines, all as expected"
    else:
        yield f"{scenario.file}: {wrong} of {len(outcome.judged)} lines are not as expected"


def as_json(outcome: ScenarioResult) -> Iterator[str]:
    """Yield one JSON object for each event, then one for the file."""
    for one in outcome.judged:
        for step in one.steps:
            yield _dump(
                {
                    "file": outcome.scenario.file,
                    "line": one.line.number,
                    "at": format_clock(step.at_ms),
                    "event": step.step.text,
                    "outputs": [output_to_json(output) for output in step.outputs],
                }
            )
    yield _dump(
        {
            "file": outcome.scenario.file,
            "agrees": outcome.agrees,
            "lines": [
                {
                    "line": one.line.number,
                    "missing": [wanted.text for wanted in one.missing],
                    "unexpected": [format_output(output) for output in one.unexpected],
                    "problem": one.problem,
                }
                for one in outcome.judged
                if one.problem or not (one.agrees or outcome.asks)
            ],
        }
    )


def output_to_json(output: RuleOutput) -> dict[str, object]:
    """Return `output` as JSON. A scenario's cards were never in a shoe, so a reveal names its card."""
    if isinstance(output, Record):
        return output.model_dump()
    if isinstance(output, RevealDue):
        return {"kind": "reveal", "event": output.event, "index": output.index, "slot": output.slot,
                "face": face_name(output.face)}  # fmt: skip
    return {"kind": "answer", "event": output.event, "blackjack": output.bit}


def _dump(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _line(one: LineResult, *, expanded: bool, asks: bool) -> Iterator[str]:
    if expanded:
        for step in one.steps:
            yield from _row(one.line.number, format_clock(step.at_ms), step.step.text, step.outputs)
    else:
        said = tuple(output for step in one.steps for output in step.outputs)
        at = format_clock(one.steps[0].at_ms) if one.steps else ""
        yield from _row(one.line.number, at, one.line.text, _worth_a_line(said, one.steps))
    for wanted in one.missing:
        yield f"{'':>7}!! expected, but not said: {wanted.text}"
    for output in () if asks else one.unexpected:
        yield f"{'':>7}!! said, but not expected: {_sentence(output)}"
    if one.problem:
        yield f"{'':>7}!! {one.problem}"


def _worth_a_line(said: tuple[RuleOutput, ...], step: tuple[StepResult, ...]) -> tuple[RuleOutput, ...]:
    """Return the outputs to print: all of a single event; of a macro those that a file would have to name."""
    if len(step) <= 1:
        return said
    return tuple(output for output in said if needs_expectation(output, strict_reveals=False))


def _row(number: int, at: str, text: str, outputs: tuple[RuleOutput, ...]) -> Iterator[str]:
    left = f"{number:>5}  {at:<9} {text:<{_WIDTH}}"
    if not outputs:
        yield left.rstrip()
    for index, output in enumerate(outputs):
        start = left if index == 0 else " " * len(left)
        yield f"{start}  {_sentence(output)}"


def _sentence(output: RuleOutput) -> str:
    text = format_output(output)
    if isinstance(output, Irregularity):
        return f"{text} [{', '.join(output.clauses)}; {output.basis}] {output.sentence}"
    if isinstance(output, Notice | Refused | Duty):
        cites = f" [{', '.join(output.clauses)}]" if output.clauses else ""
        return f"{text}{cites} {output.sentence}"
    if isinstance(output, CheckFailed):
        return f"{text} {output.check}: {output.error}"
    return text


_NAMED: Final = re.compile(r"[A-Z]+-\d\d")


def files_in(folder: Path) -> list[Path]:
    """Return every scenario file under `folder`, in order of its path."""
    return sorted(folder.rglob("*.scn"))


def covered_clauses(file: Path) -> frozenset[str]:
    """Return the catalogue numbers that the name and the header of `file` claim; none where its game is refused.

    Raises:
        ScenarioError: The file is not a valid scenario.
    """
    named = _NAMED.match(file.name)
    try:
        claims = parse_scenario(file.read_text(encoding="utf-8"), str(file)).header.covers
    except RefusedGameError:
        return frozenset()
    return frozenset(claims) | ({named[0]} if named else frozenset())


def scenarios_by_clause(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Return the scenarios under `folder` that cover each catalogue number, sorted by name."""
    claims = [(clause, file) for file in files_in(folder) for clause in covered_clauses(file)]
    by_name = sorted(claims, key=lambda claim: claim[1].name)
    return {clause: tuple([file for claimed, file in by_name if claimed == clause]) for clause, _ in claims}
