"""Hands: cards of the initial deal, cards that decisions request, and cards that wait for a request.

A split hand that holds an unread card may have been complete without a key (36.9(b)).
"""

from itertools import takewhile
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.queries.choices import are_pairs_known, are_steps_made, pairs_of
from pitwarden.rules.queries.hands import (
    dealer_must_stand,
    holds_unread,
    is_complete,
    is_decision_due,
    is_passed_ace,
    may_be_unrequested,
)
from pitwarden.rules.queries.layout import all_certain, cards_missing
from pitwarden.rules.queries.reader import is_reader_done
from pitwarden.rules.state.cards import DrawnCard, PlayerHand
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState, add_fact
from pitwarden_client.events.dealer_play import KpDealerDraw, KpDecision, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled
from pitwarden_client.events.inputs import InputLogged

ROWS: Final = declared(__name__, reads=("bonus_first",))

_BEHIND_A_REQUEST: Final = (KpBonusSettled, KpDealerDraw, KpDecision, KpHoleUp, KpRoundEnd)
"""Keys that come when each request has its card."""


def lay_out_hands(state: RulesState) -> RulesState:
    """Return `state` with the players' hands made of the initial deal, once it is complete.

    Where a player chooses between two pairs, the choice must be keyed at this table.
    """
    played = state.round
    if played.play.hands or cards_missing(state.setup, played) != 0 or not are_pairs_known(state):
        return state
    hands = tuple(PlayerHand(box, cards=pair, done=box in played.deal.single) for box, pair in pairs_of(state))
    return replace(state, round=replace(played, play=replace(played.play, hands=hands)))


def replace_hand(state: RulesState, hand: PlayerHand) -> RulesState:
    """Return `state` with `hand` in place of the hand of the same name."""
    hands = tuple(hand if known.target == hand.target else known for known in state.round.play.hands)
    return replace(state, round=replace(state.round, play=replace(state.round.play, hands=hands)))


def give_card(state: RulesState, target: str, card: DrawnCard) -> RulesState:
    """Return `state` with `card` added to the hand named `target`; a doubled hand is complete with it."""
    if target == "dealer":
        return replace(
            state, round=replace(state.round, play=replace(state.round.play, dealer=(*state.round.play.dealer, card)))
        )
    hands = tuple(
        replace(hand, cards=(*hand.cards, card), done=hand.doubled) if hand.target == target else hand
        for hand in state.round.play.hands
    )
    return replace(state, round=replace(state.round, play=replace(state.round.play, hands=hands)))


def remove_card(played: RoundState, card: DrawnCard) -> RoundState:
    """Return `played` with `card` removed from the deal, the hands and the unassigned cards."""
    back = {hand.box for hand in played.play.hands if hand.ace and card in hand.cards}
    hands = tuple(
        replace(
            hand,
            cards=tuple(one for one in hand.cards if one != card),
            done=hand.done and card not in hand.cards,
            passed=hand.passed and not (hand.ace and hand.box in back),
        )
        for hand in played.play.hands
    )
    return replace(
        played,
        deal=replace(played.deal, dealt=tuple(one for one in played.deal.dealt if one != card)),
        exceptions=replace(played.exceptions, extras=tuple(one for one in played.exceptions.extras if one != card)),
        play=replace(played.play, dealer=tuple(one for one in played.play.dealer if one != card), hands=hands),
    )


def request_card(state: RulesState, target: str) -> RulesState:
    """Return `state` after a request for `target`: a waiting card serves it, else the next card drawn."""
    return serve_waiting_cards(_asked_for(state, target))


def _asked_for(state: RulesState, target: str) -> RulesState:
    """Return `state` with a request for `target`, noted where its key came out of turn."""
    played = state.round
    hasty = may_be_unrequested(played) or not _in_turn(state, target)
    return replace(
        state,
        round=replace(
            played,
            play=replace(played.play, asked=(*played.play.asked, target)),
            exceptions=replace(played.exceptions, out_of_turn=hasty),
        ),
    )


def serve_waiting_cards(state: RulesState) -> RulesState:
    """Return `state` after waiting cards were dealt to requests, and split hands requested their second card."""
    while True:
        played = state.round
        if played.play.asked and played.exceptions.parked:
            card, target = played.exceptions.parked[0], played.play.asked[0]
            # No device senses that a waiting card is turned: where its key may be a mistake, or mean a card that was
            # drawn before, a card that lies face down stays sealed until a card is drawn for a later request.
            # The dealer's key is proved where the dealer's points demand a card.
            doubted = may_be_unrequested(played) or (target == "dealer" and dealer_must_stand(state) is not False)
            sure = card.exposed or not doubted
            unproved = played.exceptions.unproved if sure else played.exceptions.unproved | {card.place}
            served = replace(
                played,
                exceptions=replace(played.exceptions, parked=played.exceptions.parked[1:], unproved=unproved),
                play=replace(played.play, asked=played.play.asked[1:]),
            )
            state = replace(state, round=served)
            state = give_card(state, target, card)
            continue
        wanting = _wanting(played) or _late(played)
        if wanting is None:
            return state
        skipped = tuple(target for target in played.exceptions.skipped if target != wanting)
        state = _asked_for(
            replace(state, round=replace(played, exceptions=replace(played.exceptions, skipped=skipped))), wanting
        )


