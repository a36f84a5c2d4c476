"""What a line expects against what the judge said on it."""

from collections.abc import Iterable
from typing import Final

from pitwarden_client.events.outputs import Duty, Irregularity, Notice, Outcomes

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.expect import Expectation
from pitwarden.scenario.meets import meets

PASSING: Final = frozenset({"CONTINUE", "USE_NEXT", "RACK", "BURN", "OPTION", "HAND_DEAD"})
"""Verdicts that nothing senses the carrying out of: when they are cleared is checked only where a file names it."""

USUAL_DUTIES: Final = frozenset({"shuffle", "burn", "cut"})
"""Duties of every honest shoe: announced or not, they are checked only when overdue or named."""

Difference = tuple[tuple[Expectation, ...], tuple[RuleOutput, ...]]
"""What was expected in vain, and what came unexpected."""


def compare(
    expected: tuple[Expectation, ...],
    said: Iterable[RuleOutput],
    *,
    granted: bool,
    strict_reveals: bool,
    unfit: frozenset[str] = frozenset(),
) -> Difference:
    """The difference between `expected` and `said`; each output meets one expectation at most.

    `granted`: whether the deal permit stood after the line; `unfit`: why the table would be refused at start. Outcomes
    of a row are one output: each may be expected by itself.
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
                met = any(meets(wanted, output) for output in outputs) or not wanted.needed
            case "no_reveal":
                met = not any(isinstance(output, RevealDue | AnswerDue) for output in outputs)
            case _:
                met = _take(wanted, left) or not wanted.needed
        if not met:
            missing.append(wanted)
    return tuple(missing), tuple(one for one in left if must_be_expected(one, strict_reveals=strict_reveals))


def must_be_expected(output: RuleOutput, *, strict_reveals: bool) -> bool:
    """Whether a file that does not name `output` is wrong about it."""
    match output:
        case RevealDue() | AnswerDue():
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
    found = next((index for index, output in enumerate(left) if meets(wanted, output)), None)
    if found is None:
        return False
    del left[found]
    return True
