"""Whether an output of the judge is the one that a line expects."""

from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, WagerOutcome

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.expect import Expectation, weighty


def meets(wanted: Expectation, output: RuleOutput) -> bool:
    """Whether `output` is what `wanted` names."""
    match output:
        case Irregularity(status="open") | Notice():
            said = weighty(output.verdicts)
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
    """`rounds` in short, as `1-3,5`; `none` when there are none."""
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
