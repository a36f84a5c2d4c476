"""Draws: the destination of each card that leaves the shoe.

A card is found and out of play, the burn card, in a slot of the deal, dealt to a hand that requested it, or unassigned.
"""

from collections.abc import Iterable
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.terms import dealer_matters
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.queries.hands import dealer_must_stand, is_dealers_turn, may_be_unrequested, next_split_ace, takers
from pitwarden.rules.queries.layout import cards_missing, deal_template
from pitwarden.rules.state.cards import DrawFate, DrawnCard
from pitwarden.rules.state.entry import LogEntry, RevealDue
from pitwarden.rules.state.phase import moved
from pitwarden.rules.state.round import RoundDeal, RoundState
from pitwarden.rules.state.state import RulesState, add_fact, add_notice, replace_deck
from pitwarden.rules.transitions.hands import give_card, replace_hand
from pitwarden_client.events.card_faces import JOKER, is_ten

ROWS: Final = declared(__name__, decides=("accidental_draw",), reads=("face_up",))

FOUND: Final[frozenset[DrawFate]] = frozenset({"ten", "joker", "up"})


def begin_round(state: RulesState) -> RulesState:
    """Return `state` with a round in progress; cards drawn in error in the last round are its first."""
    if state.round.open:
        return state
    carried = state.shoe.carried
    deal = RoundDeal(dealt=carried, carried=len(carried))
    played = moved(RoundState(number=state.round.number + 1, deck=state.in_play, deal=deal), "begun")
    played = (
        replace(played, exceptions=replace(played.exceptions, found_doubt=True)) if state.shoe.found_early else played
    )
    table = replace(state.table, overridden=False)
    shoe = replace(state.shoe, carried=(), found_early=False)
    return mark_hand_dealt(replace(state, round=played, table=table, shoe=shoe))


def mark_hand_dealt(state: RulesState) -> RulesState:
    """Return `state` with the deck in play marked as dealt from the hand, during such a round (13:69E-1.18(g)2)."""
    deck = state.deck(state.in_play)
    if state.round.open and state.table.mode == "hand" and deck.ident and not deck.hand_dealt:
        return replace_deck(state, replace(deck, hand_dealt=True))
    return state


def apply_draw(state: RulesState, entry: LogEntry, index: int, face: int, *, up: bool) -> RulesState:
    """Return `state` after one card left the shoe.

    Args:
        state: State before the card.
        entry: Row of the draw.
        index: Place of the card in the row, from 0.
        face: Face as in `card_faces`; -1 where the shoe does not read.
        up: Whether the shoe found the card face up.
    """
    unfound = _unfound(state)
    card = DrawnCard(entry.epoch, entry.number, index, entry.log_ms, face, burn=unfound == "burn")
    fate = _fate(state, face, up=up) or unfound
    # The first card after a dealer's key in mid-round may be that dealer's burn card (36.7(c)): no key publishes it.
    if fate == "card" and state.round.open and state.round.exceptions.relieved == state.shoe.drawn:
        state = replace(
            state,
            round=replace(
                state.round,
                exceptions=replace(state.round.exceptions, sealed=state.round.exceptions.sealed | {card.place}),
            ),
        )
    state = _counted(state, card, fate, up=up)
    if fate in FOUND:
        state = _begun_by(state) if fate == "up" and _begins(state) else state
        if state.round.open and state.setup.profile.in_stacks:
            state = replace(
                state, round=replace(state.round, exceptions=replace(state.round.exceptions, found_doubt=True))
            )
        return reveal_cards(state, [(card, "found")])
    if fate == "burn":
        return set_burn_card(state, card)
    if fate == "dead":
        return replace(state, round=state.round.with_aside(card))
    return place_card(state, card)


