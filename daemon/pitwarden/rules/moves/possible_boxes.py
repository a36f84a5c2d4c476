"""Boxes that inputs name: at the table, and with a hand in the round where that is what the input is about."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_cards import KpCut
from pitwarden_client.events.dealer_irregularities import KpNoCards, KpOneCard, KpOption, KpRefuse, KpSkipped
from pitwarden_client.events.dealer_wagers import KpSettled, KpWager
from pitwarden_client.events.inputs import Act

from pitwarden.rules.state.state import State

_RULE = "positions"


def reasons(state: State, act: Act) -> Iterator[tuple[str, str]]:
    """Why the box that `act` names cannot be meant, with the profile's row."""
    box = _box(act)
    if box is None:
        return
    played, known = state.round, bool(state.round.boxes)
    none = f"Box {box} has no hand in this round."
    if box > state.setup.positions:
        yield f"The table has positions 1 to {state.setup.positions}: there is no box {box}.", _RULE
    match act:
        case KpNoCards() | KpOneCard() | KpSkipped() if known and box not in played.active:
            yield none, _RULE
        case KpOption() if known and box not in played.boxes:
            yield none, _RULE
        case KpSettled() if known and box not in played.boxes:
            yield none, _RULE
        case KpWager() if known and played.open and played.dealt and box not in played.active:
            yield none, _RULE
        case KpRefuse() if known and played.open and box not in played.active:
            yield none, _RULE
        case _:
            return


def _box(act: Act) -> int | None:
    box = act.by if isinstance(act, KpCut) else vars(act).get("box")
    return box if isinstance(box, int) else None
