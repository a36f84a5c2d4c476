"""What a line expects against what the judge said on it."""

from collections.abc import Iterable

from pitwarden.events.outputs import Outcomes
from pitwarden.rules.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.expect import Expectation, meets, must_be_expected

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


def _take(wanted: Expectation, left: list[RuleOutput]) -> bool:
    found = next((index for index, output in enumerate(left) if meets(wanted, output)), None)
    if found is None:
        return False
    del left[found]
    return True
