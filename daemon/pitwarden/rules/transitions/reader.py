"""Events of the hole-card reader. Its answer is one bit, hidden until the windows before it are closed."""

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.queries.layout import cards_missing, cards_of
from pitwarden.rules.queries.reader import hole_is_out, is_reader_in_use, is_reader_late, up_card_allows_reader
from pitwarden.rules.state.cards import ReaderUse
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState, add_fact
from pitwarden_client.events.device import ReaderFault, ReaderInserted, ReaderResult

ReaderEvent = ReaderInserted | ReaderResult | ReaderFault


def apply_reader_event(state: RulesState, entry: LogEntry, event: ReaderEvent) -> RulesState:
    """Return `state` after an event of the hole-card reader."""
    use = state.round.play.reader
    match event:
        case ReaderInserted():
            if not state.round.open:
                return state
            out = hole_is_out(state)
            made = ReaderUse(
                entry.number,
                entry.log_ms,
                epoch=entry.epoch,
                misused=out and up_card_allows_reader(state) is False,
                empty=not out and cards_missing(state.setup, state.round) is not None,
                failed=use.failed or not is_reader_in_use(state),
            )
            return replace(state, round=replace(state.round, play=replace(state.round.play, reader=made)))
        case ReaderResult() if use.empty:
            return replace(state, round=replace(state.round, play=replace(state.round.play, reader=ReaderUse())))
        case ReaderResult():
            state = add_fact(state, fact("answered"))
            if not state.round.open:
                return state
            # 36.14(m): after a failure only the procedure without the reader remains. A late answer must not replace
            # it.
            failed = use.failed or not is_reader_in_use(state) or is_reader_late(state, state.log_ms)
            made = replace(use, answered=entry.number, epoch=entry.epoch, bit=entry.bit, failed=failed)
            return replace(state, round=replace(state.round, play=replace(state.round.play, reader=made)))
        case _:
            return add_fact(mark_reader_unusable(state), fact("reader_fault"))


def mark_reader_misused(state: RulesState) -> RulesState:
    """Return `state` with the reader misused where a correction shows that the up card does not call for it."""
    use = state.round.play.reader
    if not use.inserted or use.misused or up_card_allows_reader(state) is not False:
        return state
    holes = [draw for slot, draw in cards_of(state.setup, state.round, "dealer") if not slot.up]
    if not holes or (holes[0].epoch == use.epoch and holes[0].number > use.inserted):
        return state
    return replace(state, round=replace(state.round, play=replace(state.round.play, reader=replace(use, misused=True))))


def mark_reader_unusable(state: RulesState) -> RulesState:
    """Return `state` with this round's use of the reader void: it has no answer, now or later (36.14(m))."""
    return replace(
        state,
        round=replace(
            state.round, play=replace(state.round.play, reader=replace(state.round.play.reader, failed=True))
        ),
    )
