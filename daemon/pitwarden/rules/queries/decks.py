"""Queries about decks: arithmetic of the stub count (51.7(e)), progress of the deal, age of the cards.

The verdicts of 13:69F-51.12(a) and (d) void a round only while cards are dealt. Age is in UTC, since the limits are
stated in hours on the clock.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.queries.choices import pairs_of
from pitwarden.rules.queries.hands import is_decision_due
from pitwarden.rules.queries.layout import cards_missing, deal_template
from pitwarden.rules.queries.reader import blackjack_said
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.deck_in_hand import rotating
from pitwarden.rules.state.equipment import DeckState
from pitwarden.rules.state.phase import DEALING
from pitwarden.rules.state.state import IrregularityRecord, RulesState

STUB_ROWS: Final = ("stub_auto_shoe", "stub_manual_shoe")
"""Keys of the rows on stub counts, by the way of dealing."""

ROWS: Final = declared(__name__, reads=("card_change", "card_change_hand", *STUB_ROWS))


def expected_stub(state: RulesState) -> int | None:
    """Return how many cards the stub must hold, 13:69F-51.7(e).

    Args:
        state: State after the row that counted the stub.

    Returns:
        Number of cards, computed from the keyed boxes; from the cards drawn where no boxes are keyed or the round
        became void during its deal; None while neither is known.
    """
    plan = deal_template(state.setup, state.round)
    # A round that became void during its deal was never dealt in full: its slots do not show how many cards are out.
    if plan is not None and state.round.void and len(state.round.deal.dealt) < len(plan.slots):
        plan = None
    untouched = not (state.round.open or state.table.mode == "hand") or not (
        state.round.deal.dealt or state.round.deal.marks
    )
    if untouched and state.shoe.drawn == 0 and state.shoe.deck:
        return state.setup.profile.total
    if plan is None and (state.table.mode == "hand" or not state.shoe.drawn):
        return None
    rule = stub_rule(state)
    out = state.shoe.drawn if plan is None else len(plan.slots)
    return state.setup.profile.total - out - (rule.number("by_hand") if rule else 0)


def cards_apart(state: RulesState) -> int:
    """Return how many cards are in no hand: drawn after the complete deal, and not assigned yet (51.12(a))."""
    return len(state.round.exceptions.extras) + len(state.round.exceptions.parked) if state.shoe.drawn else 0


def stub_agrees(state: RulesState, count: int) -> bool:
    """Return whether a stub of `count` cards makes the deck complete.

    A card drawn in error may have been put back on the stub.
    """
    wanted = expected_stub(state)
    # 51.12(a): a card drawn in error lies apart, or was put back on the stub before the count.
    return wanted is not None and wanted - count in {0, cards_apart(state)}


def hands_dealt(state: RulesState) -> int:
    """Return how many hands a count of them names: each box's, and the dealer's where one is dealt with them."""
    return len(state.round.deal.active) + any(one.to == "all" for one in state.setup.profile.passes)


def cards_found(state: RulesState, counts: tuple[int, ...]) -> int | None:
    """Return how many cards the stub and the hands make, None without a count of the stub.

    Args:
        state: State with the keyed stub.
        counts: Keyed numbers of cards in the hands.

    Returns:
        Number of cards. Unassigned cards are included where they make the deck complete.
    """
    if state.round.settlement.stub is None:
        return None
    found, lying = state.round.settlement.stub + sum(counts), cards_apart(state)
    return found + lying if found + lying == state.setup.profile.total else found


def decks_in_rotation(state: RulesState) -> list[str]:
    """Return the names of the decks in use at the table."""
    return [deck.ident for deck in rotating(state.decks)]


def is_which_unknown(state: RulesState) -> bool:
    """Return whether cards are dealt from the hand with one of two decks, and nothing shows with which."""
    return state.table.mode == "hand" and not state.in_play and len(rotating(state.decks)) > 1


def stub_rule(state: RulesState) -> ClauseRule | None:
    """Return the clause on stub counts for the way in which cards are dealt now; hand dealing has none (C-10)."""
    mode = state.table.mode
    # C-10: a house may count in hand dealing as if the cards came from a shoe.
    if mode == "hand" and state.setup.policy.hand_mode_counts:
        mode = "manual_shoe"
    return None if mode == "hand" else ROWS(state, f"stub_{mode}")


def rounds_uncounted(state: RulesState, deck: str) -> int:
    """Return how many rounds, the one being dealt included, passed since the last count of `deck`."""
    started = (
        state.round.number if state.round.windows.bets_closed or state.round.deal.dealt else state.round.number - 1
    )
    return started - state.deck(deck).verified


def deal_not_begun(state: RulesState) -> bool:
    """Return whether the loaded shoe has dealt no card of the open round, as far as its events show.

    False where the shoe reports nothing: it is stale, lost or not loaded, or the cards are dealt from the hand.
    """
    played, shoe = state.round, state.present("shoe")
    silent = shoe is None or shoe.health in {"stale", "lost"} or state.table.mode == "hand" or not state.shoe.deck
    return not silent and played.live and len(played.deal.dealt) <= played.deal.carried


def is_dealing(state: RulesState) -> bool:
    """Return whether the initial deal of an open round, void or not, is still in progress after a row."""
    return state.round.course in DEALING


def removal_of(state: RulesState, deck: str) -> IrregularityRecord | None:
    """Return the open irregularity by which `deck` must leave the table, None without one."""
    return next(
        (case for case in state.cases if case.live and case.said.deck == deck and "DECK_OUT" in case.said.verdicts),
        None,
    )


def in_mid_deal(state: RulesState) -> bool:
    """Return whether cards of an open round are out and others are still to be dealt: to the deal, or to players.

    False where the end of a round is not keyed, as a deck may change places once the round is over, and while a shuffle
    is ordered: then the cards on the layout are gathered.
    """
    played = state.round
    if not played.live or played.completing or len(played.deal.dealt) <= played.deal.carried:
        return False
    if any(one.kind == "shuffled" for case in state.cases if case.live for step in case.awaits for one in step):
        return False
    short = cards_missing(state.setup, played)
    return state.setup.keyed(("kp.round_end",)) and (bool(short) or is_decision_due(played) or _is_hand_waiting(state))


def _is_hand_waiting(state: RulesState) -> bool:
    """Return whether a hand certainly waits for a decision before the first key of the play lays the hands out."""
    played = state.round
    if played.play.hands or played.play.hole_up or blackjack_said(played) or state.setup.profile.in_stacks:
        return False
    hands = tuple([PlayerHand(box, cards=cards, done=box in played.deal.single) for box, cards in pairs_of(state)])
    return is_decision_due(replace(played, play=replace(played.play, hands=hands)))


HOUR_MS: Final = 3_600_000
"""Milliseconds of an hour."""


def card_change_rule(state: RulesState, deck: DeckState) -> ClauseRule | None:
    """Return the clause that states when `deck` must be changed.

    It depends on how the deck is or was dealt, not on the game alone (G-18).
    """
    due = _due(state, deck)
    return None if due is None else due[0]


def is_too_old(state: RulesState, deck: DeckState) -> bool:
    """Return whether `deck` should have been changed by now."""
    due = _due(state, deck)
    return due is not None and due[1] <= state.utc_ms


def card_changes(state: RulesState, within_ms: int = 0) -> Sequence[tuple[DeckState, ClauseRule, int]]:
    """Return the decks that must be changed within some time, each with the clause that requires it.

    The third is the milliseconds that are left, negative once the deck is too old.
    """
    # Asked on each row: a deck younger than the game's shortest limit costs no more than this comparison.
    before = state.utc_ms + within_ms - _shortest_ms(state.setup.profile)
    old = [deck for deck in state.decks if deck.opened_ms is not None and deck.opened_ms <= before]
    if not old:
        return ()
    due = [(deck, required) for deck in old if (required := _due(state, deck)) is not None]
    left = [(deck, rule, at_ms - state.utc_ms) for deck, (rule, at_ms) in due]
    return [one for one in left if one[2] <= within_ms]


def _due(state: RulesState, deck: DeckState) -> tuple[ClauseRule, int] | None:
    """Return the clause that requires the change of `deck`, and its time in milliseconds of UTC."""
    if deck.opened_ms is None or deck.removed:
        return None
    # 13:69E-1.18(g)2: one round dealt from the hand is enough for the shorter limit.
    limit = _limit(state.setup.profile, state.table.mode == "hand" or deck.hand_dealt)
    return None if limit is None else (limit[0], deck.opened_ms + limit[1])


@lru_cache(maxsize=64)
def _shortest_ms(profile: GameProfile) -> int:
    """Return the shortest time that a deck of the game may stay on the table; 0 where no clause limits it."""
    limits = [_limit(profile, hand) for hand in (True, False)]
    return min((limit[1] for limit in limits if limit is not None), default=0)


@lru_cache(maxsize=128)
def _limit(profile: GameProfile, hand: bool) -> tuple[ClauseRule, int] | None:  # noqa: FBT001  cache key
    """Return the clause on cards that are dealt in this way, and the milliseconds that they may stay on the table."""
    rule = (ROWS.of(profile, "card_change_hand") if hand else None) or ROWS.of(profile, "card_change")
    return None if rule is None else (rule, rule.number("hours") * HOUR_MS)
