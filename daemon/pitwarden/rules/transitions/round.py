"""Boxes, entry bar, end of a round, hand-over to the shuffle auditor.

Boxes that sat out a round may be kept out until the next shuffle, at the house's choice (36.5(h), 2B.5(g)).

At a round's end its public cards go to the shuffle auditor; a hidden card is a gap, an undealt one is not there.

The end of a round, keyed or shown by the boxes of the next: its deck, the rack and the shoe from there on.

The boxes that the dealer keyed: those of the round that is on, put right, or of a round that begins with them.
"""

from collections.abc import Iterable

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.decks import decks_in_rotation, stub_rule
from pitwarden.rules.queries.layout import all_certain, all_dealt, cards_missing, placed_cards
from pitwarden.rules.shuffle.auditor import PackShape, audit_cards, start_shoe
from pitwarden.rules.state.round import DrawnCard
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input, replace_deck
from pitwarden.rules.transitions import hole_card
from pitwarden.rules.transitions.disclosure import at_the_end
from pitwarden.rules.transitions.draws import begin_round
from pitwarden.rules.transitions.turned_cards import dealers_hand_shown
from pitwarden_client.events.card_faces import JOKER
from pitwarden_client.events.dealer_play import KpBoxes


def barred_boxes(state: RulesState, boxes: tuple[int, ...]) -> tuple[int, ...]:
    """Those of `boxes` that the house keeps out of the round that is keyed."""
    rule = state.setup.profile.rule("mid_shoe_entry")
    dealt = state.round.open and len(state.round.dealt) > state.round.carried
    if rule is None or state.setup.policy.mid_shoe_entry or dealt:
        return ()
    return tuple(box for box in boxes if box in state.shoe.sat_out)


def boxes_sat_out(state: RulesState) -> tuple[int, ...]:
    """The boxes without a wager in this or an earlier round since the shuffle, at the round's end."""
    boxes, known = state.round.boxes, state.shoe.sat_out
    if not boxes:
        return known
    return tuple(box for box in range(1, state.setup.positions + 1) if box in known or box not in boxes)


def admit_box(state: RulesState, box: int) -> RulesState:
    """`state` with `box` let in again."""
    return replace(state, shoe=replace(state.shoe, sat_out=tuple(one for one in state.shoe.sat_out if one != box)))


Place = tuple[str, int, int]


