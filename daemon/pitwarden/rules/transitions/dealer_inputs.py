"""Dealer inputs on the course of a round.

Craps: dice, wagers and their settlement as they are keyed (19:47-1.2(a)).

What the dealer keyed about the course of the round: boxes, windows, reveals, the end, counts, mode, shuffles.
"""

from pitwarden.rules.evaluation.craps import AFTER_COME_OUT, FROM_COME_OUT, PLACED, CrapsWager, apply_roll
from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.decks import stub_agrees
from pitwarden.rules.queries.hands import dealer_must_stand, stays_face_down
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.state import RulesState, add_fact, add_notice, refuse_input, replace_deck
from pitwarden.rules.transitions import decisions, irregularity_inputs, shuffler, wagers
from pitwarden.rules.transitions.disclosure import disclose
from pitwarden.rules.transitions.draws import are_rounds_keyed, begin_round, mark_hand_dealt, reveal_cards
from pitwarden.rules.transitions.hands import lay_out_hands
from pitwarden.rules.transitions.round import admit_box, apply_boxes, end_round
from pitwarden_client.events.dealer import (
    DealerAct,
    KpAdmit,
    KpBonusSettled,
    KpBoxes,
    KpBurnRequest,
    KpClose,
    KpCollected,
    KpCut,
    KpDeal,
    KpDealer,
    KpDealerDraw,
    KpDealerReveal,
    KpDecision,
    KpDice,
    KpDiceSettled,
    KpDiceWager,
    KpExposedInMix,
    KpHands,
    KpHoleUp,
    KpIdleSpread,
    KpInsuranceSettled,
    KpManualShuffle,
    KpMixed,
    KpMode,
    KpNoMoreBets,
    KpOpen,
    KpReveal,
    KpRoundEnd,
    KpSettled,
    KpSpreadRequest,
    KpStub,
    KpWager,
    Window,
)

DiceAct = KpDice | KpDiceWager | KpDiceSettled


def apply_dice_input(state: RulesState, act: DiceAct) -> RulesState:
    """`state` after one of these keys, which only a game with dice has."""
    match act:
        case KpDice():
            return _rolled(state, act)
        case KpDiceWager():
            return _placed(state, act)
        case _:
            return state


def _rolled(state: RulesState, act: KpDice) -> RulesState:
    faces = [face for face in (act.first, act.second) if face is not None]
    if faces and (len(faces) != 2 or sum(faces) != act.total):  # noqa: PLR2004  two dice
        return refuse_input(state, f"The dice do not make {act.total}: key both, or the total alone.", "come_out")
    hard = faces[0] == faces[1] if faces else None
    active = state.setup.policy.place_lose_on_comeout
    return replace(state, dice=apply_roll(state.dice, act.total, hard=hard, place_lose_on_comeout=active))


def _placed(state: RulesState, act: KpDiceWager) -> RulesState:
    point = state.dice.point
    if act.wager in FROM_COME_OUT and point:
        return refuse_input(state, "This wager is placed immediately before the come out roll.", act.wager)
    if act.wager in AFTER_COME_OUT and not point:
        return refuse_input(state, "This wager is placed after the come out roll.", act.wager)
    if (act.wager in PLACED) is (act.number is None):
        text = "A place bet is on 4, 5, 6, 8, 9 or 10." if act.wager in PLACED else "This wager is on no number."
        return refuse_input(state, text, act.wager)
    bet = CrapsWager(act.wager, act.spot, act.number or 0, on=act.on)
    kept = tuple(
        one for one in state.dice.wagers if (one.wager, one.spot, one.number) != (bet.wager, bet.spot, bet.number)
    )  # a wager keyed again is raised, or called on or off
    return replace(state, dice=replace(state.dice, wagers=(*kept, bet)))


def apply_dealer_input(state: RulesState, act: DealerAct) -> RulesState:  # noqa: C901, PLR0912  one line per key: a dispatch
    """`state` after a key."""
    match act:
        case KpDecision() | KpDealerDraw():
            return decisions.apply_decision(state, act)
        case KpBoxes():
            return apply_boxes(state, act)
        case KpDeal() | KpNoMoreBets():
            state = begin_round(state)
            return add_fact(replace(state, round=replace(state.round, bets_closed=True)), "bets_closed")
        case KpOpen():
            return _open(state, act.window)
        case KpClose():
            return replace(state, round=replace(state.round, closed=(*state.round.closed, act.window)))
        case KpWager():
            return wagers.apply_wager(state, act)
        case KpBonusSettled():
            return _bonus(state, act.box)
        case KpSettled():
            return wagers.apply_settlement(state, act)
        case KpInsuranceSettled():
            settled = (*state.round.settled, "insurance")
            return replace(state, round=replace(state.round, insurance_settled=True, settled=settled))
        case KpHoleUp():
            return _hole_up(state)
        case KpReveal():
            return _reveal(state, act.box)
        case KpDealerReveal():
            return replace(state, round=replace(state.round, shown=(*state.round.shown, "dealer")))
        case KpRoundEnd():
            return end_round(state)
        case KpCollected():
            return _collected(state, act.deck)
        case KpStub():
            return _stub(state, act.count)
        case KpHands():
            return add_fact(replace(state, round=replace(state.round, counts=act.counts)), "hands")
        case KpManualShuffle():
            return shuffler.shuffle_by_hand(state, act.deck)
        case KpCut():
            deck = state.deck(shuffler.deck_for_cut(state))
            return add_fact(replace_deck(state, replace(deck, cut=True)), "cut")
        case KpIdleSpread() | KpSpreadRequest() | KpExposedInMix() | KpMixed():
            return shuffler.apply_idle_input(state, act)
        case KpBurnRequest():
            return state if state.shoe.burn is None else reveal_cards(state, [(state.shoe.burn, "burn")])
        case KpDealer():
            return _dealer(state, act.dealer)
        case KpDice() | KpDiceWager() | KpDiceSettled():
            return apply_dice_input(state, act)
        case KpAdmit():
            return admit_box(state, act.box)
        case KpMode():
            return add_fact(
                mark_hand_dealt(replace(state, table=replace(state.table, mode=act.mode))), "mode", f"mode:{act.mode}"
            )
        case _:
            return decisions.apply_decision(irregularity_inputs.apply_irregularity_input(state, act), act)


