"""Boxes that sat out a round may be kept out until the next shuffle, at the house's choice (36.5(h), 2B.5(g))."""

from pitwarden.rules.copying import replace
from pitwarden.rules.state.state import State


def barred(state: State, boxes: tuple[int, ...]) -> tuple[int, ...]:
    """Those of `boxes` that the house keeps out of the round that is keyed."""
    rule = state.setup.profile.rule("mid_shoe_entry")
    dealt = state.round.open and len(state.round.dealt) > state.round.carried
    if rule is None or state.setup.policy.mid_shoe_entry or dealt:
        return ()
    return tuple(box for box in boxes if box in state.shoe.sat_out)


def sat_out(state: State) -> tuple[int, ...]:
    """The boxes without a wager in this or an earlier round since the shuffle, at the round's end."""
    boxes, known = state.round.boxes, state.shoe.sat_out
    if not boxes:
        return known
    return tuple(box for box in range(1, state.setup.positions + 1) if box in known or box not in boxes)


def admitted(state: State, box: int) -> State:
    """`state` with `box` let in again."""
    return replace(state, shoe=replace(state.shoe, sat_out=tuple(one for one in state.shoe.sat_out if one != box)))
