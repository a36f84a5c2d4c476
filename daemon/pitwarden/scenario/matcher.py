"""Comparison of the outputs that a line expects with those that the judge published for it."""

from collections.abc import Iterable
from typing import Final

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.expectations import Expectation, significant_verdicts
from pitwarden_client.events.outputs import (
    CheckFailed,
    Duty,
    Irregularity,
    Notice,
    Outcomes,
    Refused,
    RevealCorrected,
    WagerOutcome,
)


def matches(wanted: Expectation, output: RuleOutput) -> bool:
    """Return whether `output` fulfills the expectation `wanted`."""
    match output:
        case Irregularity(status="open") | Notice():
            said = significant_verdicts(output.verdicts)
            same = wanted.kind == "finding" and wanted.words <= said <= wanted.words | wanted.optional
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Irregularity():
            same = wanted.kind == "status" and output.status in wanted.words
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Duty():
            same = wanted.kind == "duty" and output.status in wanted.words
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Refused():
            return wanted.kind == "refused" and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case RevealDue():
            return wanted.kind == "reveal" and output.slot in wanted.words and output.face == wanted.face
        case RevealCorrected():
            return wanted.kind == "corrected" and (output.was, output.slot) == tuple(slot for _, slot in wanted.facts)
        case AnswerDue():
            return wanted.kind == "answer" and ("bj" if output.bit else "no") in wanted.words
        case Outcomes():
            return wanted.kind == "outcome" and any(_decided(wanted, one) for one in output.wagers)
        case CheckFailed():
            return wanted.kind == "failed"


def _agree(wanted: Expectation, output: Irregularity | Duty | Notice | Refused) -> bool:
    said = output.model_dump()
    blast = output.blast if isinstance(output, Irregularity) else None
    for key, value in wanted.facts:
        if key in {"rounds", "by"}:
            told = "" if blast is None else (_spans(blast.rounds) if key == "rounds" else blast.by or "nobody")
            if told != value:
                return False
            continue
        if key in {"cite", "settled"}:
            lines = said.get("clauses" if key == "cite" else "settled_before", ())
            if not any(value in line for line in lines):
                return False
        elif str(said.get(key, "")) != value:
            return False
    return True


def _spans(rounds: tuple[int, ...]) -> str:
    """Return `rounds` in short form, as `1-3,5`; `none` for no rounds."""
    spans: list[list[int]] = []
    for number in rounds:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join("-".join(map(str, span)) for span in spans) or "none"


def _decided(wanted: Expectation, one: WagerOutcome) -> bool:
    said = {key: str(value) for key, value in one.model_dump().items()}
    plain = all(said[key] == value for key, value in wanted.facts if key != "cite")
    return plain and all(value in " ".join(one.clauses) for key, value in wanted.facts if key == "cite")


PASSING: Final = frozenset({"CONTINUE", "USE_NEXT", "RACK", "BURN", "OPTION", "HAND_DEAD"})
"""Verdicts that no device can confirm as carried out: their clearing is compared only where a file names it."""

USUAL_DUTIES: Final = frozenset({"shuffle", "burn", "cut"})
"""Duties of every honest shoe. They are compared only when overdue or named by the file."""

Difference = tuple[tuple[Expectation, ...], tuple[RuleOutput, ...]]
"""Expectations without an output, and outputs without an expectation."""


def compare_outputs(
    expected: tuple[Expectation, ...],
    said: Iterable[RuleOutput],
    *,
    granted: bool,
    strict_reveals: bool,
    unfit: frozenset[str] = frozenset(),
) -> Difference:
    """Return the difference between the expectations of a line and the outputs for it.

    Each output fulfills at most one expectation. The outcomes of a row are one output, and each may be expected by
    itself.

    Args:
        expected: Expectations of the line.
        said: Outputs of the judge for the line.
        granted: Whether the deal permit was granted after the line.
        strict_reveals: Whether every reveal must be expected.
        unfit: Catalogue numbers for which the table would be refused at start.
    """
    outputs = tuple(said)
    left = list(outputs)
    missing: list[Expectation] = []
    for wanted in expected:
        match wanted.kind:
            case "nothing":
                met = True
            case "permit":
                met = wanted.words == {"granted" if granted else "withheld"}
            case "unfit":
                met = bool(wanted.catalogue & unfit)
            case "no_outcome":
                met = not any(isinstance(output, Outcomes) for output in outputs)
            case "outcome":
                met = any(matches(wanted, output) for output in outputs) or not wanted.needed
            case "no_reveal":
                met = not any(isinstance(output, RevealDue | AnswerDue) for output in outputs)
            case _:
                met = _take(wanted, left) or not wanted.needed
        if not met:
            missing.append(wanted)
    return tuple(missing), tuple(one for one in left if needs_expectation(one, strict_reveals=strict_reveals))


def needs_expectation(output: RuleOutput, *, strict_reveals: bool) -> bool:
    """Return whether a file is wrong when it does not name `output`."""
    match output:
        case RevealDue() | AnswerDue() | RevealCorrected():
            return strict_reveals
        case Notice():
            return not frozenset(output.verdicts) <= {"CONTINUE"}
        case Irregularity(status="cleared"):
            return not frozenset(output.verdicts) <= PASSING
        case Duty():
            return output.duty not in USUAL_DUTIES or output.status == "overdue"
        case Outcomes():
            return False
        case _:
            return True


def _take(wanted: Expectation, left: list[RuleOutput]) -> bool:
    found = next((index for index, output in enumerate(left) if matches(wanted, output)), None)
    if found is None:
        return False
    del left[found]
    return True
