"""Course of a round: its phases, and the one table of the transitions between them.

A round takes its course by rows of the log. That it is void is no phase but an overlay (`RoundState.void`): it follows
from live irregularities and ends with the last of them, and the course continues below it. `moved` is the only function
that assigns `RoundState.course`, and a cause that the table does not give for a phase changes nothing. The drawing in
the documentation is generated from the table.
"""

from collections.abc import Mapping
from typing import Final, Literal

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.round import Course, RoundState

Cause = Literal[
    "begun", "bets_closed", "card_dealt", "deal_complete", "cards_missing", "no_card", "play_begun", "hands_decided",
    "hand_undecided", "dealer_shown", "ended",
]  # fmt: skip

CAUSES: Final[Mapping[Cause, str]] = {
    "begun": "boxes, a wager, a card: the first row of a round",
    "bets_closed": "the key that begins the deal, or that announces no more bets",
    "card_dealt": "a card or a stack of the deal leaves the shoe",
    "deal_complete": "each slot of the deal has its card",
    "cards_missing": "a slot of the deal has no card again: a card was a found one, or a box was added",
    "no_card": "no card is out any more: the only one was a found one or a burn card",
    "play_begun": "the key that ends the last pass of the deal, a decision, or a shown hand where no cards are counted",
    "hands_decided": "no hand waits for a decision",
    "hand_undecided": "a hand waits for a decision again",
    "dealer_shown": "the dealer's hidden cards are shown",
    "ended": "the end of the round, keyed or shown by the boxes of the next one",
}
"""Cause of a transition, in words."""

COURSES: Final[Mapping[Course, str]] = {
    "between": "no round is in progress",
    "betting": "wagers are made, no card of the deal is out",
    "closed": "bets are closed, no card of the deal is out",
    "dealing": "cards of the deal are out, and some are missing or cannot be counted",
    "dealt": "each slot of the deal has its card",
    "playing": "players decide on their hands",
    "dealer": "the hands are decided, and the dealer's hidden cards are not shown",
    "settling": "the dealer's hidden cards are shown, and wagers are settled",
}
"""Phases of a round, in words."""

TRANSITIONS: Final[Mapping[Course, Mapping[Cause, Course]]] = {
    "between": {"begun": "betting"},
    "betting": {"card_dealt": "dealing", "play_begun": "playing", "bets_closed": "closed", "ended": "between"},
    "closed": {"card_dealt": "dealing", "play_begun": "playing", "ended": "between"},
    "dealing": {"no_card": "betting", "deal_complete": "dealt", "play_begun": "playing", "ended": "between"},
    "dealt": {
        "cards_missing": "dealing", "dealer_shown": "settling", "play_begun": "playing", "ended": "between",
    },
    "playing": {
        "cards_missing": "dealing", "dealer_shown": "settling", "hands_decided": "dealer", "ended": "between",
    },
    "dealer": {
        "cards_missing": "dealing", "dealer_shown": "settling", "hand_undecided": "playing", "ended": "between",
    },
    "settling": {"cards_missing": "dealing", "ended": "between"},
}  # fmt: skip
"""Next phase by phase and cause. The signs of a phase are evaluated in this order."""

DEALING: Final[frozenset[Course]] = frozenset({"betting", "closed", "dealing"})
"""Phases in which cards of the initial deal are due."""


def moved(played: RoundState, cause: Cause) -> RoundState:
    """Return `played` in the phase to which `cause` leads; unchanged where the table has no such transition."""
    course = TRANSITIONS[played.course].get(cause)
    return played if course is None else replace(played, course=course)
