"""Posting of log rows to the card ledger: each device event is a transfer, each count a trial balance.

Pure bookkeeping next to the transitions: it reads their result and changes only the books. Counts are evidence, so a
disagreement is reported and never corrected silently.
"""

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger import devices
from pitwarden.rules.ledger.entries import post_draw
from pitwarden.rules.ledger.inputs import post_input
from pitwarden.rules.state.card_book import mark_unknown
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState
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
from pitwarden_client.events.table import ClockTick, EpochOpened, LogFault


def post_row(before: RulesState, made: RulesState, entry: LogEntry) -> RulesState:  # noqa: C901, PLR0912  one line per row: a dispatch
    """Return `made` with the row posted to its books.

    Args:
        before: State before the row.
        made: State after the transitions of the row.
        entry: The row.
    """
    data = entry.data
    match data:
        case ShoeCard() | ShoeStack():
            return post_draw(before, made)
        case InputLogged():
            return post_input(before, made, entry, data)
        case ClockTick():
            return made
        case ShufflerStarted():
            return devices.post_shuffle_started(before, made, entry, data)
        case ShufflerDone():
            return devices.post_shuffle_done(before, made, entry, data)
        case ShufflerFault():
            return devices.post_shuffle_failed(before, made, entry, data)
        case ShoeLoaded():
            return devices.post_loaded(before, made, entry, data)
        case ShoeUnloaded():
            return devices.post_unloaded(before, made, entry, data)
        case ShoeEmpty():
            return devices.post_emptied(made, data)
        case DeviceCount():
            return devices.post_count_answer(made, entry, data)
        case DeviceGap() | LogFault():
            return _unknown(made)
        case EpochOpened() if before.number and (data.parent is None or data.parent.at.number != before.number):
            return _unknown(made)
        case _:
            return made


def _unknown(made: RulesState) -> RulesState:
    """Return `made` after lost rows: cards may have moved meanwhile, so no account is known."""
    return replace(made, books=tuple(mark_unknown(book) for book in made.books))
