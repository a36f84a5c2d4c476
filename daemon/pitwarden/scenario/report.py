"""A played scenario as text for people or as JSON lines for programs."""

import json
from collections.abc import Iterator

from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import name_of
from pitwarden_client.events.outputs import Irregularity, Outcomes

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.describe import describe
from pitwarden.scenario.play import Judged, Outcome, Told
from pitwarden.scenario.times import clock

_WIDTH = 44


def as_text(outcome: Outcome, *, expanded: bool) -> Iterator[str]:
    """Each line with what the judge said beside it, and below it where the two disagree.

    `expanded`: each event of a macro stands on its own.
    """
    scenario = outcome.scenario
    yield f"{scenario.file}: {scenario.header.title}"
    for one in outcome.judged:
        yield from _line(one, expanded=expanded)
    wrong = sum(not one.agrees for one in outcome.judged)
    if outcome.agrees:
        yield f"{scenario.file}: {len(outcome.judged)} lines, all as expected"
    else:
        yield f"{scenario.file}: {wrong} of {len(outcome.judged)} lines are not as expected"


def as_json(outcome: Outcome) -> Iterator[str]:
    """One JSON object an event, then one for the file."""
    for one in outcome.judged:
        for told in one.told:
            yield _dump(
                {
                    "file": outcome.scenario.file,
                    "line": one.line.number,
                    "at": clock(told.at_ms),
                    "event": told.step.text,
                    "outputs": [plain(output) for output in told.outputs],
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
                    "unexpected": [describe(output) for output in one.unexpected],
                    "problem": one.problem,
                }
                for one in outcome.judged
                if not one.agrees
            ],
        }
    )


def plain(output: RuleOutput) -> dict[str, object]:
    """`output` as JSON; a scenario's cards were never in a shoe, so a reveal names its card."""
    if isinstance(output, Record):
        return output.model_dump()
    if isinstance(output, RevealDue):
        return {"kind": "reveal", "event": output.event, "index": output.index, "slot": output.slot,
                "face": name_of(output.face)}  # fmt: skip
    return {"kind": "answer", "event": output.event, "blackjack": output.bit}


def _dump(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _line(one: Judged, *, expanded: bool) -> Iterator[str]:
    if expanded:
        for told in one.told:
            yield from _row(one.line.number, clock(told.at_ms), told.step.text, told.outputs)
    else:
        said = tuple(output for told in one.told for output in told.outputs)
        at = clock(one.told[0].at_ms) if one.told else ""
        yield from _row(one.line.number, at, one.line.text, _worth_a_line(said, one.told))
    for wanted in one.missing:
        yield f"{'':>7}!! expected, but not said: {wanted.text}"
    for output in one.unexpected:
        yield f"{'':>7}!! said, but not expected: {_sentence(output)}"
    if one.problem:
        yield f"{'':>7}!! {one.problem}"


def _worth_a_line(said: tuple[RuleOutput, ...], told: tuple[Told, ...]) -> tuple[RuleOutput, ...]:
    """The reveals and outcomes of a whole macro would drown what matters; those of a single event stay."""
    if len(told) <= 1:
        return said
    return tuple(output for output in said if not isinstance(output, RevealDue | AnswerDue | Outcomes))


def _row(number: int, at: str, text: str, outputs: tuple[RuleOutput, ...]) -> Iterator[str]:
    left = f"{number:>5}  {at:<9} {text:<{_WIDTH}}"
    if not outputs:
        yield left.rstrip()
    for index, output in enumerate(outputs):
        start = left if index == 0 else " " * len(left)
        yield f"{start}  {_sentence(output)}"


def _sentence(output: RuleOutput) -> str:
    text = describe(output)
    if isinstance(output, Irregularity):
        return f"{text} [{', '.join(output.clauses)}; {output.basis}] {output.sentence}"
    return text
