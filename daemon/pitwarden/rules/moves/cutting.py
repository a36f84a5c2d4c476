"""Who is offered the cut: the box on which the cutting card came, or the farthest right; then on (36.4(d), 2B.4(d))."""

from pitwarden_client.events.dealer_irregularities import KpRefuse

from pitwarden.rules.copying import replace
from pitwarden.rules.queries.layout import template
from pitwarden.rules.state.equipment import Deck
from pitwarden.rules.state.state import State, put_deck, refuse, say


def next_box(state: State) -> int:
    """The box that the next card is for, 0 when it is for the dealer or nobody knows."""
    plan, played = template(state.setup, state.round), state.round
    if not played.open or plan is None:
        return 0
    if len(played.dealt) < len(plan.slots):
        target = plan.slots[len(played.dealt)].target
    else:
        target = played.asked[0] if played.asked else "dealer"
    return 0 if target == "dealer" else int(target.removeprefix("box").rstrip("bcd"))


def due_deck(state: State) -> Deck | None:
    """The deck that has to be cut now: shuffled by a person or preshuffled, not cut, no card of it dealt."""
    dealt = state.shoe.counted if state.shoe.drawn else ""
    waits = (deck for deck in state.decks if deck.by_hand and deck.shuffled and not deck.cut and deck.ident != dealt)
    return next(waits, None)


def offered(state: State, deck: Deck) -> str:
    """Who is offered the cut now: `box3`, `first_player`, `dealer`."""
    rule, played = state.setup.profile.rule("cut_offer"), state.round
    if not played.boxes and not deck.cut_refused:
        return "first_player"
    boxes = played.boxes or tuple(range(1, state.setup.positions + 1))
    first = state.shoe.cut_box if state.shoe.cut_box in boxes else max(boxes)
    first = first if played.boxes else deck.cut_refused[0]
    order: tuple[int, ...] = (first,)
    if rule is not None and rule.param("passes_on", default=False):
        order = (*(box for box in boxes if box >= first), *(box for box in boxes if box < first))
    left = [box for box in order if box not in deck.cut_refused]
    return f"box{left[0]}" if left else "dealer"


def refused(state: State, act: KpRefuse) -> State:
    """`state` with the cut refused by a box; refused itself where no cut is due."""
    deck = due_deck(state)
    if deck is None:
        return refuse(state, "No round is in progress, and no cut is offered.")
    return say(put_deck(state, replace(deck, cut_refused=(*deck.cut_refused, act.box))), "cut_refused")
