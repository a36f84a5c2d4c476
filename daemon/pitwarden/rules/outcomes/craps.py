"""Outcomes of a roll at craps, in the words of the published outcomes."""

from collections.abc import Iterator

from pitwarden_client.events.outputs import WagerOutcome

from pitwarden.rules.evaluation.craps import PLACED, OnLayout
from pitwarden.rules.state.state import State


def rolls(state: State) -> Iterator[WagerOutcome]:
    """The wagers that the last roll decided; the text of our sources has no odds."""
    for one in state.dice.decided:
        bet, result = one.bet, one.result
        rule = state.setup.profile.rule(bet.wager)
        if rule is not None:
            yield WagerOutcome(
                hand=f"spot{bet.spot}", wager=name_of(bet), result=result, line=f"roll_{state.dice.rolls}",
                catalogue=rule.clause, clauses=rule.cites, basis=rule.basis,
            )  # fmt: skip


def name_of(bet: OnLayout) -> str:
    """`pass`, or `place_win_6`."""
    return f"{bet.wager}_{bet.number}" if bet.wager in PLACED else bet.wager
