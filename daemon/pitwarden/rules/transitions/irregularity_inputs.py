"""Irregularities that the dealer keyed: found cards, cards drawn in error, hands without their cards."""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.terms import dealer_matters
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.hands import dealer_must_stand, is_decision_due
from pitwarden.rules.queries.layout import DealTemplate, certain, deal_template, guarded
from pitwarden.rules.queries.reader import blackjack_said
from pitwarden.rules.state.cards import DrawFate, DrawnCard
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState, add_fact, add_notice, refuse_input
from pitwarden.rules.transitions import player_options, shoe
from pitwarden.rules.transitions.draws import FOUND, reveal_cards
from pitwarden.rules.transitions.hands import remove_card, serve_waiting_cards
from pitwarden.rules.transitions.reader import mark_reader_unusable
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_cards import KpForeignBack, KpShort
from pitwarden_client.events.dealer_irregularities import (
    KpDealerFirstMissed,
    KpDrawnInError,
    KpFaceUp,
    KpMisplaced,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpReaderBad,
    KpRefuse,
    KpSkipped,
    KpTen,
)

ROWS: Final = declared(__name__, decides=("backs", "drawn_in_error", "exposed_card", "no_cards"))


def apply_irregularity_input(state: RulesState, act: DealerAct) -> RulesState:  # noqa: C901, PLR0912  one line per key: a dispatch
    """Return `state` after an irregularity key; unchanged after other keys."""
    match act:
        case KpFaceUp() | KpTen():
            return _found(state, "up" if isinstance(act, KpFaceUp) else "ten")
        case KpDrawnInError():
            return _in_error(state, exposed=act.exposed)
        case KpRefuse() if not state.round.open:
            return shoe.apply_cut_refused(state, act)
        case KpRefuse() if state.setup.keyed(("kp.drawn_in_error",)) and not any(
            c.exposed for c in state.round.exceptions.parked
        ):
            return refuse_input(state, refusal("no_exposed_card"), ROWS(state, "exposed_card"))
        case KpRefuse():
            return replace(
                state,
                round=replace(
                    state.round,
                    exceptions=replace(state.round.exceptions, refused=(*state.round.exceptions.refused, act.box)),
                ),
            )
        case KpNoCards():
            state = replace(
                state, round=replace(state.round, deal=replace(state.round.deal, out=(*state.round.deal.out, act.box)))
            )
            return add_notice(state, ROWS(state, "no_cards"), "none", act.box)
        case KpOneCard():
            return player_options.apply_one_card(state, act.box)
        case KpSkipped():
            return player_options.apply_skipped(state, act.box)
        case KpOption():
            return player_options.apply_option(state, act)
        case KpMisplaced():
            deal = replace(state.round.deal, swaps=(*state.round.deal.swaps, (act.first, act.second)))
            known = replace(state.round.exceptions, swap_doubt=False)
            return replace(state, round=replace(state.round, deal=deal, exceptions=known))
        case KpDealerFirstMissed():
            return add_fact(state, fact("dealer_first_missed"))
        case KpForeignBack() if state.shoe.last is None:
            return refuse_input(state, refusal("no_card_with_a_back"), ROWS(state, "backs"))
        case KpReaderBad():
            return add_fact(mark_reader_unusable(state), fact("reader_bad"))
        case KpShort():
            return replace(state, shoe=replace(state.shoe, empty=True))
        case _:
            return state


def _found(state: RulesState, fate: DrawFate) -> RulesState:
    shoe = state.shoe
    card, was = shoe.last, shoe.last_fate
    if _by_hand(state) and fate == "up":
        return replace(state, shoe=replace(shoe, ups=shoe.ups + 1), now=replace(state.now, fate=fate))
    if card is None or (fate == was) or (fate == "up" and was in FOUND):
        return refuse_input(state, refusal("no_card_found"))
    taken, played = _drawn_for(state.round, card), remove_card(state.round, card)
    # World: the key is a mistake, its hand has its card, and the next one is drawn in error (36.14(c)).
    hasty = replace(played.exceptions, out_of_turn=played.exceptions.out_of_turn or bool(taken))
    played = replace(played, play=replace(played.play, asked=(*taken, *played.play.asked)), exceptions=hasty)
    if was == "burn":
        shoe = replace(shoe, burn_due=True, burn=None)
    if fate == "ten":
        shoe = replace(shoe, tens=shoe.tens + 1, tens_waiting=(*shoe.tens_waiting, card), strange=shoe.strange + 1)
    else:
        scoped = state.setup.policy.face_up_scope == "round" and shoe.up_round != played.number
        shoe = replace(shoe, ups=1 if scoped else shoe.ups + 1, up_round=played.number)
    now = replace(state.now, fate=fate, draw=card)
    made = replace(state, round=played, shoe=replace(shoe, last_fate=fate), now=now)
    if fate == "up":
        return _face_up(state, made, card, was)
    placed = card in state.round.deal.dealt[: certain(state.setup, state.round)]
    return (
        replace(made, round=replace(made.round, exceptions=replace(made.round.exceptions, found_doubt=True)))
        if placed
        else made
    )


