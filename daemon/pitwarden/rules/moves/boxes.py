"""The boxes that the dealer keyed: those of the round that is on, put right, or of a round that begins with them."""

from pitwarden_client.events.dealer_play import KpBoxes

from pitwarden.rules.copying import replace
from pitwarden.rules.moves import entry_bar, round_end
from pitwarden.rules.moves.draws import begun
from pitwarden.rules.queries.layout import all_certain, all_dealt, missing
from pitwarden.rules.state.state import State, refuse, say


def keyed(state: State, act: KpBoxes) -> State:
    """`state` with the boxes of the round that is on, or of the next one; refused where hands are played already."""
    boxes = act.boxes
    if any(box > state.setup.positions for box in boxes) or tuple(sorted(set(boxes))) != boxes or not boxes:
        text = (
            f"The table has positions 1 to {state.setup.positions}: key each active box once, from the dealer's left."
        )
        return refuse(state, text, "positions")
    played = state.round.over or bool(state.round.hands)
    if state.round.open and not state.setup.keyed(("kp.round_end",)):
        if played or missing(state.setup, state.round) == 0:  # nothing else says that the round before is over
            state = round_end.keyed(state)
    elif state.round.open and (played or (boxes != state.round.boxes and _played_to(state))):
        return refuse(state, "This round's hands are played already: key the boxes of the next round after its end.")
    barred = entry_bar.barred(state, boxes)
    if barred:
        text = f"Box {barred[0]} sat out a round: the house admits it (kp.admit), or it waits for the next shuffle."
        return refuse(state, text, "mid_shoe_entry")
    in_deal = state.round.open and len(state.round.dealt) > state.round.carried
    state = begun(state)
    played_anew = replace(state.round, boxes=boxes, out=(), late=(), options=(), hole_out=(), single=())
    state = _taken_up(replace(state, round=played_anew))
    if in_deal and missing(state.setup, state.round):
        return say(state, "in_the_deal")
    return say(state, "boxes_agree") if all_dealt(state.setup, state.round) else state


def _played_to(state: State) -> bool:
    """Whether choices, decisions or reveals are keyed of boxes whose cards are all known to lie there."""
    played = state.round
    return bool(played.choices or played.decided or played.shown) and all_certain(state.setup, played)


def _taken_up(state: State) -> State:
    """Cards that seemed to be too many lie on the boxes that were not keyed before."""
    played, short = state.round, missing(state.setup, state.round) or 0
    more = played.extras[:short]
    if not more:
        return state
    return replace(state, round=replace(played, dealt=(*played.dealt, *more), extras=played.extras[short:]))