def served_late(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` with each unassigned card dealt to the hand that requested a card after it, if `entry` shows it.

    A hand that requests a card is dealt it before any of these keys, so the card that was drawn before the request is
    the one: its key was late, or the card was drawn in error and used as the next one (36.14(c)). Before such a key the
    last card may have been read twice, and the one that was requested is still to come.
    """
    data = entry.data
    shows = isinstance(data, InputLogged) and isinstance(data.act, _BEHIND_A_REQUEST)
    while shows and state.round.play.asked and state.round.exceptions.extras and all_certain(state.setup, state.round):
        played = state.round
        (target, *asked), (card, *extras) = played.play.asked, played.exceptions.extras
        kept = replace(played.exceptions, extras=tuple(extras))
        state = replace(state, round=replace(played, play=replace(played.play, asked=tuple(asked)), exceptions=kept))
        state = serve_waiting_cards(give_card(state, target, card))
    return state


def _in_turn(state: RulesState, target: str) -> bool:
    """Return whether a card for `target` is the next act of the play: a key in turn is taken as no mistake."""
    played = state.round
    if target == "dealer":
        return played.play.hole_up and not is_decision_due(played)
    box = next((hand.box for hand in played.play.hands if hand.target == target), None)
    insured = "insurance" not in played.windows.opened or "insurance" in played.windows.closed
    settled = ROWS.monitored(state, "bonus_first") is None or box in played.settlement.bonus
    earlier = takewhile(lambda hand: hand.box != box, played.play.hands)
    first = all(_is_over(played, hand) for hand in earlier) and not (played.play.hole_up or played.play.hole_held)
    return first and insured and settled and are_steps_made(state) and is_reader_done(state)


def _is_over(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether no decision of `hand` is due; a box that was skipped waits for the others (36.14(i))."""
    passed = is_complete(played, hand) or is_passed_ace(played, hand)
    return passed or hand.box in played.exceptions.refused or hand.box in played.exceptions.owed


def _wanting(played: RoundState) -> str | None:
    if 1 not in [len(hand.cards) for hand in played.play.hands]:
        return None
    # 36.14(e): a box that refused the exposed card is dealt no additional cards.
    for box in (box for box in played.deal.active if box not in played.exceptions.refused):
        for hand in (hand for hand in played.play.hands if hand.box == box):
            if (
                len(hand.cards) == 1
                and not hand.done
                and hand.target not in {*played.play.asked, *played.exceptions.skipped}
            ):
                return hand.target
            if not is_complete(played, hand) or hand.target in played.play.asked:
                break
    return None


def _late(played: RoundState) -> str | None:
    """Return a skipped hand that takes its card now that all other players have theirs (36.14(i)), None for none."""
    if not played.exceptions.skipped or played.play.asked:
        return None
    waiting = {hand.box for hand in played.play.hands if hand.target in played.exceptions.skipped}
    others = (hand for hand in played.play.hands if hand.box not in waiting)
    if not all(is_complete(played, hand) or hand.box in played.exceptions.refused for hand in others):
        return None
    wanting = (
        hand.target
        for hand in played.play.hands
        if hand.target in played.exceptions.skipped and hand.box in played.exceptions.taking
    )
    return next(wanting, None)


def deal_to_waiting_halves(state: RulesState, box: int) -> RulesState:
    """Return `state` with unassigned cards dealt to the halves of `box` that waited for a hand with an unread card."""
    while state.round.exceptions.extras:
        played = state.round
        halves = [hand for hand in played.play.hands if hand.box == box and not is_complete(played, hand)]
        if len(halves) > 1 and holds_unread(played, halves[0]) and len(halves[1].cards) == 1:
            state = replace_hand(state, replace(halves[0], passed=True))
        elif halves and len(halves[0].cards) == 1 and any(hand.passed for hand in played.play.hands if hand.box == box):
            card, state = (
                played.exceptions.extras[0],
                replace(
                    state,
                    round=replace(played, exceptions=replace(played.exceptions, extras=played.exceptions.extras[1:])),
                ),
            )
            state = give_card(add_fact(state, fact("explained")), halves[0].target, card)
        else:
            return state
    return state