def _face_up(before: RulesState, state: RulesState, card: DrawnCard, was: DrawFate) -> RulesState:
    """Return `state` with a card that only a key reports as found face up.

    The card is published where its slot is face up in any case. The key may be late and mean an earlier card, or be a
    mistake. Elsewhere the card waits until the hole card is shown, since no hidden card can be meant after that. Two
    kinds are excepted: a card that was burned, and cards of hands that are dealt face down.
    """
    played, setup = before.round, before.setup
    at = played.deal.dealt.index(card) if card in played.deal.dealt else -1
    plan = deal_template(setup, played)
    down = plan.down if plan else 0
    counted = certain(setup, played)
    hidden = any(not one.up and one.to in {"boxes", "all"} for one in setup.profile.passes)
    # The key may be early, and mean a card of the next round.
    if hidden and not played.open:
        return replace(state, shoe=replace(state.shoe, found_early=True))
    if hidden or 0 <= at < counted:
        state = replace(state, round=replace(state.round, exceptions=replace(state.round.exceptions, found_doubt=True)))
    elif was == "burn" or not played.open:
        return state
    elif plan is not None and counted <= at < guarded(setup, plan, played) and _is_up_in_an_open_pass(plan, played, at):
        return reveal_cards(state, [(card, "found")]) if not _sealed(played) else state
    # A card keyed as drawn in error waits face down: two keys contradict each other, and it is shown when it is dealt.
    if card in played.exceptions.parked:
        return state
    if was == "burn" or setup.profile.in_stacks or (plan is None or (0 <= at <= down and down)):
        return state
    return replace(
        state,
        round=replace(
            state.round, exceptions=replace(state.round.exceptions, found=(*state.round.exceptions.found, card))
        ),
    )


def _is_up_in_an_open_pass(plan: DealTemplate, played: RoundState, at: int) -> bool:
    """Return whether place `at` of the deal is face up in a pass that the keys of the passes before it have opened.

    World: a card that comes before its pass is opened was drawn in error and lies face down, and the key is a mistake.
    """
    passes_before = sum(end <= at for end in plan.ends)
    return plan.slots[at].up and len(played.deal.marks) >= passes_before


def _sealed(played: RoundState) -> bool:
    return bool(played.exceptions.burn_doubt or played.exceptions.found_doubt)


def _drawn_for(played: RoundState, card: DrawnCard) -> tuple[str, ...]:
    """Return the hand that requested `card`: it still waits for a card when that one cannot be used."""
    if card in played.play.dealer:
        return ("dealer",)
    return tuple(hand.target for hand in played.play.hands if card in hand.cards and card not in played.deal.dealt)


def _by_hand(state: RulesState) -> bool:
    """Return whether a round is dealt from the hand: no device sees its cards."""
    played = state.round
    return state.table.mode == "hand" and played.live


