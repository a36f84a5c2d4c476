"""Course of a round: its boxes, boxes that must wait, its end, and its cards for the shuffle auditor.

- Boxes that sat out a round may be excluded until the next shuffle, at the house's choice (36.5(h), 2B.5(g)).
- Keyed boxes are those of the round in progress, corrected, or those of a round that begins with them.
- A round ends when that is keyed, or where no end is keyed, with the boxes of the next.
- At its end the auditor receives the public cards. A hidden card is a gap; a card that was not dealt is absent.
"""

from collections.abc import Iterable
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.decks import STUB_ROWS, decks_in_rotation, is_which_unknown, stub_rule
from pitwarden.rules.queries.layout import all_certain, all_dealt, cards_missing, placed_cards
from pitwarden.rules.shuffle.auditor import PackShape, audit_cards, start_shoe
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.phase import moved
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input, replace_deck
from pitwarden.rules.transitions import hole_card
from pitwarden.rules.transitions.disclosure import at_the_end
from pitwarden.rules.transitions.draws import begin_round
from pitwarden.rules.transitions.pass_marks import without_haste
from pitwarden.rules.transitions.turned_cards import dealers_hand_shown
from pitwarden_client.events.card_faces import JOKER
from pitwarden_client.events.dealer_play import KpBoxes

ROWS: Final = declared(__name__, decides=("mid_shoe_entry", "positions"), reads=("shuffle_audit", *STUB_ROWS))


