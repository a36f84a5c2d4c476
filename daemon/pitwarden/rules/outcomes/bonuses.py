"""Optional wagers on the first cards: suited royals, triple match, in-between; each once the cards are public."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from pitwarden_client.events.outputs import WagerOutcome

from pitwarden.rules.evaluation.blackjack import Compared, in_between, suited_royals, triple_match
from pitwarden.rules.outcomes.table import pairs, up_face
from pitwarden.rules.outcomes.terms import Terms
from pitwarden.rules.profile.profile import Profile, Rule
from pitwarden.rules.state.state import State

_TWO: Final[dict[str, Callable[[int, int], str]]] = {"suited_royals": suited_royals}
_THREE: Final[dict[str, Callable[[int, int, int], str]]] = {"triple_match": triple_match, "ib": in_between}


def bonuses(state: State, terms: Terms) -> Iterable[WagerOutcome]:
    """The bonus wagers of each box; those of two cards do not wait for the dealer's (36.6(f), 2.26(c))."""
    if not _rules(state.setup.profile):
        return ()
    up = up_face(state)
    return _made(terms, pairs(state), None if up is None else up[0])


@lru_cache(maxsize=1024)
def _made(terms: Terms, cards: tuple[tuple[int, int, int], ...], dealers: int | None) -> tuple[WagerOutcome, ...]:
    """Made once: on most rows that follow in the round, pairs and wagers are the same."""
    outcomes: list[WagerOutcome] = []
    for box, one, other in cards:
        for rule in _rules(terms.profile):
            line = _line(rule.key, one, other, dealers)
            if line is not None and terms.wagered(rule.key, box):
                compared = Compared("win" if line else "lose", line or "none")
                outcomes.append(terms.outcome(rule, f"box{box}", rule.key, compared))
    return tuple(outcomes)


def _line(wager: str, one: int, other: int, dealers: int | None) -> str | None:
    """The line that public cards make, empty for none; None where `wager` waits for the dealer's card."""
    if wager in _TWO:
        return _TWO[wager](one, other)
    return None if dealers is None else _THREE[wager](one, other, dealers)


@lru_cache(maxsize=64)
def _rules(profile: Profile) -> tuple[Rule, ...]:
    rules = (profile.rule(wager) for wager in (*_TWO, *_THREE))
    return tuple(rule for rule in rules if rule is not None)