def _stub(state: RulesState, count: int) -> RulesState:
    state = add_fact(replace(state, round=replace(state.round, stub=count)), "stub")
    deck = state.round.deck or state.shoe.deck
    if not stub_agrees(state, count):
        return state
    state = replace_deck(state, replace(state.deck(deck), verified=state.round.number))
    text = f"The stub has {count} cards: deck {deck} is whole."
    return add_notice(add_fact(state, f"counted:{deck}"), "stub_right", "right", text)


def _open(state: RulesState, window: Window) -> RulesState:
    if window == "insurance" and up_rank(state) not in {"A", None}:
        return refuse_input(state, "Insurance is offered when the dealer's first card is an ace.", "insurance_first")
    return replace(state, round=replace(state.round, opened=(*state.round.opened, window)))


def _collected(state: RulesState, ident: str) -> RulesState:
    known = {deck.ident for deck in state.decks} | {deck.ident for deck in state.setup.decks}
    if ident not in known:
        return refuse_input(state, f"There is no deck {ident} at this table: key the one that was collected.", "rack")
    if all(device.deck != ident for device in state.devices):  # else it went on to the shuffler before the key
        state = replace(state, table=replace(state.table, rack=ident))
    return add_fact(state, f"collected:{ident}")


def _without_hand(state: RulesState, box: int) -> bool:
    """Whether `box` has no hand in this round, as far as the boxes are keyed."""
    return not state.round.open or (bool(state.round.boxes) and box not in state.round.active)


def _bonus(state: RulesState, box: int) -> RulesState:
    if _without_hand(state, box):
        return refuse_input(state, f"Box {box} has no hand in this round.", "positions")
    state = lay_out_hands(state)
    played = state.round
    settled = (*played.settled, f"box{box} bonus")
    return replace(state, round=replace(played, bonus=(*played.bonus, box), settled=settled))


def _hole_up(state: RulesState) -> RulesState:
    state = lay_out_hands(state)
    state = disclose(replace(state, round=replace(state.round, hole_up=True)))
    waiting = state.round.parked
    while waiting and waiting[0].exposed and dealer_must_stand(state):
        waiting = waiting[1:]
        state = add_notice(state, "exposed_card", "unusable", "Nobody can use the exposed card: burn it.")
    return add_fact(replace(state, round=replace(state.round, parked=waiting)), "hole_up")


def _reveal(state: RulesState, box: int) -> RulesState:
    played = state.round
    if _without_hand(state, box):
        return refuse_input(state, f"Box {box} has no hand in this round.", "positions")
    if stays_face_down(state, box):
        return refuse_input(state, f"Box {box} folded without a bonus wager: its cards stay face down.", "fold")
    return replace(state, round=replace(played, shown=(*played.shown, f"box{box}")))


def _dealer(state: RulesState, dealer: str) -> RulesState:
    if dealer == state.table.dealer:
        return state
    if _burned_before(state):
        card, played = state.round.dealt[-1], state.round
        shoe = replace(state.shoe, burn=card, last_fate="burn")
        state = replace(state, round=replace(played, dealt=played.dealt[:-1]), shoe=shoe)
        return add_fact(replace(state, table=replace(state.table, dealer=dealer)), "dealer", "burned")
    new = state.setup.burns and not (state.shoe.burn_due and state.shoe.drawn == 0)
    shoe = replace(state.shoe, burn_due=state.shoe.burn_due or (new and state.table.dealer != "") or new)
    return add_fact(replace(state, table=replace(state.table, dealer=dealer), shoe=shoe), "dealer")


def _burned_before(state: RulesState) -> bool:
    """Whether the card that began the round was the new dealer's burn card: nothing was keyed for the round yet."""
    played = state.round
    unkeyed = not (played.boxes or played.bets_closed or played.wagers or played.closed)
    lone = played.open and not played.over and len(played.dealt) == played.carried + 1
    return state.setup.burns and lone and unkeyed and are_rounds_keyed(state.setup)
