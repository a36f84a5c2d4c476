"""Players' decisions: which hand they are for, and which cards they ask for (19:47-36.7(g), (h), 36.8, 36.9)."""

from typing import Final

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpDealerDraw, KpDecision

from pitwarden.rules.copying import replace
from pitwarden.rules.moves import choices
from pitwarden.rules.moves.passed import passed_over
from pitwarden.rules.moves.serving import ask, give, laid_out, put_hand, served
from pitwarden.rules.queries.hands import HALVES, ace_may, are_aces, complete, most_hands, recent_extra, same_value
from pitwarden.rules.state.round import Hand
from pitwarden.rules.state.state import State, refuse, say

_WHOLE: Final = frozenset({"play", "fold"})


def moved(state: State, act: DealerAct) -> State:
    """`state` after a decision, or after the dealer announced a card for the dealer's hand."""
    if state.now.refused is not None:
        return state
    match act:
        case KpDecision():
            return _decision(state, act)
        case KpDealerDraw():
            return _wanted(laid_out(state), "dealer")
        case _:
            return choices.apply_choice(state, act)


def _decision(state: State, act: KpDecision) -> State:
    played = state.round
    if not played.open or (played.boxes and act.box not in played.active):
        return refuse(state, f"Box {act.box} has no hand in this round.", "positions")
    if act.decision in _WHOLE:
        if act.box in played.decided and "dealer" in played.shown:
            return refuse(state, f"Box {act.box} decided before the dealer's hand was turned.", "fold")
        folded = tuple(box for box in played.folded if box != act.box)  # a key that corrects the one before it
        folded = (*folded, act.box) if act.decision == "fold" else folded
        decided = (*(box for box in played.decided if box != act.box), act.box)
        return say(replace(state, round=replace(played, decided=decided, folded=folded)), f"decided:{act.box}")
    if played.over:
        return state
    state = laid_out(state)
    if not state.round.hands:
        return state
    if act.box in state.round.refused and act.decision != "stand":
        return refuse(state, f"Box {act.box} refused the exposed card: no more cards this round.", "exposed_card")
    if act.decision == "stand" or recent_extra(state) is None:
        state = passed_over(state, act.box)
    hand = next((one for one in state.round.hands if one.box == act.box and not complete(state.round, one)), None)
    if hand is None:
        return refuse(state, f"Box {act.box} gets no more cards: its hand is complete.", "player_draw")
    return _decided(state, act, hand)


def _decided(state: State, act: KpDecision, hand: Hand) -> State:
    if hand.target in {*state.round.asked, *state.round.skipped}:
        return refuse(state, f"{hand.target} still waits for the card that it asked for.", "player_draw")
    if hand.ace and (act.decision == "hit" or (act.decision == "double" and not ace_may(state, "double"))):
        more = ", or a double" if ace_may(state, "double") else ""
        return refuse(state, f"{hand.target} is a split ace: one card{more}.", "split_ace")
    match act.decision:
        case "surrender":
            bets = replace(state.round.bets, surrendered=(*state.round.bets.surrendered, hand.box))
            state = replace(state, round=replace(state.round, bets=bets))
            return served(put_hand(state, replace(hand, done=True)))
        case "hit":
            return _wanted(state, hand.target)
        case "double":
            return _wanted(put_hand(state, replace(hand, doubled=True)), hand.target)
        case "split":
            return _split(state, hand)
        case _:
            return served(put_hand(state, replace(hand, done=True)))


def _wanted(state: State, target: str) -> State:
    card = recent_extra(state)
    if card is None:
        return ask(state, target)
    extras = tuple(extra for extra in state.round.extras if extra != card)
    return served(give(say(replace(state, round=replace(state.round, extras=extras)), "explained"), target, card))


def _split(state: State, hand: Hand) -> State:
    of_box = [one for one in state.round.hands if one.box == hand.box]
    most, again = most_hands(state), ace_may(state, "again")
    if len(of_box) >= most or len(hand.cards) != 2 or same_value(state.round, hand) is False:  # noqa: PLR2004  a pair
        text = f"{hand.target} may not be split: two cards of equal value, {most} hands at most."
        return refuse(state, text, "split")
    if hand.ace and not again:
        return refuse(state, f"{hand.target} is a split ace: aces are split once.", "split_ace")
    ace = are_aces(state.round, hand)
    first = replace(hand, cards=hand.cards[:1], ace=ace)
    other = Hand(hand.box, HALVES[len(of_box)], hand.cards[1:], ace=ace)
    hands: list[Hand] = []
    for one in state.round.hands:
        hands += [first, other] if one.target == hand.target else [one]
    return served(replace(state, round=replace(state.round, hands=tuple(hands))))
