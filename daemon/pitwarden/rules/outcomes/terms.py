"""Terms of outcomes: the public faces, keyed wagers and amounts, and pay tables in force that an outcome rests on.

A hidden face yields no outcome. Whether the dealer's points still decide a wager (36.11(c), 26.12(c)) is derived from
public hands and keyed wagers only.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden.rules.evaluation.blackjack import HandResult, is_blackjack
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.pay_tables import PayChoice, parse_odds, pay_table_in_force
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.queries.choices import pairs_of
from pitwarden.rules.queries.hands import (
    dealer_cards,
    dealer_must_stand,
    is_completeness_unknown,
    is_decision_due,
    public_total,
)
from pitwarden.rules.queries.layout import certain_cards_of
from pitwarden.rules.queries.reader import is_play_reopened
from pitwarden.rules.state.cards import DrawnCard, PlayerHand
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.state.wagers import WagerStake
from pitwarden_client.events.card_faces import JOKER
from pitwarden_client.events.outputs import WagerOutcome

ROWS: Final = declared(__name__, reads=("attack", "moot_draw"))

KEYED: Final = ("kp.wager",)


class WagerTerms(NamedTuple):
    """Wagers of one round, and the pay tables in force."""

    profile: GameProfile
    pay: tuple[PayChoice, ...]
    wagers: tuple[str, ...]
    """Keyed wagers, such as `ib 2`; empty where none are known."""
    stakes: tuple[WagerStake, ...]

    def wagered(self, wager: str, box: int) -> bool:
        """Return whether `box` has this wager; True for every box where no wager is keyed in this round."""
        return not self.wagers or f"{wager} {box}" in self.wagers

    def outcome(self, rule: ClauseRule, hand: str, wager: str, made: HandResult, *, staked: str = "") -> WagerOutcome:
        """Return the outcome of `wager` under `rule`, with the odds in force and the amounts that were keyed.

        Args:
            rule: Row of the profile that decides it.
            hand: Hand of the wager.
            wager: Its name.
            made: Its result.
            staked: Wager whose amount is paid on; empty for the wager itself.
        """
        pays, cites = _paid(self.profile, self.pay, wager, made.line) if made.result == "win" else ("", ())
        stake = self._stake(hand, staked or wager) if self.stakes else None
        return _worded(rule, made, hand, wager, pays, cites, stake)

    def _stake(self, hand: str, wager: str) -> int | None:
        """Return the stake in cents, None when an amount was not keyed."""
        staked = [one for one in self.stakes if one.wager == wager and f"box{one.box}" == hand]
        cents = [one.cents for one in staked if one.cents is not None]
        return sum(cents) if cents and len(cents) == len(staked) else None


def wager_terms(state: RulesState) -> WagerTerms:
    """Return the terms of the round in progress."""
    setup, played = state.setup, state.round
    wagers = played.windows.wagers if played.windows.wagers and setup.keyed(KEYED) else ()
    return WagerTerms(setup.profile, setup.pay, wagers, played.windows.bets.stakes)


@lru_cache(maxsize=4096)
def _paid(profile: GameProfile, choices: tuple[PayChoice, ...], wager: str, line: str) -> tuple[str, tuple[str, ...]]:
    """Return the odds of a win by `line`, and the cites of its pay table."""
    table = pay_table_in_force(profile.pay, choices, wager)
    pays = "" if table is None else table.pays(line) or table.pays("win")
    return (pays, table.cites) if table is not None and pays else ("", ())


@lru_cache(maxsize=16_384)
def _worded(  # noqa: PLR0917  a cache key
    rule: ClauseRule, made: HandResult, hand: str, wager: str, pays: str, cites: tuple[str, ...], stake: int | None
) -> WagerOutcome:
    """Return the outcome, cached: later rows of its round need it again."""
    odds = parse_odds(pays) if made.result == "win" and stake is not None else None
    return WagerOutcome(
        hand=hand, wager=wager, result=made.result, line=made.line, pays=pays, catalogue=rule.clause,
        clauses=tuple(dict.fromkeys((*rule.cites, *cites)))[:8], basis=rule.basis, stake=stake,
        wins=None if odds is None or stake is None else int(stake * odds),
    )  # fmt: skip


def known_faces(state: RulesState, cards: Sequence[DrawnCard]) -> tuple[int, ...] | None:
    """Return the faces of `cards` when all of them are public and were read, else None."""
    public, faces = state.round.revealed, list[int]()
    for card in cards:
        if card.place not in public or not 0 <= card.face < JOKER:
            return None
        faces.append(card.face)
    return tuple(faces) or None


def turned_hand(state: RulesState, target: str) -> tuple[int, ...] | None:
    """Return the cards that `target` was dealt when all of them are face up and certain, else None."""
    cards = [draw for _, draw in certain_cards_of(state.setup, state.round, target)]
    size = state.setup.profile.cards_to(target)
    if not size:
        return ()
    return known_faces(state, cards) if len(cards) == size else None


def initial_pairs(state: RulesState) -> tuple[tuple[int, int, int], ...]:
    """Return each active box whose two initial cards are public, with their faces. They are the cards that it plays."""
    each = [(box, known_faces(state, pair)) for box, pair in pairs_of(state)]
    return tuple([(box, *faces) for box, faces in each if faces is not None and len(faces) == 2])  # noqa: PLR2004


def up_face(state: RulesState) -> tuple[int, ...] | None:
    """Return the dealer's first card that is face up, None while its slot is not certain."""
    up = [draw for slot, draw in certain_cards_of(state.setup, state.round, "dealer") if slot.up]
    return known_faces(state, up[:1])


