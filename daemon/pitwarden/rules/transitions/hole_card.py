"""Showing of the hole card: 19:47-36.7(h), 36.10(c), 36.11(b).

A hole card that was turned cannot be turned back, and its key may be early or pressed by mistake. The key suffices only
where nothing else can come before the card is turned. Otherwise it is held until a second key agrees with it.
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.terms import dealer_matters, hand_matters
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.queries.choices import are_steps_made
from pitwarden.rules.queries.hands import ace_may, dealer_must_stand, is_complete, is_passed_ace
from pitwarden.rules.queries.reader import (
    answer_contradicted,
    blackjack_said,
    insurance_closed,
    is_reader_done,
    up_rank,
)
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState, add_fact, add_notice
from pitwarden.rules.transitions.disclosure import disclose
from pitwarden.rules.transitions.hands import lay_out_hands
from pitwarden.rules.transitions.reader import mark_reader_unusable
from pitwarden_client.events.dealer_play import KpDealerDraw, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.inputs import InputLogged

ROWS: Final = declared(__name__, decides=("exposed_card",), reads=("attack", "bonus_first"))


def keyed(state: RulesState) -> RulesState:
    """Return `state` after the hole card was keyed as turned: shown, or held until a second key agrees."""
    state = lay_out_hands(state)
    # After a reported blackjack no player decides any more: nothing can come between the report and the turn.
    if blackjack_said(state.round) or _nothing_before(state):
        return burn_unusable(shown(state))
    return replace(state, round=replace(state.round, play=replace(state.round.play, hole_held=True)))


def shown(state: RulesState) -> RulesState:
    """Return `state` with the hole card shown, and everything published that is public by it."""
    state = lay_out_hands(state)
    state = disclose(
        replace(state, round=replace(state.round, play=replace(state.round.play, hole_up=True, hole_held=False)))
    )
    # 36.14(m): a reader that was wrong malfunctions, and what it reported settles nothing.
    state = mark_reader_unusable(state) if answer_contradicted(state) else state
    return add_fact(state, fact("hole_shown"))


def burn_unusable(state: RulesState) -> RulesState:
    """Return `state` without the exposed cards that no player takes and the dealer cannot use (36.14(e)).

    The dealer cannot use a card where the shown total stands, or where the dealer's points affect no hand (36.11(c)).
    """
    waiting = state.round.exceptions.parked
    # 36.14(e): "If the card is refused by the player and the dealer cannot use the card, the card shall be burned."
    while waiting and waiting[0].exposed and (dealer_must_stand(state) or dealer_matters(state) is False):
        card, *rest = waiting
        waiting = tuple(rest)
        spent = (*state.round.exceptions.spent, card)
        state = replace(
            state, round=replace(state.round, exceptions=replace(state.round.exceptions, parked=waiting, spent=spent))
        )
        state = add_notice(state, ROWS(state, "exposed_card"), "unusable")
    return state


def agreed(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` with a held hole card shown where the row can only come after the card was turned."""
    played = state.round
    if not played.play.hole_held or played.void or not isinstance(entry.data, InputLogged):
        return state
    act = entry.data.act
    agrees = isinstance(act, KpHoleUp | KpDealerDraw)
    # All cards are picked up at the end of the round: the hole card was turned in every world.
    if isinstance(act, KpRoundEnd):
        return shown(state)
    if agrees or (isinstance(act, KpSettled) and _by_the_dealer(state, act)):
        return burn_unusable(shown(state))
    return state


def _by_the_dealer(state: RulesState, act: KpSettled) -> bool:
    """Return whether a wager is settled that only the dealer's cards decide; others are settled before."""
    rule = ROWS(state, "attack")
    if rule is None or act.wager not in {rule.param("wager", default=""), *rule.words("also")}:
        return False
    hands = [hand for hand in state.round.play.hands if hand.box == act.box]
    return bool(hands) and all(hand_matters(state, rule, hand) is True for hand in hands)


def _nothing_before(state: RulesState) -> bool:
    """Return whether no keyed or sensed event can still come between this row and the turn of the hole card."""
    played = state.round
    decided = state.setup.keyed(("kp.decision",)) and bool(played.play.hands) and not played.play.asked
    if not decided or not all(_decided(state, hand) for hand in played.play.hands):
        return False
    if not are_steps_made(state) or not _insurance_over(state) or not _bonuses_over(state):
        return False
    return is_reader_done(state)


def _decided(state: RulesState, hand: PlayerHand) -> bool:
    """Return whether `hand` gets no more decision; a split ace that may be doubled still can."""
    played = state.round
    ace = is_passed_ace(played, hand) and not ace_may(state, "double")
    return is_complete(played, hand) or ace or hand.box in played.exceptions.refused


def _insurance_over(state: RulesState) -> bool:
    """Return whether no insurance wager is open, or still to be offered where its windows are keyed."""
    offered = "insurance" in state.setup.profile.keys.windows and up_rank(state) == "A"
    if offered and state.setup.keyed(("kp.open", "kp.close")):
        return insurance_closed(state)
    return (
        not any(window == "open insurance" for window in state.round.windows.keyed)
        or "insurance" in state.round.windows.closed
    )


def _bonuses_over(state: RulesState) -> bool:
    """Return whether the bonus wagers of each box are settled, where the game has that before play and keys it."""
    rule, played = ROWS.monitored(state, "bonus_first"), state.round
    playing = {hand.box for hand in played.play.hands if hand.target not in played.windows.bets.dead} - set(
        played.deal.single
    )
    return rule is None or set(played.settlement.bonus) >= playing
