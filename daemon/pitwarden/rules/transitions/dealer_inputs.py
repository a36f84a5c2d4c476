"""Dealer inputs on the course of a round: boxes, windows, reveals, the end, counts, the way of dealing, shuffles, dice.

Craps: rolls and wagers as they are keyed (19:47-1.2(a)).
"""

from typing import Final

from pitwarden.rules.evaluation.craps import (
    AFTER_COME_OUT,
    FROM_COME_OUT,
    HARD_TOTAL,
    PLACED,
    CrapsWager,
    apply_roll,
    read_dice,
    settle_unread,
)
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import deck_fact, fact, mode_keyed
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.decks import cards_found, stub_agrees
from pitwarden.rules.queries.hands import stays_face_down
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.state import RulesState, add_fact, add_notice, refuse_input, replace_deck
from pitwarden.rules.transitions import (
    burn_card,
    deal_completion,
    decisions,
    hole_card,
    irregularity_inputs,
    shuffler,
    wagers,
)
from pitwarden.rules.transitions.draws import begin_round, mark_hand_dealt
from pitwarden.rules.transitions.hand_decks import name_deck, settle_deck, take_in_hand
from pitwarden.rules.transitions.hands import lay_out_hands
from pitwarden.rules.transitions.round import admit_box, apply_boxes, end_round
from pitwarden.rules.transitions.turned_cards import dealers_hand_shown
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_cards import (
    KpAdmit,
    KpBurnRequest,
    KpCut,
    KpExposedInMix,
    KpHands,
    KpIdleSpread,
    KpManualShuffle,
    KpMixed,
    KpMode,
    KpStub,
)
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpDeal,
    KpDealer,
    KpDealerDraw,
    KpDealerReveal,
    KpDealt,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
    KpSpreadRequest,
)
from pitwarden_client.events.dealer_wagers import (
    KpBonusSettled,
    KpClose,
    KpCollected,
    KpDice,
    KpDiceSettled,
    KpDiceWager,
    KpInsuranceSettled,
    KpNoMoreBets,
    KpOpen,
    KpSettled,
    KpWager,
    Window,
)

ROWS: Final = declared(
    __name__,
    decides=(
        "come", "come_out", "dont_come", "dont_pass", "fold", "four_hard", "insurance_first", "pass", "place_lose",
        "place_win", "positions", "rack", "stub_right",
    ),
)  # fmt: skip

DiceAct = KpDice | KpDiceWager | KpDiceSettled


def apply_dice_input(state: RulesState, act: DiceAct) -> RulesState:
    """Return `state` after a key of a game with dice."""
    match act:
        case KpDice():
            return _rolled(state, act)
        case KpDiceWager():
            return _placed(state, act)
        case _:
            return replace(state, dice=settle_unread(state.dice, act.wager, act.spot))


def _rolled(state: RulesState, act: KpDice) -> RulesState:
    faces = [face for face in (act.first, act.second) if face is not None]
    if faces and (len(faces) != 2 or sum(faces) != act.total):  # noqa: PLR2004  two dice
        return refuse_input(state, refusal("dice_differ", count=act.total), ROWS(state, "come_out"))
    hard = faces[0] == faces[1] if faces else None
    # A table that keys totals keys the dice when it is asked for them: they are those of the roll before.
    if hard is not None and act.total == HARD_TOTAL and state.dice.asks:
        return add_notice(replace(state, dice=read_dice(state.dice, hard=hard)), ROWS(state, "four_hard"), "read")
    active = state.setup.policy.place_lose_on_comeout
    made = replace(state, dice=apply_roll(state.dice, act.total, hard=hard, place_lose_on_comeout=active))
    return add_notice(made, ROWS(state, "four_hard"), "unread") if made.dice.asks else made


