"""Whether the cards are being dealt: what 13:69F-51.12(a) and (d) void, they void only then."""

from pitwarden.rules.layout import missing
from pitwarden.rules.state import State


def dealing(state: State) -> bool:
    """Whether the initial deal of an open round, void or not, still goes on.

    Where its cards cannot be counted against the boxes (not keyed, or dealt from the hand) it goes on until the first
    decision or until the dealer's hand is shown: what is keyed after the deal proves that it has ended.
    """
    played = state.round
    if not played.open:
        return False
    short = missing(state.setup, played)
    if short is None or state.table.mode == "hand":
        return not (played.decided or played.shown or played.hole_up)
    return short > 0
