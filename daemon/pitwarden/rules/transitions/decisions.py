"""Decisions, and choices between the deal and play.

- Steps between the deal and play: in-between wagers settled, antes collected, each hand chosen (19:47-2.26(e),
13:69F-2B.7(e), (f)). While one of them is open, the reader's answer stays hidden.
- Players' decisions: the hand that each concerns, and the cards that it requests (19:47-36.7(g), (h), 36.8, 36.9).
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import Fact, box_decided, fact
from pitwarden.rules.profile.grammar import hand_name
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.choices import choice_of, choosers, is_step_open, pair_of
from pitwarden.rules.queries.decks import deal_not_begun
from pitwarden.rules.queries.hands import HALVES, ace_may, are_aces, is_complete, most_hands, recent_extra, same_value
from pitwarden.rules.queries.layout import all_certain, all_dealt, regular
from pitwarden.rules.queries.retractable import key_of
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input
from pitwarden.rules.transitions.hands import (
    deal_to_waiting_halves,
    give_card,
    lay_out_hands,
    replace_hand,
    request_card,
    serve_waiting_cards,
)
from pitwarden.rules.transitions.hole_card import burn_unusable
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpChoice, KpDealerDraw, KpDealt, KpDecision
from pitwarden_client.events.dealer_wagers import KpAntesCollected, KpIbSettled

ROWS: Final = declared(
    __name__,
    decides=(
        "antes_collected", "choices", "exposed_card", "fold", "ib_settled", "player_draw", "positions", "split",
        "split_ace",
    ),
)  # fmt: skip


def apply_choice(state: RulesState, act: DealerAct) -> RulesState:
    """Return `state` after a key of a step between the deal and play; unchanged after other keys."""
    match act:
        case KpIbSettled():
            return _done(state, fact("ib_settled"))
        case KpAntesCollected():
            return _done(state, fact("antes_collected"))
        case KpChoice():
            return _chosen(state, act)
        case _:
            return state


def _done(state: RulesState, done: Fact) -> RulesState:
    rule = ROWS(state, done.kind)
    if rule is None:
        return refuse_input(state, refusal("no_such_step", game=state.setup.profile.title))
    if not state.round.open:
        return refuse_input(state, refusal("no_round"), rule)
    if deal_not_begun(state):
        return refuse_input(state, refusal("step_before_the_deal"), rule)
    return add_fact(
        replace(
            state,
            round=replace(
                state.round, windows=replace(state.round.windows, steps=(*state.round.windows.steps, done.kind))
            ),
        ),
        done,
    )


def _chosen(state: RulesState, act: KpChoice) -> RulesState:
    played = state.round
    if ROWS(state, "choices") is None:
        return refuse_input(state, refusal("no_choice_of_hands", game=state.setup.profile.title))
    if not played.open or (played.deal.boxes and act.box not in played.deal.active):
        return refuse_input(state, refusal("no_hand", box=act.box), ROWS(state, "choices"))
    if deal_not_begun(state):
        return refuse_input(state, refusal("choice_before_the_deal"), ROWS(state, "choices"))
    if choice_of(state, act.box) is not None and state.setup.keyed(("kp.round_end",)):
        row = key_of(state, act.act, act.box)
        reason = refusal("chosen_already", box=act.box) if row is None else refusal("chosen_by", box=act.box, row=row)
        return refuse_input(state, reason, ROWS(state, "choices"))
    others = tuple(made for made in played.windows.choices if made[0] != act.box)
    doubt = played.exceptions.choice_doubt or not _in_turn(state, act)
    state = replace(
        state,
        round=replace(
            played,
            windows=replace(played.windows, choices=(*others, (act.box, act.choice))),
            play=played.play.with_key(f"{act.act} {act.box}", state.number),
            exceptions=replace(played.exceptions, choice_doubt=doubt),
        ),
    )
    state = _played_anew(state, act.box)
    return state if is_step_open(state, "choices") else add_fact(state, fact("all_chosen"))


def _in_turn(state: RulesState, act: KpChoice) -> bool:
    """Return whether this choice is due now: the deal is complete, and all boxes before this one have chosen."""
    due = next((box for box in choosers(state) if choice_of(state, box) is None), None)
    return due == act.box and not is_step_open(state, "antes_collected") and all_dealt(state.setup, state.round)


def _played_anew(state: RulesState, box: int) -> RulesState:
    """Return `state` after a choice that was keyed once play began.

    The hand becomes the chosen pair, unless cards were drawn to it already.
    """
    hands = tuple(
        replace(hand, cards=pair_of(state, box)) if (hand.box, hand.half, len(hand.cards)) == (box, "", 2) else hand
        for hand in state.round.play.hands
    )
    return replace(state, round=replace(state.round, play=replace(state.round.play, hands=hands)))


_WHOLE: Final = frozenset({"play", "fold"})
"""Decisions on a complete hand, which draws no card."""


def apply_decision(state: RulesState, act: DealerAct) -> RulesState:
    """Return `state` after a player's decision, or after the dealer announced a card for the dealer's hand."""
    if state.now.refused is not None:
        return state
    match act:
        case KpDecision():
            return _decision(state, act)
        case KpDealerDraw():
            return _wanted(lay_out_hands(state), "dealer")
        case _:
            return apply_choice(state, act)


def _decision(state: RulesState, act: KpDecision) -> RulesState:
    played = state.round
    if not played.open or (played.deal.boxes and act.box not in played.deal.active):
        return refuse_input(state, refusal("no_hand", box=act.box), ROWS(state, "positions"))
    if act.decision in _WHOLE:
        if act.box in played.play.decided and "dealer" in played.play.shown:
            return refuse_input(state, refusal("decided_before", box=act.box), ROWS(state, "fold"))
        # A second key for the same box corrects the first.
        folded = tuple(box for box in played.play.folded if box != act.box)
        folded = (*folded, act.box) if act.decision == "fold" else folded
        decided = (*(box for box in played.play.decided if box != act.box), act.box)
        return add_fact(
            replace(state, round=replace(played, play=replace(played.play, decided=decided, folded=folded))),
            box_decided(act.box),
        )
    if played.void:
        return replace(state, round=played.with_aside(act))
    state = lay_out_hands(state)
    if not state.round.play.hands:
        return state
    if act.box in state.round.exceptions.refused and act.decision != "stand":
        return refuse_input(state, refusal("exposed_card_refused", box=act.box), ROWS(state, "exposed_card"))
    if act.decision == "stand" or recent_extra(state) is None:
        state = deal_to_waiting_halves(state, act.box)
    hand = next(
        (one for one in state.round.play.hands if one.box == act.box and not is_complete(state.round, one)), None
    )
    if hand is None:
        row = key_of(state, act.act, act.box)
        reason = refusal("hand_complete", box=act.box) if row is None else refusal("complete_by", box=act.box, row=row)
        return refuse_input(state, reason, ROWS(state, "player_draw"))
    return _decided(state, act, hand)


def _decided(state: RulesState, act: KpDecision, hand: PlayerHand) -> RulesState:
    play = replace(state.round.play, played_on=True)
    made = _played(replace(state, round=replace(state.round, play=play)), act, hand)
    if made.now.refused is None:
        play = made.round.play.with_key(f"{act.act} {act.box}", made.number)
        made = replace(made, round=replace(made.round, play=play))
    # World: the deal is not done, this key is the mistake, and the next card is drawn in error.
    drew = act.decision in {"hit", "double", "split"} and made.now.refused is None
    if drew and not state.round.play.played_on and _is_deal_open(state):
        return replace(made, round=replace(made.round, exceptions=replace(made.round.exceptions, out_of_turn=True)))
    return made


def _is_deal_open(state: RulesState) -> bool:
    """Return whether the key that completes the deal is missing, at a table and in a round that has it."""
    due = "kp.dealt" in state.setup.profile.keys.acts and state.setup.keyed((KpDealt().act,))
    return due and state.round.deal.laid < 0 and regular(state.setup, state.round)


def _played(state: RulesState, act: KpDecision, hand: PlayerHand) -> RulesState:
    if _lies_there(state, hand):
        return _decision(_taken(state, hand.target), act)
    if hand.target in {*state.round.play.asked, *state.round.exceptions.skipped}:
        row, name = key_of(state, act.act, hand.box), hand_name(hand.target)
        reason = refusal("card_still_due", hand=name) if row is None else refusal("due_since", hand=name, row=row)
        return refuse_input(state, reason, ROWS(state, "player_draw"))
    if hand.ace and (act.decision == "hit" or (act.decision == "double" and not ace_may(state, "double"))):
        if ace_may(state, "double"):
            return refuse_input(
                state, refusal("split_ace_or_double", hand=hand_name(hand.target)), ROWS(state, "split_ace")
            )
        return refuse_input(state, refusal("split_ace", hand=hand_name(hand.target)), ROWS(state, "split_ace"))
    match act.decision:
        case "surrender":
            bets = replace(state.round.windows.bets, surrendered=(*state.round.windows.bets.surrendered, hand.box))
            state = replace(state, round=replace(state.round, windows=replace(state.round.windows, bets=bets)))
            return serve_waiting_cards(replace_hand(state, replace(hand, done=True)))
        case "hit":
            return _wanted(state, hand.target)
        case "double":
            return _wanted(replace_hand(state, replace(hand, doubled=True)), hand.target)
        case "split":
            return _split(state, hand)
        case _:
            return burn_unusable(serve_waiting_cards(replace_hand(state, replace(hand, done=True))))


def _lies_there(state: RulesState, hand: PlayerHand) -> bool:
    """Return whether `hand` requested a card, and an unassigned one is out while no place is certain.

    World: it is the card of this hand, and its key came after it. The next decision of the hand shows that it has it.
    """
    played = state.round
    requested = hand.target in played.play.asked and bool(played.exceptions.extras)
    return requested and not all_certain(state.setup, played)


def _taken(state: RulesState, target: str) -> RulesState:
    """Return `state` with the oldest unassigned card dealt to `target`, which requested one."""
    played = state.round
    card, *extras = played.exceptions.extras
    asked = list(played.play.asked)
    asked.remove(target)
    doubtful = played.exceptions.doubtful | {card.place}
    kept = replace(played.exceptions, extras=tuple(extras), doubtful=doubtful)
    made = replace(played, play=replace(played.play, asked=tuple(asked)), exceptions=kept)
    return give_card(add_fact(replace(state, round=made), fact("explained")), target, card)


def _wanted(state: RulesState, target: str) -> RulesState:
    card = recent_extra(state)
    if card is None:
        return request_card(state, target)
    played = state.round
    extras = tuple(extra for extra in played.exceptions.extras if extra != card)
    # World: this key is the mistake, and the card was drawn in error.
    made = replace(
        played, exceptions=replace(played.exceptions, extras=extras, doubtful=played.exceptions.doubtful | {card.place})
    )
    return serve_waiting_cards(give_card(add_fact(replace(state, round=made), fact("explained")), target, card))


def _split(state: RulesState, hand: PlayerHand) -> RulesState:
    of_box = [one for one in state.round.play.hands if one.box == hand.box]
    most, again = most_hands(state), ace_may(state, "again")
    if len(of_box) >= most or len(hand.cards) != 2 or same_value(state.round, hand) is False:  # noqa: PLR2004  a pair
        return refuse_input(state, refusal("no_split", hand=hand_name(hand.target), most=most), ROWS(state, "split"))
    if hand.ace and not again:
        return refuse_input(state, refusal("aces_split_once", hand=hand_name(hand.target)), ROWS(state, "split_ace"))
    ace = are_aces(state.round, hand)
    first = replace(hand, cards=hand.cards[:1], ace=ace)
    other = PlayerHand(hand.box, HALVES[len(of_box)], hand.cards[1:], ace=ace)
    hands: list[PlayerHand] = []
    for one in state.round.play.hands:
        hands += [first, other] if one.target == hand.target else [one]
    return serve_waiting_cards(
        replace(state, round=replace(state.round, play=replace(state.round.play, hands=tuple(hands))))
    )