def _placed(state: RulesState, act: KpDiceWager) -> RulesState:
    point = state.dice.point
    if act.wager in FROM_COME_OUT and point:
        return refuse_input(state, refusal("before_the_come_out"), ROWS(state, act.wager))
    if act.wager in AFTER_COME_OUT and not point:
        return refuse_input(state, refusal("after_the_come_out"), ROWS(state, act.wager))
    if (act.wager in PLACED) is (act.number is None):
        reason = refusal("place_bet_number") if act.wager in PLACED else refusal("no_number")
        return refuse_input(state, reason, ROWS(state, act.wager))
    bet = CrapsWager(act.wager, act.spot, act.number or 0, on=act.on)
    # A wager that is keyed again is raised, or called on or off.
    kept = tuple(
        one for one in state.dice.wagers if (one.wager, one.spot, one.number) != (bet.wager, bet.spot, bet.number)
    )
    return replace(state, dice=replace(state.dice, wagers=(*kept, bet)))


def apply_dealer_input(state: RulesState, act: DealerAct) -> RulesState:  # noqa: C901, PLR0912  one line per key: a dispatch
    """Return `state` after a dealer input that `input_refusal` accepted."""
    match act:
        case KpDecision() | KpDealerDraw():
            return decisions.apply_decision(state, act)
        case KpBoxes():
            return apply_boxes(state, act)
        case KpDeal() | KpNoMoreBets():
            state = take_in_hand(begin_round(state))
            return add_fact(
                replace(state, round=replace(state.round, windows=replace(state.round.windows, bets_closed=True))),
                fact("bets_closed"),
            )
        case KpOpen():
            return _open(state, act.window)
        case KpClose():
            return replace(
                state,
                round=replace(
                    state.round,
                    windows=replace(state.round.windows, keyed=(*state.round.windows.keyed, f"close {act.window}")),
                ),
            )
        case KpWager():
            return wagers.apply_wager(state, act)
        case KpBonusSettled():
            return _bonus(state, act.box)
        case KpSettled():
            return wagers.apply_settlement(state, act)
        case KpInsuranceSettled():
            settled = (*state.round.settlement.settled, "insurance")
            return replace(
                state,
                round=replace(
                    state.round, settlement=replace(state.round.settlement, insurance_settled=True, settled=settled)
                ),
            )
        case KpDealt():
            return deal_completion.keyed(state)
        case KpHoleUp():
            return hole_card.keyed(state)
        case KpReveal():
            return _reveal(state, act.box)
        case KpDealerReveal():
            return dealers_hand_shown(
                replace(
                    state,
                    round=replace(
                        state.round, play=replace(state.round.play, shown=(*state.round.play.shown, "dealer"))
                    ),
                )
            )
        case KpRoundEnd():
            return end_round(state)
        case KpCollected():
            return _collected(state, act.deck)
        case KpStub():
            return _stub(state, act.count)
        case KpHands():
            settlement = replace(state.round.settlement, counts=act.counts)
            return _counted_with_hands(
                add_fact(replace(state, round=replace(state.round, settlement=settlement)), fact("hands"))
            )
        case KpManualShuffle():
            return shuffler.shuffle_by_hand(state, act.deck)
        case KpCut():
            deck = state.deck(shuffler.deck_for_cut(state))
            return add_fact(replace_deck(state, replace(deck, cut=True)), fact("cut"))
        case KpIdleSpread() | KpSpreadRequest() | KpExposedInMix() | KpMixed():
            return shuffler.apply_idle_input(state, act)
        case KpBurnRequest():
            return burn_card.asked(state)
        case KpDealer():
            return burn_card.dealer_came(state, act.dealer)
        case KpDice() | KpDiceWager() | KpDiceSettled():
            return apply_dice_input(state, act)
        case KpAdmit():
            return admit_box(state, act.box)
        case KpMode():
            return add_fact(
                mark_hand_dealt(replace(state, table=replace(state.table, mode=act.mode))),
                fact("mode"),
                mode_keyed(act.mode),
            )
        case _:
            return decisions.apply_decision(irregularity_inputs.apply_irregularity_input(state, act), act)


