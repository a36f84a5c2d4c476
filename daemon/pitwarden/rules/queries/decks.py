"""Stub arithmetic, deal progress, age of cards.

Arithmetic of the stub count (51.7(e)): what the stub should have, and how many rounds a deck went uncounted.

Whether the cards are being dealt: what 13:69F-51.12(a) and (d) void, they void only then.

How long cards have been on the table, in UTC, and how long they may be.
"""

from functools import lru_cache
from typing import Final

from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.queries.layout import cards_missing, deal_template
from pitwarden.rules.state.equipment import DeckState
from pitwarden.rules.state.state import RulesState


def expected_stub(state: RulesState) -> int | None:
    """How many cards the stub must have by the boxes that were keyed, else by the cards that left the shoe, or None.

    Where a round became void in its deal, by the cards that left the shoe.
    """
    plan = deal_template(state.setup, state.round)
    if plan is not None and state.round.over and len(state.round.dealt) < len(plan.slots):
        plan = None
    untouched = not (state.round.open or state.table.mode == "hand") or not (state.round.dealt or state.round.marks)
    if untouched and state.shoe.drawn == 0 and state.shoe.deck:
        return state.setup.profile.total
    if plan is None and (state.table.mode == "hand" or not state.shoe.drawn):
        return None
    rule = stub_rule(state)
    out = state.shoe.drawn if plan is None else len(plan.slots)
    return state.setup.profile.total - out - (rule.number("by_hand") if rule else 0)


def cards_apart(state: RulesState) -> int:
    """How many cards lie in no hand: drawn after the whole deal, and nobody's yet (51.12(a))."""
    return len(state.round.extras) + len(state.round.parked) if state.shoe.drawn else 0


def stub_agrees(state: RulesState, count: int) -> bool:
    """Whether a stub of `count` cards makes the deck whole; a card drawn in error may have been put back on it."""
    wanted = expected_stub(state)
    return wanted is not None and wanted - count in {0, cards_apart(state)}


def hands_dealt(state: RulesState) -> int:
    """How many hands a count of them names: each box's, and the dealer's where one is dealt with them."""
    return len(state.round.active) + any(one.to == "all" for one in state.setup.profile.passes)


def cards_found(state: RulesState, counts: tuple[int, ...]) -> int | None:
    """How many cards stub and hands make, with those that lie apart where they make the deck whole; None: no stub."""
    if state.round.stub is None:
        return None
    found, lying = state.round.stub + sum(counts), cards_apart(state)
    return found + lying if found + lying == state.setup.profile.total else found


def decks_in_rotation(state: RulesState) -> list[str]:
    """The decks in use at the table."""
    return [deck.ident for deck in state.decks if not deck.removed and deck.opening not in {"", "bad"}]


def stub_rule(state: RulesState) -> ClauseRule | None:
    """The stub-count clause for the way in which cards are dealt now; hand dealing has none (C-10)."""
    mode = state.table.mode
    if mode == "hand" and state.setup.policy.hand_mode_counts:
        mode = "manual_shoe"
    return state.setup.profile.rule(f"stub_{mode}")


def rounds_uncounted(state: RulesState, deck: str) -> int:
    """How many rounds, with the one that is being dealt, lie behind the deck's last count."""
    started = state.round.number if state.round.bets_closed or state.round.dealt else state.round.number - 1
    return started - state.deck(deck).verified


def deal_not_begun(state: RulesState) -> bool:
    """Whether the loaded shoe, as far as it is heard, has dealt no card of the open round, which no one ended yet."""
    played, shoe = state.round, state.present("shoe")
    silent = shoe is None or shoe.health in {"stale", "lost"} or state.table.mode == "hand" or not state.shoe.deck
    return not silent and played.open and not played.over and len(played.dealt) <= played.carried


def is_dealing(state: RulesState) -> bool:
    """Whether the initial deal of an open round, void or not, still goes on.

    Where its cards cannot be counted against the boxes (not keyed, or dealt from the hand) it goes on until the first
    decision or until the dealer's hand is shown: what is keyed after the deal proves that it has ended.
    """
    played = state.round
    if not played.open:
        return False
    short = cards_missing(state.setup, played)
    if short is None or state.table.mode == "hand":
        return not (played.decided or played.shown or played.hole_up or played.hole_held)
    return short > 0


HOUR_MS: Final = 3_600_000


def card_change_rule(state: RulesState, deck: DeckState) -> ClauseRule | None:
    """The clause that says when `deck` is changed: by how it is or was dealt, not by the game alone (G-18)."""
    due = _due(state, deck)
    return None if due is None else due[0]


def age_left_ms(state: RulesState, deck: DeckState) -> int | None:
    """Milliseconds until `deck` must be changed, negative when that is past; None when no clause says so."""
    due = _due(state, deck)
    return None if due is None else due[1] - state.utc_ms


def is_too_old(state: RulesState, deck: DeckState) -> bool:
    """Whether `deck` had to be changed by now."""
    left = age_left_ms(state, deck)
    return left is not None and left <= 0


def _due(state: RulesState, deck: DeckState) -> tuple[ClauseRule, int] | None:
    """The clause that has `deck` changed, and when, in milliseconds of UTC."""
    if deck.opened_ms is None or deck.removed:
        return None
    limit = _limit(state.setup.profile, state.table.mode == "hand" or deck.hand_dealt)
    return None if limit is None else (limit[0], deck.opened_ms + limit[1])


@lru_cache(maxsize=128)
def _limit(profile: GameProfile, hand: bool) -> tuple[ClauseRule, int] | None:  # noqa: FBT001  cache key
    """The clause on cards that are dealt so, and how many milliseconds it leaves them on the table."""
    rule = (profile.rule("card_change_hand") if hand else None) or profile.rule("card_change")
    return None if rule is None else (rule, rule.number("hours") * HOUR_MS)
