"""What the hole-card reader did. Its answer is one bit, and stays hidden until the windows before it are closed."""

from pitwarden_client.events.device import ReaderFault, ReaderInserted, ReaderResult

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.layout import lying
from pitwarden.rules.queries.reader import elected, hole_is_out, late, up_allowed
from pitwarden.rules.state.entry import Entry
from pitwarden.rules.state.round import ReaderUse
from pitwarden.rules.state.state import State, say

ReaderEvent = ReaderInserted | ReaderResult | ReaderFault


def moved(state: State, entry: Entry, event: ReaderEvent) -> State:
    """`state` after a reader event."""
    use = state.round.reader
    match event:
        case ReaderInserted():
            state = say(state, "inserted")
            if not state.round.open:
                return state
            misused = hole_is_out(state) and up_allowed(state) is False
            made = ReaderUse(entry.number, entry.log_ms, epoch=entry.epoch, misused=misused, failed=not elected(state))
            return replace(state, round=replace(state.round, reader=made))
        case ReaderResult():
            state = say(state, "answered")
            if not state.round.open:
                return state
            failed = use.failed or not elected(state) or late(state, state.log_ms)
            made = replace(use, answered=entry.number, epoch=entry.epoch, bit=entry.bit, failed=failed)
            return replace(state, round=replace(state.round, reader=made))
        case _:
            return say(unusable(state), "reader_fault")


def misused(state: State) -> State:
    """`state` with the reader misused where a correction shows only now that the up card does not ask for it."""
    use = state.round.reader
    if not use.inserted or use.misused or up_allowed(state) is not False:
        return state
    holes = [draw for slot, draw in lying(state.setup, state.round, "dealer") if not slot.up]
    if not holes or (holes[0].epoch == use.epoch and holes[0].number > use.inserted):
        return state
    return replace(state, round=replace(state.round, reader=replace(use, misused=True)))


def unusable(state: State) -> State:
    """`state` with this round's use of the reader void: it has no answer, now or later (36.14(m))."""
    return replace(state, round=replace(state.round, reader=replace(state.round.reader, failed=True)))
