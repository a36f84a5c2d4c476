"""The deck that is dealt from the hand: no device sees it, so the shuffler and the discard rack decide which it is.

With two decks, the one in play is the one that is in neither. Whose turn it is (51.2(b)4) is a duty and proves nothing:
where shuffler and rack leave both decks possible, none is named.
"""

from collections.abc import Sequence

from pitwarden.rules.state.equipment import DeckState, DeviceState


def rotating(decks: Sequence[DeckState]) -> list[DeckState]:
    """Return the decks in use at the table: opened and verified, and not to be removed."""
    return [deck for deck in decks if not deck.removed and deck.opening not in {"", "bad"}]


def deck_in_hand(decks: Sequence[DeckState], devices: Sequence[DeviceState], rack: str) -> str:
    """Return the deck that the dealer can have in the hand; empty where more than one is possible.

    Args:
        decks: Decks of the table, of which at least one is in use.
        devices: Devices of the table.
        rack: Deck in the discard rack; empty for none.
    """
    used = rotating(decks)
    shufflers = [one for one in devices if one.kind == "shuffler" and one.on_table]
    bound = {rack, *(one.deck for one in shufflers if one.busy)}
    free = [deck for deck in used if deck.ident not in bound]
    if len(free) > 1:
        # A deck whose shuffle is over may have been taken out, unless the other one can be dealt as well.
        inside = {one.deck for one in shufflers}
        free = [deck for deck in free if deck.ident not in inside and deck.shuffled]
        free = free if inside & {deck.ident for deck in used} else []
    return free[0].ident if len(free) == 1 else ""
