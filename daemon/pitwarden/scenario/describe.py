"""An output of the judge in the words of an expectation."""

from pitwarden_client.events.card_faces import name_of
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput


def describe(output: RuleOutput) -> str:
    """`output` in the words of an expectation."""
    match output:
        case Irregularity(status="open") | Notice():
            return f"{output.catalogue} {' '.join(output.verdicts) or '(notice)'}"
        case Irregularity() | Duty():
            return f"{output.catalogue} {output.status}"
        case Refused():
            return f"refused {output.catalogue}"
        case RevealDue():
            return f"reveal {output.slot} {name_of(output.face)}"
        case AnswerDue():
            return f"answer {'bj' if output.bit else 'no'}"
        case Outcomes():
            return "; ".join(f"outcome {one.hand} {one.wager} {one.result} {one.pays}".strip() for one in output.wagers)
        case CheckFailed():
            return "check.failed"
