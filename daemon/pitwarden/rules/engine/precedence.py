"""When two clauses fire together: the catalogue's A9, in one place. Rules that counters obey are in the moves."""

from typing import Final

from pitwarden.rules.checks.settled_order import settled_lines
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import ClearingStep, deck_fact
from pitwarden.rules.state.state import ENDS_ROUND, Finding, RulesState
from pitwarden_client.events.outputs import Notice, Verdict

CANCELLED: Final[frozenset[Verdict]] = frozenset({"CONTINUE", "USE_NEXT", "OPTION", "BURN"})


def resolve_precedence(state: RulesState, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return `findings` of one row after A9-2 to A9-4; one without verdicts left is not published.

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
    """Return the notices of a row that a round-ending verdict of the same row leaves standing (A9-3)."""
    if not notices or not any(ENDS_ROUND & set(finding.verdicts) for finding in findings):
        return notices
    return tuple(notice for notice in notices if not set(notice.verdicts) <= CANCELLED)


MOST_LINES: Final = 8
"""Bound of the contract on the lines of `settled_before`."""


def settled_before(state: RulesState, finding: Finding) -> tuple[str, ...]:
    """Return what was settled before a verdict that ends the round, or was due by then: never clawed back (A9-12).

    More lines than the contract has are joined by box.
    """
    lines = settled_lines(state) if ENDS_ROUND & set(finding.verdicts) else ()
    if len(lines) <= MOST_LINES:
        return lines
    boxes: dict[str, list[str]] = {}
    for line in lines:
        boxes.setdefault(line.split()[0].rstrip("bcd"), []).append(line)
    return tuple(["; ".join(dict.fromkeys(of_box)) for of_box in boxes.values()])
