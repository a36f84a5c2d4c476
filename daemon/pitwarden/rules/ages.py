"""How long cards have been on the table, in UTC, and how long they may be."""

from functools import lru_cache
from typing import Final

from pitwarden.rules.profile.profile import Profile, Rule
from pitwarden.rules.state.equipment import Deck
from pitwarden.rules.state.state import State

HOUR_MS: Final = 3_600_000


def change_rule(state: State, deck: Deck) -> Rule | None:
    """The clause that says when `deck` is changed: by how it is or was dealt, not by the game alone (G-18)."""
    due = _due(state, deck)
    return None if due is None else due[0]


def age_left_ms(state: State, deck: Deck) -> int | None:
    """Milliseconds until `deck` must be changed, negative when that is past; None when no clause says so."""
    due = _due(state, deck)
    return None if due is None else due[1] - state.utc_ms


def too_old(state: State, deck: Deck) -> bool:
    """Whether `deck` had to be changed by now."""
    left = age_left_ms(state, deck)
    return left is not None and left <= 0


def _due(state: State, deck: Deck) -> tuple[Rule, int] | None:
    """The clause that has `deck` changed, and when, in milliseconds of UTC."""
    if deck.opened_ms is None or deck.removed:
        return None
    limit = _limit(state.setup.profile, state.table.mode == "hand" or deck.hand_dealt)
    return None if limit is None else (limit[0], deck.opened_ms + limit[1])


@lru_cache(maxsize=128)
def _limit(profile: Profile, hand: bool) -> tuple[Rule, int] | None:  # noqa: FBT001  cache key
    """The clause on cards that are dealt so, and how many milliseconds it leaves them on the table."""
    rule = (profile.rule("card_change_hand") if hand else None) or profile.rule("card_change")
    return None if rule is None else (rule, rule.number("hours") * HOUR_MS)