def _in_error(state: RulesState, *, exposed: bool) -> RulesState:
    played, card = state.round, _erred(state)
    if _by_hand(state):
        rule, case = ("exposed_card", "early") if exposed else ("drawn_in_error", "next")
        return add_notice(add_fact(state, fact("explained")), ROWS(state, rule), case)
    if card is None or not played.live:
        return refuse_input(state, refusal("no_card_in_error"))
    state = add_fact(state, fact("explained"))
    if card.place in {one.place for one in played.exceptions.parked}:
        return _waits_already(state, card, exposed=exposed)
    # The second key for the same card: one key may be a mistake, two agree that players saw it.
    if exposed and card.place in {one.place for one in played.exceptions.spent}:
        return reveal_cards(state, [(card, "found")])
    if blackjack_said(played):
        return _unusable(state, card) if exposed else _next(state, card)
    if card in played.deal.dealt:
        behind = _pass_is_whole(state)
        doubtful = {card.place} if _is_deal_moved(state) else set()
        deal = replace(played.deal, early=played.deal.early + behind)
        kept = replace(played.exceptions, sealed=played.exceptions.sealed | doubtful)
        state = replace(state, round=replace(played, deal=deal, exceptions=kept))
        case = "early" if exposed else "next"
        rule = "exposed_card" if exposed else "drawn_in_error"
        return add_notice(state, ROWS(state, rule), case)
    if not exposed:
        return _next(state, card)
    played = remove_card(played, card)
    shown = replace(card, exposed=True)
    if _nobody_can_use(replace(state, round=played)):
        return _unusable(state, card)
    state = replace(
        state, round=replace(played, exceptions=replace(played.exceptions, parked=(*played.exceptions.parked, shown)))
    )
    return serve_waiting_cards(add_notice(state, ROWS(state, "exposed_card"), "next"))


def _waits_already(state: RulesState, card: DrawnCard, *, exposed: bool) -> RulesState:
    """Return `state` with a card that waits for a request keyed once more, and exposed if the key reports that."""
    left = state.round.exceptions
    parked = tuple(
        [replace(one, exposed=one.exposed or exposed) if one.place == card.place else one for one in left.parked]
    )
    state = replace(state, round=replace(state.round, exceptions=replace(left, parked=parked)))
    return add_notice(state, ROWS(state, "drawn_in_error"), "next")


def _is_deal_moved(state: RulesState) -> bool:
    """Return whether a key of this round took a card from the deal, so that each card after it has an earlier place.

    World: that key is a mistake, the deal is complete without the card drawn in error, and that card waits face down.
    """
    played, shoe = state.round, state.shoe
    found = bool(shoe.tens_waiting) or played.exceptions.found_doubt or shoe.up_round == played.number
    return found or played.exceptions.relieved >= 0


def _pass_is_whole(state: RulesState) -> bool:
    """Return whether all cards are out of the passes of the deal that the next key ends."""
    plan, passes = deal_template(state.setup, state.round), state.setup.profile.passes
    ended = len(state.round.deal.marks)
    if plan is None or ended >= len(passes):
        return False
    last = max(at for at in range(ended, len(passes)) if set(passes[at].ends) & set(passes[ended].ends))
    return len(state.round.deal.dealt) >= plan.ends[last]


def _unusable(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` with an exposed card burned: it stays sealed until a second key confirms that it was exposed."""
    played = remove_card(state.round, card)
    state = replace(
        state, round=replace(played, exceptions=replace(played.exceptions, spent=(*played.exceptions.spent, card)))
    )
    return add_notice(state, ROWS(state, "exposed_card"), "unusable")


def _erred(state: RulesState) -> DrawnCard | None:
    """Return the draw that the key calls an error: the last, or the unassigned card before one found in the shoe."""
    shoe, left = state.shoe, state.round.exceptions
    if shoe.last_fate in {"card", "extra"}:
        return shoe.last
    # A card that the floorperson refuted as a found one waits already.
    refuted = [one for one in left.parked if shoe.last is not None and one.place == shoe.last.place]
    return next(iter((*reversed(left.extras), *refuted)), None) if shoe.last_fate in FOUND else None


def _nobody_can_use(state: RulesState) -> bool:
    """Return whether no player takes a card any more, and the dealer stands or draws none (36.11(b), (c))."""
    played = state.round
    stands = (
        played.play.hole_up
        and dealer_must_stand(state) is True
        and bool(played.play.hands)
        and not is_decision_due(played)
    )
    return stands or dealer_matters(state) is False


def _next(state: RulesState, card: DrawnCard) -> RulesState:
    played = remove_card(state.round, card)
    state = replace(
        state, round=replace(played, exceptions=replace(played.exceptions, parked=(*played.exceptions.parked, card)))
    )
    return serve_waiting_cards(add_notice(state, ROWS(state, "drawn_in_error"), "next"))
