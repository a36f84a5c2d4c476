"""How long cards have been on the table, in UTC, and how long they may be."""

from typing import Final

from pitwarden.rules.parts import Deck
from pitwarden.rules.profile import Rule
from pitwarden.rules.state import State

HOUR_MS: Final = 3_600_000


def change_rule(state: State, deck: Deck) -> Rule | None:
    """The clause that says when `deck` is changed: by how it is or was dealt, not by the game alone (G-18)."""
    if deck.opened_ms is None or deck.removed:
        return None
    hand = state.table.mode == "hand" or deck.hand_dealt
    return (state.setup.profile.rule("card_change_hand") if hand else None) or state.setup.profile.rule("card_change")


def age_left_ms(state: State, deck: Deck) -> int | None:
    """Milliseconds until `deck` must be changed, negative when that is past; None when no clause says so."""
    rule = change_rule(state, deck)
    if rule is None or deck.opened_ms is None:
        return None
    return deck.opened_ms + rule.number("hours") * HOUR_MS - state.utc_ms


def too_old(state: State, deck: Deck) -> bool:
    """Whether `deck` had to be changed by now."""
    left = age_left_ms(state, deck)
    return left is not None and left <= 0