def dealer_hand(state: RulesState) -> tuple[int, ...] | None:
    """Return the dealer's complete hand, None while the hole card is down or the dealer must draw."""
    if is_play_reopened(state.round) and is_decision_due(state.round):
        return None
    if "dealer" in state.round.unexplained and not dealer_natural(state):
        return None
    return known_faces(state, dealer_cards(state)) if state.round.play.hole_up and dealer_must_stand(state) else None


def dealer_natural(state: RulesState) -> bool | None:
    """Return whether the dealer has a blackjack, None while the hole card is down."""
    faces = known_faces(state, dealer_cards(state)[:2]) if state.round.play.hole_up else None
    return None if faces is None or len(faces) != 2 else is_blackjack(faces)  # noqa: PLR2004  up card and hole card


_LIMIT: Final = 21


def dealer_matters(state: RulesState) -> bool | None:
    """Return whether the dealer's points have an effect on the round, None while that is not known.

    Where no clause of our sources lets the dealer stop for it, the result is never False.
    """
    rule, attack, played = ROWS(state, "moot_draw"), ROWS(state, "attack"), state.round
    if attack is None or not played.play.hands or not played.live:
        return None
    # 36.11(c) applies only "if decisions have been made on all players' hands".
    if (
        is_decision_due(played)
        or played.play.asked
        or any(is_completeness_unknown(played, hand) for hand in played.play.hands)
    ):
        return None
    effects = [hand_matters(state, attack, hand) for hand in played.play.hands]
    effects.append(None if rule is None else _bonus_matters(state, rule))
    if True in effects:
        return True
    return None if None in effects else False


def hand_matters(state: RulesState, attack: ClauseRule, hand: PlayerHand) -> bool | None:
    """Return whether the dealer's points decide this hand; None where the text that states it is not in our sources."""
    bets = state.round.windows.bets
    if hand.target in bets.dead or hand.box in bets.surrendered:
        return False
    total = public_total(state.round, hand.cards)
    if total is None:
        return None
    if total.points > _LIMIT:
        return False
    if f"box{hand.box}" in state.round.unexplained:
        return None
    # A hand of 21 wins by itself only where the text states it; our sources are silent for other games.
    if total.points == _LIMIT:
        return False if attack.param("twenty_one_wins", default=False) else None
    long = attack.number("long_hand")
    return not (long and len(hand.cards) >= long)


def _bonus_matters(state: RulesState, rule: ClauseRule) -> bool | None:
    """Return whether a bonus wager that depends on the dealer's hand is live, None where no wager is keyed."""
    bonuses = rule.words("bonuses")
    if not bonuses:
        return False
    # Without keyed wagers a bonus wager may be live at any box: neither answer would be certain.
    if not (state.setup.keyed(KEYED) and state.round.windows.wagers):
        return None
    settled = {(f"box{one.box}", one.wager) for one in state.round.windows.bets.paid}
    live = [one for one in state.round.windows.bets.stakes if one.wager in bonuses]
    return any((f"box{one.box}", one.wager) not in settled for one in live)
