"""Optional wagers on the first cards: suited royals, triple match, in-between; each once the cards are public."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from pitwarden.events.outputs import WagerOutcome
from pitwarden.rules.outcomes.attack import Compared
from pitwarden.rules.outcomes.spread import in_between
from pitwarden.rules.outcomes.table import outcome, pair_faces, up_face, wagered
from pitwarden.rules.outcomes.two_cards import suited_royals, triple_match
from pitwarden.rules.profile import Profile, Rule
from pitwarden.rules.state import State

_TWO: Final[dict[str, Callable[[int, int], str]]] = {"suited_royals": suited_royals}
_THREE: Final[dict[str, Callable[[int, int, int], str]]] = {"triple_match": triple_match, "ib": in_between}


def bonuses(state: State) -> Iterator[WagerOutcome]:
    """The bonus wagers of each box; those of two cards do not wait for the dealer's (36.6(f), 2.26(c))."""
    rules = _rules(state.setup.profile)
    if not rules:
        return
    up = up_face(state)
    for box in state.round.active:
        pair = pair_faces(state, box)
        if pair is None or len(pair) != 2:  # noqa: PLR2004  the initial two cards
            continue
        for rule in rules:
            made = _compared(rule.key, *pair, None if up is None else up[0])
            if made is not None and wagered(state, rule.key, box):
                yield outcome(state, rule, f"box{box}", rule.key, made)


@lru_cache(maxsize=64)
def _rules(profile: Profile) -> tuple[Rule, ...]:
    rules = (profile.rule(wager) for wager in (*_TWO, *_THREE))
    return tuple(rule for rule in rules if rule is not None)


@lru_cache(maxsize=16_384)
def _compared(wager: str, one: int, other: int, dealers: int | None) -> Compared | None:
    """What public cards make of `wager`; None where it waits for the dealer's card."""
    if wager in _TWO:
        line = _TWO[wager](one, other)
    elif dealers is None:
        return None
    else:
        line = _THREE[wager](one, other, dealers)
    return Compared("win" if line else "lose", line or "none")