def _stub(state: RulesState, count: int) -> RulesState:
    state = add_fact(
        replace(state, round=replace(state.round, settlement=replace(state.round.settlement, stub=count))), fact("stub")
    )
    deck = state.round.deck or state.shoe.deck
    if not deck or not stub_agrees(state, count):
        return _counted_with_hands(state)
    state = _counted(state, deck)
    return add_notice(state, ROWS(state, "stub_right"), "right", count=count, deck=deck)


def _counted(state: RulesState, deck: str) -> RulesState:
    state = replace_deck(state, replace(state.deck(deck), verified=state.round.number))
    return add_fact(state, deck_fact("counted", deck))


def _counted_with_hands(state: RulesState) -> RulesState:
    """Return `state` with the deck counted where stub and hands together are complete, in either order of the keys.

    A stub that is wrong because the cards were misdealt was counted all the same (51.7(e)2, 51.9(d)).
    """
    deck, counts = state.round.deck or state.shoe.deck, state.round.settlement.counts
    complete = bool(counts) and cards_found(state, counts) == state.setup.profile.total
    return _counted(state, deck) if deck and complete else state


def _open(state: RulesState, window: Window) -> RulesState:
    if window == "insurance" and up_rank(state) not in {"A", None}:
        return refuse_input(state, refusal("insurance_needs_an_ace"), ROWS(state, "insurance_first"))
    # Threat: insurance that opens again after the reader answered lets a player wager on a published answer.
    if window == "insurance" and window in state.round.windows.closed and _relied_on(state):
        return refuse_input(state, refusal("insurance_stays_closed"), ROWS(state, "insurance_first"))
    return replace(
        state,
        round=replace(
            state.round, windows=replace(state.round.windows, keyed=(*state.round.windows.keyed, f"open {window}"))
        ),
    )


def _relied_on(state: RulesState) -> bool:
    """Return whether a card, the reader or a decision came after insurance was closed: it was no mistake."""
    played = state.round
    more = any(len(hand.cards) > 2 for hand in played.play.hands)  # noqa: PLR2004  initial two cards
    drawn = bool(played.exceptions.extras or played.play.dealer or more)
    return bool(played.play.reader.inserted or played.play.played_on or played.play.hole_up or drawn)


def _collected(state: RulesState, ident: str) -> RulesState:
    known = {deck.ident for deck in state.decks} | {deck.ident for deck in state.setup.decks}
    if ident not in known:
        return refuse_input(state, refusal("no_deck_collected", deck=ident), ROWS(state, "rack"))
    # Cards that are in a shuffler already went there before this key; the rack is empty of them.
    if all(device.deck != ident for device in state.devices):
        state = settle_deck(state, ident)
        state = replace(state, table=replace(state.table, rack=ident))
    return name_deck(state)


def _without_hand(state: RulesState, box: int) -> bool:
    """Return whether `box` has no hand in this round, as far as the boxes are keyed."""
    return not state.round.open or (bool(state.round.deal.boxes) and box not in state.round.deal.active)


def _bonus(state: RulesState, box: int) -> RulesState:
    if _without_hand(state, box):
        return refuse_input(state, refusal("no_hand", box=box), ROWS(state, "positions"))
    state = lay_out_hands(state)
    played = state.round
    settled = (*played.settlement.settled, f"box{box} bonus")
    return replace(
        state,
        round=replace(
            played, settlement=replace(played.settlement, bonus=(*played.settlement.bonus, box), settled=settled)
        ),
    )


def _reveal(state: RulesState, box: int) -> RulesState:
    played = state.round
    if _without_hand(state, box):
        return refuse_input(state, refusal("no_hand", box=box), ROWS(state, "positions"))
    if stays_face_down(state, box):
        return refuse_input(state, refusal("stays_face_down", box=box), ROWS(state, "fold"))
    return dealers_hand_shown(
        replace(state, round=replace(played, play=replace(played.play, shown=(*played.play.shown, f"box{box}"))))
    )
