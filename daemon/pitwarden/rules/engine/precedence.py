"""When two clauses fire together: the catalogue's A9, in one place. Rules that counters obey are in the moves."""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import ClearingStep, deck_fact
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden_client.events.outputs import Notice, Verdict

ENDS_ROUND: Final[frozenset[Verdict]] = frozenset({"VOID", "DEAD"})
CANCELLED: Final[frozenset[Verdict]] = frozenset({"CONTINUE", "USE_NEXT", "OPTION", "BURN"})


def resolve_precedence(state: RulesState, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """`findings` of one row after A9-2 to A9-4; one without verdicts left is not said.

    Where nobody tells of a shuffle, the next load of the deck shows what a shuffle that was ordered came to.
    """
    if not findings:
        return ()
    ending = any(ENDS_ROUND & set(finding.verdicts) for finding in findings)
    leaving = {finding.deck for finding in findings if "DECK_OUT" in finding.verdicts}
    leaving |= {deck.ident for deck in state.decks if deck.removed}
    told = state.tells_of_shuffles
    if told and not (ending or leaving):
        return tuple([finding for finding in findings if finding.verdicts])
    made = []
    for finding in findings:
        words, awaits = finding.verdicts, finding.awaits
        if finding.deck in leaving and "DECK_OUT" not in words and "SHUFFLE" in words:  # A9-2
            words = tuple(word for word in words if word != "SHUFFLE")
            awaits = tuple(step for step in awaits if step[0].kind != "shuffled")
        if ending and not ENDS_ROUND & set(words):  # A9-3
            words = tuple(word for word in words if word not in CANCELLED)
        if not told:
            awaits = tuple(_or_loaded(step) for step in awaits)
        if words:
            made.append(replace(finding, verdicts=words, awaits=awaits))
    return tuple(made)


def _or_loaded(step: ClearingStep) -> ClearingStep:
    """Return `step`; where it asks for a shuffle, with the next load of that deck as an alternative."""
    shuffled = [one.subject for one in step if one.kind == "shuffled"]
    return (*step, deck_fact("loaded", shuffled[-1] or "")) if shuffled else step


def remaining_notices(notices: tuple[Notice, ...], findings: tuple[Finding, ...]) -> tuple[Notice, ...]:
    """The notices of a row that a round-ending verdict of the same row leaves standing (A9-3)."""
    if not notices or not any(ENDS_ROUND & set(finding.verdicts) for finding in findings):
        return notices
    return tuple(notice for notice in notices if not set(notice.verdicts) <= CANCELLED)


def settled_before(state: RulesState, finding: Finding) -> tuple[str, ...]:
    """What was settled before a verdict that ends the round: listed, never clawed back (A9-12)."""
    return state.round.settlement.settled[-8:] if ENDS_ROUND & set(finding.verdicts) else ()
