"""Whether the cards are being dealt: what 13:69F-51.12(a) and (d) void, they void only then."""

from pitwarden.rules.layout import missing
from pitwarden.rules.state.state import State


def not_begun(state: State) -> bool:
    """Whether the loaded shoe, as far as it is heard, has dealt no card of the open round, which no one ended yet."""
    played, shoe = state.round, state.present("shoe")
    silent = shoe is None or shoe.health in {"stale", "lost"} or state.table.mode == "hand" or not state.shoe.deck
    return not silent and played.open and not played.over and len(played.dealt) <= played.carried


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