def set_burn_card(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` with `card` as the burn card; in doubt where its dealer was keyed in the middle of a round."""
    doubt = state.round.open and state.round.exceptions.burn_doubt > 0
    shoe = replace(state.shoe, burn_due=False, burn=card, burn_doubt=doubt, burn_asked=-1)
    return add_fact(replace(state, shoe=shoe), fact("burned"))


def place_card(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` with `card` where the deal or a decision needs it; without a request it is unassigned."""
    state = begin_round(state)
    played = state.round
    first = len(played.deal.dealt) <= played.deal.carried
    # The boxes may have been keyed before another deck was loaded.
    if state.shoe.deck and (first or not played.deck):
        played = replace(played, deck=state.shoe.deck)
    short = cards_missing(state.setup, played)
    if short is None or short > 0:
        made = replace(state, round=replace(played, deal=replace(played.deal, dealt=(*played.deal.dealt, card))))
        return _noted(made, card, "card", first=first)
    if played.play.asked:
        target = played.play.asked[0]
        contested = card if len(played.play.asked) > 1 else None
        # A card that was drawn in error is dealt before one from the shoe, so this draw proves the earlier keys.
        # World: the key was a mistake or came late for the card before, and this one was drawn in error (36.14(c)).
        doubtful = {card.place} if may_be_unrequested(played) else set()
        served = replace(
            played,
            play=replace(played.play, asked=played.play.asked[1:]),
            exceptions=replace(played.exceptions, contested=contested, unproved=frozenset()),
        )
        served = replace(served, exceptions=replace(served.exceptions, doubtful=played.exceptions.doubtful | doubtful))
        made = replace(state, round=served)
        if target == "dealer" and dealer_must_stand(made):
            return _burned(add_notice(made, ROWS(state, "accidental_draw"), "burned"), card, sealed=bool(doubtful))
        # 36.11(c): the dealer draws no card where the dealer's points have no effect on the round.
        if target == "dealer" and played.play.hole_up and dealer_matters(made) is False:
            return _burned(made, card, sealed=bool(doubtful))
        return _noted(give_card(made, target, card), card, "card", first=False)
    aces = next_split_ace(played)
    if aces is not None:
        made = replace_hand(state, replace(aces[0], passed=True))
        return _noted(give_card(made, aces[1].target, card), card, "card", first=False)
    extras = (*played.exceptions.extras, card)
    kept = replace(played.exceptions, extras=extras, reach=takers(state) | played.unexplained)
    return _noted(replace(state, round=replace(played, exceptions=kept)), card, "extra", first=False)


def _burned(state: RulesState, card: DrawnCard, *, sealed: bool) -> RulesState:
    """Return `state` with `card` burned, and published unless its request may be a mistake: then it lies face down."""
    return _noted(state if sealed else reveal_cards(state, [(card, "burn")]), card, "burned", first=False)


def release_found_card(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` after the floorperson found that `card` was not a found card: it is used as if without the error.

    Unchanged where the card was picked up with its round, or another card was burned in its place.
    """
    if card.burn and state.shoe.burn_due:
        return _noted(set_burn_card(state, card), card, "burn", first=False)
    # A card that was keyed as drawn in error waits as before.
    waits = card in state.round.exceptions.parked
    return state if card.burn or waits or _picked_up(state, card) else _waiting(_put_back(state, card), card)


def _waiting(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` where a refuted card that no hand requested yet waits for the next request.

    The players saw it, so a player may refuse it (36.14(e)).
    """
    left = state.round.exceptions
    if card not in left.extras:
        return state
    extras = tuple(one for one in left.extras if one != card)
    kept = replace(left, extras=extras, parked=(*left.parked, replace(card, exposed=True)))
    return replace(state, round=replace(state.round, exceptions=kept))


def _put_back(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` with a refuted card in its own place of the deal, in draw order.

    With cards after it the rest of the deal is sealed: those may lie one place off, and the hole card is among them.
    Where the passes that have ended counted right without it, or the deal is complete, it can only be the next card.
    """
    played, plan = state.round, deal_template(state.setup, state.round)
    if not played.live or state.shoe.last is None or state.shoe.last.place == card.place:
        return place_card(state, card)
    ahead = [one for one in played.deal.dealt if (one.at_ms, one.number) < (card.at_ms, card.number)]
    state = replace(state, round=replace(played, exceptions=replace(played.exceptions, found_doubt=True)))
    whole = plan is None or len(played.deal.dealt) >= len(plan.slots)
    if whole or len(ahead) < max(played.deal.marks, default=0):
        return place_card(state, card)
    made = place_card(state, card)
    behind = [one for one in made.round.deal.dealt if one not in ahead and one is not card]
    return replace(made, round=replace(made.round, deal=replace(made.round.deal, dealt=(*ahead, card, *behind))))


def _picked_up(state: RulesState, card: DrawnCard) -> bool:
    """Return whether the round in which `card` was drawn is over, and its cards were picked up (36.7(j))."""
    epoch, number = state.table.ended
    return card.number < number if card.epoch == epoch else epoch != "" and card.epoch != state.epoch


def reveal_cards(state: RulesState, cards: Iterable[tuple[DrawnCard, str]]) -> RulesState:
    """Return `state` with each card published in its slot, once; a card that was not read is skipped."""
    known, said = state.round.revealed, dict[tuple[str, int, int], RevealDue]()
    for card, slot in cards:
        # A card is published once; another slot is published later as a correction (`transitions.corrections`).
        if card.face >= 0 and card.place not in known and card.place not in said:
            said[card.place] = RevealDue(card.epoch, card.number, card.index, slot, card.face)
    if not said:
        return state
    shown = list(state.shoe.shown)
    for one in said.values():
        if one.face <= JOKER:
            shown[one.face] += 1
    return replace(
        state,
        round=replace(
            state.round,
            revealed=known.union(said),
            slots=(*state.round.slots, *((place, one.slot) for place, one in said.items())),
        ),
        shoe=replace(state.shoe, shown=tuple(shown)),
        now=replace(state.now, reveals=(*state.now.reveals, *said.values())),
    )


def _fate(state: RulesState, face: int, *, up: bool) -> DrawFate:
    if is_ten(face) and not state.setup.profile.tens:
        return "ten"
    if face == JOKER:
        return "joker"
    return "up" if up else ""


def _unfound(state: RulesState) -> DrawFate:
    """Return the destination of the next card, unless it is one that was found in the shoe."""
    if state.round.void:
        return "dead"
    if not (state.shoe.burn_due or _of_unseen_dealer(state)):
        return "card"
    return "card" if is_dealers_turn(state) and state.setup.keyed(("kp.round_end",)) else "burn"


def _of_unseen_dealer(state: RulesState) -> bool:
    """Return whether a card between rounds may be a new dealer's burn card: rounds are keyed here, dealers are not."""
    if state.round.open:
        return False
    setup = state.setup
    return setup.burns and setup.rounds_keyed and not setup.keyed(("kp.dealer",))


def _begins(state: RulesState) -> bool:
    """Return whether a card found face up is the first of a round.

    It is before any card of an open round, and between rounds as the first card after a shuffle or a load.
    """
    rule, played = ROWS(state, "face_up"), state.round
    if rule is None or not rule.param("dealing_only", default=False):
        return False
    nothing_dealt = not played.void and len(played.deal.dealt) <= played.deal.carried
    return nothing_dealt if played.open else state.deck(state.in_play).shuffled or state.shoe.drawn == 1


def _begun_by(state: RulesState) -> RulesState:
    state = begin_round(state)
    # The boxes may have been keyed before another deck was loaded.
    played = replace(state.round, deck=state.shoe.deck or state.round.deck)
    return replace(state, round=played, now=replace(state.now, first=True))


def _counted(state: RulesState, card: DrawnCard, fate: DrawFate, *, up: bool) -> RulesState:
    shoe = state.shoe
    seen = shoe.seen
    if 0 <= card.face <= JOKER:
        seen = (*seen[: card.face], seen[card.face] + 1, *seen[card.face + 1 :])
    ups = shoe.ups
    if up:
        scoped = state.setup.policy.face_up_scope == "round" and shoe.up_round != state.round.number
        ups = 1 if scoped else ups + 1
    shoe = replace(
        shoe,
        drawn=shoe.drawn + 1,
        strange=shoe.strange + (fate in {"ten", "joker"}),
        last=card,
        last_fate=fate,
        seen=seen,
        ups=ups,
        up_round=state.round.number if up else shoe.up_round,
        up_card=card if up else shoe.up_card,
        tens=shoe.tens + (fate == "ten"),
        tens_waiting=(*shoe.tens_waiting, card) if fate == "ten" else shoe.tens_waiting,
    )
    facts = (*state.now.facts, fact("card"))
    return replace(state, shoe=shoe, now=replace(state.now, fate=fate, draw=card, facts=facts))


def _noted(state: RulesState, card: DrawnCard, fate: DrawFate, *, first: bool) -> RulesState:
    shoe, now = state.shoe, state.now
    first = first or now.first
    if shoe.last_fate != fate and shoe.last == card:
        shoe = replace(shoe, last_fate=fate)
    if now.fate != fate or now.first != first or now.draw is not card:
        now = replace(now, fate=fate, draw=card, first=first)
    return state if shoe is state.shoe and now is state.now else replace(state, shoe=shoe, now=now)
