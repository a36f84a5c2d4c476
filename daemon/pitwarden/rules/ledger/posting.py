"""The card ledger row by row: each device event is a transfer, each count a trial balance. Counts are evidence.

Pure bookkeeping beside the moves: it reads what they made of the row and changes nothing but the books.
"""

from pitwarden_client.events.device import (
    DeviceCount,
    DeviceGap,
    ShoeCard,
    ShoeEmpty,
    ShoeLoaded,
    ShoeStack,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import EpochOpened, LogFault

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger import devices
from pitwarden.rules.ledger.entries import drawn
from pitwarden.rules.ledger.inputs import keyed
from pitwarden.rules.state.card_book import lost_sight
from pitwarden.rules.state.entry import Entry
from pitwarden.rules.state.state import State


def posted(before: State, made: State, entry: Entry) -> State:  # noqa: C901  one line per row: a dispatch
    """`made`, which the moves made of `before` and the row, with the row in its books."""
    data = entry.data
    match data:
        case ShoeCard() | ShoeStack():
            return drawn(before, made)
        case InputLogged():
            return keyed(before, made, entry, data)
        case ShufflerStarted():
            return devices.started(before, made, entry, data)
        case ShufflerDone():
            return devices.done(before, made, entry, data)
        case ShufflerFault():
            return devices.failed(before, made, entry, data)
        case ShoeLoaded():
            return devices.loaded(before, made, entry, data)
        case ShoeUnloaded():
            return devices.unloaded(before, made, entry, data)
        case ShoeEmpty():
            return devices.emptied(made, data)
        case DeviceCount():
            return devices.answered(made, entry, data)
        case DeviceGap() | LogFault():
            return _unknown(made)
        case EpochOpened() if before.number and (data.parent is None or data.parent.at.number != before.number):
            return _unknown(made)
        case _:
            return made


def _unknown(made: State) -> State:
    """Rows are lost: nobody knows what moved meanwhile."""
    return replace(made, books=tuple(lost_sight(book) for book in made.books))