def barred_boxes(state: RulesState, boxes: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of `boxes` that the house excludes from the round that is keyed."""
    rule = ROWS(state, "mid_shoe_entry")
    dealt = state.round.open and len(state.round.deal.dealt) > state.round.deal.carried
    if rule is None or state.setup.policy.mid_shoe_entry or dealt:
        return ()
    return tuple(box for box in boxes if box in state.shoe.sat_out)


def boxes_sat_out(state: RulesState) -> tuple[int, ...]:
    """Return the boxes that had no wager in this round or an earlier one since the shuffle.

    Call at the end of the round.
    """
    boxes, known = state.round.deal.boxes, state.shoe.sat_out
    if not boxes:
        return known
    return tuple(box for box in range(1, state.setup.positions + 1) if box in known or box not in boxes)


def admit_box(state: RulesState, box: int) -> RulesState:
    """Return `state` with `box` admitted again."""
    return replace(state, shoe=replace(state.shoe, sat_out=tuple(one for one in state.shoe.sat_out if one != box)))


Place = tuple[str, int, int]


def audit_round(state: RulesState) -> RulesState:
    """Return `state` after the auditor received the round that ends, with a fact `audit:...` for each alarm."""
    played, profile = state.round, state.setup.profile
    rule = ROWS.of(profile, "shuffle_audit")
    heard_here = rule is not None and state.setup.keyed(rule.needs) and state.setup.policy.shuffle_audit
    if not heard_here or not played.revealed:
        return replace(state, audit=replace(state.audit, found=())) if state.audit.found else state
    dealt = _in_order(
        (*played.deal.dealt, *played.play.dealer, *(card for hand in played.play.hands for card in hand.cards))
    )
    audit = state.audit if state.shoe.drawn - len(dealt) >= state.audit.drawn else start_shoe(state.audit)
    faces = {place: _face(state, place, card.face) for place, card in dealt}
    pack = PackShape(profile.total // profile.copies, profile.copies, state.setup.audit_key)
    rack = [[faces[card.place] for card in hand] for hand in _picked_up(state)]
    audit = audit_cards(audit, pack, list(faces.values()), rack)
    return replace(state, audit=replace(audit, drawn=state.shoe.drawn))


def _in_order(cards: Iterable[DrawnCard]) -> list[tuple[Place, DrawnCard]]:
    """Return each card once, in the order in which the cards left the shoe, with its key."""
    once = {card.place: card for card in cards}
    return sorted(once.items(), key=_left_at)


def _left_at(one: tuple[Place, DrawnCard]) -> tuple[int, int, int]:
    (_, number, index), card = one
    return card.at_ms, number, index


def _face(state: RulesState, place: Place, face: int) -> int:
    """Return the face of a published card, -1 for any other: the auditor must not depend on a hidden face."""
    return face if 0 <= face < JOKER and place in state.round.revealed else -1


def _picked_up(state: RulesState) -> list[list[DrawnCard]]:
    """Return the hands as they go to the rack: from the dealer's right, the dealer's own last (36.7(j), 51.10(f))."""
    played = state.round
    slots = placed_cards(state.setup, played)
    boxes: dict[str, list[DrawnCard]] = {}
    for slot, draw in slots:
        boxes.setdefault(slot.target, []).append(draw)
    hands = [list(hand.cards) for hand in reversed(played.play.hands)]
    if not hands:
        hands = [cards for target, cards in sorted(boxes.items(), reverse=True) if target != "dealer"]
    return [*hands, [*boxes.get("dealer", []), *played.play.dealer]]


def end_round(state: RulesState) -> RulesState:
    """Return `state` after the round.

    Its deck waits for a shuffle, its cards are in the rack, and cards that were drawn in error are carried to the next.
    """
    played, shoe = state.round, state.shoe
    if not played.open:
        return refuse_input(state, refusal("no_round"))
    state = at_the_end(hole_card.shown(state) if played.play.hole_held else dealers_hand_shown(state))
    played = state.round
    state = _without_the_duty(audit_round(state))
    dealt = bool(played.deal.dealt) or (state.table.mode == "hand" and played.keyed_after_deal)
    # The text is silent on whether a deck was used when a round ends before its first card.
    deck = (played.deck or shoe.deck) if dealt else ""
    carried = tuple(card for card in played.exceptions.parked if not card.exposed) if _takers_keyed(state) else ()
    # A verdict that makes a round void orders a shuffle, so its deck is spent even where no card was dealt.
    spent = deck or (played.deck or shoe.deck if played.void else "")
    # The deck may have been returned during the round.
    if spent in [known.ident for known in state.decks]:
        state = replace_deck(state, replace(state.deck(spent), shuffled=played.exceptions.shuffled))
    shoe = replace(shoe, carried=() if played.void or played.exceptions.shuffled else carried)
    shoe = replace(shoe, racked=shoe.drawn - shoe.put_back, sat_out=boxes_sat_out(state))
    if played.exceptions.short and not played.exceptions.shuffled:
        shoe = replace(shoe, cut_round=played.number)
    racked = state.table.rack if len(decks_in_rotation(state)) > 1 and state.setup.keyed(("kp.collected",)) else deck
    if played.exceptions.shuffled or not dealt:
        racked = state.table.rack
    unnamed = state.table.unnamed + (dealt and not deck and is_which_unknown(state))
    table = replace(state.table, last_deck=deck, rack=racked, ended=(state.epoch, state.number), unnamed=unnamed)
    # No outcome decides what a void round settled: its wagers are returned.
    bets = replace(played.windows.bets, paid=()) if played.void else played.windows.bets
    ended = replace(
        moved(played, "ended"),
        exceptions=replace(played.exceptions, short=False, aside=()),
        windows=replace(played.windows, bets=bets),
    )
    state = replace(state, round=ended, shoe=shoe, table=table)
    return add_fact(state, fact("round_end"))


def _without_the_duty(state: RulesState) -> RulesState:
    """Return `state` where a round dealt from the hand does not count among the five of a shoe (51.8, 51.7(e)).

    No clause requires a count of the stub in such a round.
    """
    if state.table.mode == "hand" and stub_rule(state) is None:
        for ident in decks_in_rotation(state):
            deck = state.deck(ident)
            state = replace_deck(state, replace(deck, verified=min(deck.verified + 1, state.round.number)))
    return state


def _takers_keyed(state: RulesState) -> bool:
    """Return whether an unassigned card certainly belongs to no hand.

    True where this table keys every input that requests a card in this game.
    """
    draws = state.setup.keyed(("kp.dealer_draw",)) or "kp.dealer_draw" not in state.setup.profile.keys.acts
    return draws and state.setup.keyed(("kp.decision",))


def apply_boxes(state: RulesState, act: KpBoxes) -> RulesState:
    """Return `state` with the boxes of the round in progress, or of the next; refused once hands are played."""
    boxes = act.boxes
    if any(box > state.setup.positions for box in boxes) or tuple(sorted(set(boxes))) != boxes or not boxes:
        return refuse_input(state, refusal("boxes_in_order", most=state.setup.positions), ROWS(state, "positions"))
    played = state.round.void or bool(state.round.play.hands)
    if state.round.open and not state.setup.keyed(("kp.round_end",)):
        # Where no end of rounds is keyed, the boxes of the next round are the only sign that the round is over.
        if played or cards_missing(state.setup, state.round) == 0:
            state = end_round(state)
    elif state.round.open and (played or (boxes != state.round.deal.boxes and _played_to(state))):
        return refuse_input(state, refusal("boxes_played"))
    barred = barred_boxes(state, boxes)
    if barred:
        return refuse_input(state, refusal("sat_out", box=barred[0]), ROWS(state, "mid_shoe_entry"))
    in_deal = state.round.open and len(state.round.deal.dealt) > state.round.deal.carried
    state = begin_round(state)
    played_anew = replace(
        state.round, deal=replace(state.round.deal, boxes=boxes, out=(), late=(), options=(), hole_out=(), single=())
    )
    state = _taken_up(replace(state, round=without_haste(state.setup, played_anew)))
    if in_deal and cards_missing(state.setup, state.round):
        return add_fact(state, fact("in_the_deal"))
    return add_fact(state, fact("boxes_agree")) if all_dealt(state.setup, state.round) else state


def _played_to(state: RulesState) -> bool:
    """Return whether choices, decisions or reveals are keyed for boxes whose cards all have a certain slot."""
    played = state.round
    return bool(played.windows.choices or played.play.decided or played.play.shown) and all_certain(state.setup, played)


def _taken_up(state: RulesState) -> RulesState:
    """Return `state` with cards that seemed one too many dealt to the boxes that were not keyed before."""
    played, short = state.round, cards_missing(state.setup, state.round) or 0
    more = played.exceptions.extras[:short]
    if not more:
        return state
    return replace(
        state,
        round=replace(
            played,
            deal=replace(played.deal, dealt=(*played.deal.dealt, *more)),
            exceptions=replace(played.exceptions, extras=played.exceptions.extras[short:]),
        ),
    )