def audit_round(state: RulesState) -> RulesState:
    """`state` after the auditor heard the round that ends; `audit:...` is said for each test that is alarmed."""
    played, profile = state.round, state.setup.profile
    rule = profile.rule("shuffle_audit")
    heard_here = rule is not None and state.setup.keyed(rule.needs) and state.setup.policy.shuffle_audit
    if not heard_here or not played.revealed:
        return replace(state, audit=replace(state.audit, found=())) if state.audit.found else state
    dealt = _in_order((*played.dealt, *played.dealer, *(card for hand in played.hands for card in hand.cards)))
    audit = state.audit if state.shoe.drawn - len(dealt) >= state.audit.drawn else start_shoe(state.audit)
    faces = {place: _face(state, place, card.face) for place, card in dealt}
    pack = PackShape(profile.total // profile.copies, profile.copies, state.setup.audit_key)
    rack = [[faces[card.place] for card in hand] for hand in _picked_up(state)]
    audit = audit_cards(audit, pack, list(faces.values()), rack)
    made = replace(state, audit=replace(audit, drawn=state.shoe.drawn))
    return add_fact(made, *(f"audit:{name}" for name in audit.found))


def _in_order(cards: Iterable[DrawnCard]) -> list[tuple[Place, DrawnCard]]:
    """Each card once, as they left the shoe, with what tells it from the others."""
    once = {card.place: card for card in cards}
    return sorted(once.items(), key=_left_at)


def _left_at(one: tuple[Place, DrawnCard]) -> tuple[int, int, int]:
    (_, number, index), card = one
    return card.at_ms, number, index


def _face(state: RulesState, place: Place, face: int) -> int:
    return face if 0 <= face < JOKER and place in state.round.revealed else -1


def _picked_up(state: RulesState) -> list[list[DrawnCard]]:
    """The hands as they go to the rack: from the dealer's right, the dealer's own last (36.7(j), 51.10(f))."""
    played = state.round
    slots = placed_cards(state.setup, played)
    boxes: dict[str, list[DrawnCard]] = {}
    for slot, draw in slots:
        boxes.setdefault(slot.target, []).append(draw)
    hands = [list(hand.cards) for hand in reversed(played.hands)]
    if not hands:
        hands = [cards for target, cards in sorted(boxes.items(), reverse=True) if target != "dealer"]
    return [*hands, [*boxes.get("dealer", []), *played.dealer]]


def end_round(state: RulesState) -> RulesState:
    """`state` after the round: its deck waits for a shuffle, its cards lie in the rack, those that waited go on."""
    played, shoe = state.round, state.shoe
    if not played.open:
        return refuse_input(state, "No round is in progress.")
    state = at_the_end(hole_card.shown(state) if played.hole_held else dealers_hand_shown(state))
    played = state.round
    state = _without_the_duty(audit_round(state))
    dealt = bool(played.dealt) or (state.table.mode == "hand" and played.keyed_after_deal)
    deck = (
        (played.deck or shoe.deck) if dealt else ""
    )  # before its first card: whether its deck was used, the text does not say
    carried = tuple(card for card in played.parked if not card.exposed) if _takers_keyed(state) else ()
    spent = deck or (played.deck or shoe.deck if played.over else "")  # what voids a round orders a shuffle
    if spent in [known.ident for known in state.decks]:  # else it was returned already
        state = replace_deck(state, replace(state.deck(spent), shuffled=played.shuffled))
    shoe = replace(shoe, carried=() if played.over or played.shuffled else carried)
    shoe = replace(shoe, racked=shoe.drawn - shoe.put_back, sat_out=boxes_sat_out(state))
    if played.short and not played.shuffled:
        shoe = replace(shoe, cut_round=played.number)
    racked = state.table.rack if len(decks_in_rotation(state)) > 1 and state.setup.keyed(("kp.collected",)) else deck
    if played.shuffled or not dealt:
        racked = state.table.rack
    table = replace(state.table, last_deck=deck, rack=racked, ended=(state.epoch, state.number))
    state = replace(state, round=replace(played, open=False, short=False), shoe=shoe, table=table)
    return add_fact(state, "round_end")


def _without_the_duty(state: RulesState) -> RulesState:
    """A round dealt from the hand, where no clause asks for a count, is none of the five of a shoe (51.8, 51.7(e))."""
    if state.table.mode == "hand" and stub_rule(state) is None:
        for ident in decks_in_rotation(state):
            deck = state.deck(ident)
            state = replace_deck(state, replace(deck, verified=min(deck.verified + 1, state.round.number)))
    return state


def _takers_keyed(state: RulesState) -> bool:
    """Whether a card that waits surely went to no hand: what asks for cards in this game is keyed here."""
    draws = state.setup.keyed(("kp.dealer_draw",)) or "kp.dealer_draw" not in state.setup.profile.keys.acts
    return draws and state.setup.keyed(("kp.decision",))


def apply_boxes(state: RulesState, act: KpBoxes) -> RulesState:
    """`state` with the boxes of the round that is on, or of the next one; refused where hands are played already."""
    boxes = act.boxes
    if any(box > state.setup.positions for box in boxes) or tuple(sorted(set(boxes))) != boxes or not boxes:
        text = (
            f"The table has positions 1 to {state.setup.positions}: key each active box once, from the dealer's left."
        )
        return refuse_input(state, text, "positions")
    played = state.round.over or bool(state.round.hands)
    if state.round.open and not state.setup.keyed(("kp.round_end",)):
        if played or cards_missing(state.setup, state.round) == 0:  # nothing else says that the round before is over
            state = end_round(state)
    elif state.round.open and (played or (boxes != state.round.boxes and _played_to(state))):
        return refuse_input(
            state, "This round's hands are played already: key the boxes of the next round after its end."
        )
    barred = barred_boxes(state, boxes)
    if barred:
        text = f"Box {barred[0]} sat out a round: the house admits it (kp.admit), or it waits for the next shuffle."
        return refuse_input(state, text, "mid_shoe_entry")
    in_deal = state.round.open and len(state.round.dealt) > state.round.carried
    state = begin_round(state)
    played_anew = replace(state.round, boxes=boxes, out=(), late=(), options=(), hole_out=(), single=())
    state = _taken_up(replace(state, round=played_anew))
    if in_deal and cards_missing(state.setup, state.round):
        return add_fact(state, "in_the_deal")
    return add_fact(state, "boxes_agree") if all_dealt(state.setup, state.round) else state


def _played_to(state: RulesState) -> bool:
    """Whether choices, decisions or reveals are keyed of boxes whose cards are all known to lie there."""
    played = state.round
    return bool(played.choices or played.decided or played.shown) and all_certain(state.setup, played)


def _taken_up(state: RulesState) -> RulesState:
    """Cards that seemed to be too many lie on the boxes that were not keyed before."""
    played, short = state.round, cards_missing(state.setup, state.round) or 0
    more = played.extras[:short]
    if not more:
        return state
    return replace(state, round=replace(played, dealt=(*played.dealt, *more), extras=played.extras[short:]))
