"""Evolution of the state by one log row.

Time passes, a pass of the deal may end, the row is applied, and cards become public.
"""

from typing import Final, get_args

from typing_extensions import TypeIs

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger.posting import post_row
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import key_fact
from pitwarden.rules.queries.decks import card_changes
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import (
    RowEffects,
    RulesState,
    add_fact,
    add_notice,
    refuse_input,
    replace_deck,
    replace_device,
)
from pitwarden.rules.transitions import deal_completion, dealer_inputs, floor_inputs, hole_card, reader, shoe, shuffler
from pitwarden.rules.transitions.course import follow_course, is_course_kept
from pitwarden.rules.transitions.disclosure import disclose
from pitwarden.rules.transitions.doubts import after_refusal
from pitwarden.rules.transitions.hands import serve_waiting_cards, served_late
from pitwarden.rules.transitions.input_validation import input_refusal
from pitwarden.rules.transitions.pass_marks import follow_haste, mark_passes, pass_key
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_irregularities import KpDrawnInError, KpFaceUp, KpSkipped, KpTen
from pitwarden_client.events.dealer_play import KpDecision
from pitwarden_client.events.device import (
    DeviceCommand,
    DeviceCount,
    DeviceCover,
    DeviceGap,
    DeviceHealth,
    DeviceIdentified,
    DeviceMaintenance,
    DeviceMeter,
    DevicePower,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
    KeypadEntry,
    ReaderFault,
    ReaderHolePlaced,
    ReaderInserted,
    ReaderResult,
    ShoeCard,
    ShoeStack,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.table import (
    ClockStepped,
    ClockTick,
    CommandAccepted,
    CommandRefused,
    EpochOpened,
    JudgeAnnounced,
    KeyAnnounced,
    LogFault,
    PermitApplied,
)

ROWS: Final = declared(__name__, decides=("card_change", "card_change_hand"))

DAY_MS: Final = 86_400_000
"""Milliseconds of a day."""
MINUTE_MS: Final = 60_000
_NOTHING: Final = RowEffects()
_OF_DEALER: Final = frozenset(get_args(DealerAct))


def evolve(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` after `entry`; a refused input changes only the clock and the doubts that it leaves."""
    timed, key = _warned(_timed(state, entry)), pass_key(entry)
    ended, use = mark_passes(timed, key), state.round.play.reader
    ended = _proved(ended, entry) if ended.round.exceptions.doubtful else ended
    ended = served_late(ended, entry) if ended.round.play.asked else ended
    # Otherwise all that is public was published on an earlier row, and deriving it again would cost each row.
    if ended is not timed or state.cases:
        ended = disclose(ended)
    elif use.answered and not use.said:
        ended = disclose(ended, ended.round)
    # A card that is public only now may complete a half of a split, and the next one is dealt without a key (36.9(b)).
    if state.round.exceptions.doubtful and not ended.round.exceptions.doubtful:
        ended = _then_published(ended, serve_waiting_cards(ended))
    # A held hole card is shown before the row is applied: the row proves that the card was turned before it.
    ended = hole_card.agreed(ended, entry) if ended.round.play.hole_held else ended
    made = _then_published(ended, _applied(ended, entry, key))
    if made.now.refused is not None:
        # The refused input ends no pass either: the state before it is kept, with the clock advanced.
        return replace(after_refusal(timed, entry), now=replace(timed.now, refused=made.now.refused))
    made = _then_published(made, serve_waiting_cards(made)) if made.round.play.hands else made
    made = follow_haste(made, entry) if made.round.deal.hasty >= 0 else made
    made = reader.mark_reader_misused(made) if made.round.play.reader.inserted else made
    same = made.table.mode == state.table.mode and is_course_kept(state.round, made.round)
    return post_row(state, made if same else follow_course(made), entry)


def _proved(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` without cards that may have been drawn in error, where `entry` shows that they were not.

    The key of such a card is the next row (36.14(c)): with another card or key that would be a second mistake. A key
    that states what the last card is proves nothing of it.
    """
    data = entry.data
    key = isinstance(data, InputLogged) and not isinstance(
        data.act, KpDrawnInError | KpFaceUp | KpSkipped | KpTen | Retract
    )
    if not (key or isinstance(data, ShoeCard | ShoeStack)) or _may_be_late(state, entry):
        return state
    return replace(state, round=replace(state.round, exceptions=replace(state.round.exceptions, doubtful=frozenset())))


def _may_be_late(state: RulesState, entry: LogEntry) -> bool:
    """Return whether `entry` is a decision to stand at a split hand.

    World: it is the key that was missing for the first half, and the last card was drawn in error and not keyed so yet.
    """
    data = entry.data
    if not isinstance(data, InputLogged) or not isinstance(data.act, KpDecision) or data.act.decision != "stand":
        return False
    return any(hand.half for hand in state.round.play.hands if hand.box == data.act.box)


def _then_published(old: RulesState, new: RulesState) -> RulesState:
    """Return `new` with all its public cards published; unchanged where the row changed nothing of `old`."""
    return new if new is old else disclose(new, old.round)


def gaming_day(state: RulesState, entry: LogEntry) -> int:
    """Return the number of the gaming day on row `entry`; a clock that runs back does not return to an earlier day.

    A row from before the log had the gaming day is in that of UTC. An unreadable row has the time of the row before it,
    and remains in its day.
    """
    day = entry.gaming_day
    if day is None:
        if isinstance(entry.data, LogFault) and entry.data.fault == "row_unreadable":
            return state.table.day
        day = (entry.utc_ms - state.setup.gaming_day_start * MINUTE_MS) // DAY_MS
    return max(state.table.day, day)


def _timed(state: RulesState, entry: LogEntry) -> RulesState:
    table, day = state.table, gaming_day(state, entry)
    return replace(
        state,
        epoch=entry.epoch,
        number=entry.number,
        log_ms=max(state.log_ms, entry.log_ms),
        utc_ms=entry.utc_ms,
        now=_NOTHING,
        # The rows that can be retracted stay for refusals, which name one; `engine.retraction` sets both.
        undo_base=None,
        table=table if table.day == day else replace(table, day=day),
    )


def _warned(state: RulesState) -> RulesState:
    for deck, rule, left in card_changes(state, state.setup.policy.card_change_warn_ms):
        if left > 0 and not deck.warned:
            state = replace_deck(state, replace(deck, warned=True))
            state = add_notice(state, rule, "warning", deck=deck.ident, count=-(-left // MINUTE_MS))
    return state


def _is_dealers(act: Act) -> TypeIs[DealerAct]:
    """Return whether `act` is a dealer's; `isinstance` would compare it with one kind after the other."""
    return type(act) in _OF_DEALER


def _applied(state: RulesState, entry: LogEntry, key: str) -> RulesState:  # noqa: C901, PLR0912  one line per kind of row: a dispatch
    data = entry.data
    match data:
        case ShoeCard():
            return shoe.apply_shoe_event(state, entry, data)
        case InputLogged():
            bar = input_refusal(state, data)
            if bar is not None:
                return refuse_input(state, *bar)
            state = add_fact(state, key_fact(key))
            return (
                dealer_inputs.apply_dealer_input(state, data.act)
                if _is_dealers(data.act)
                else floor_inputs.apply_floor_input(state, data.act)
            )
        case ClockTick():
            return state
        case ShufflerStarted() | ShufflerDone() | ShufflerFault():
            return shuffler.apply_shuffler_event(state, entry, data)
        case ReaderInserted() | ReaderResult() | ReaderFault():
            return reader.apply_reader_event(state, entry, data)
        case ReaderHolePlaced():
            return deal_completion.sensed(state)
        case DeviceIdentified() | DeviceHealth():
            return _health(state, entry, data)
        case PermitApplied():
            return replace(state, table=replace(state.table, permit_shown=data.cause))
        case JudgeAnnounced():
            announced = f"{data.rules_version} {data.profile_digest}"
            return replace(state, table=replace(state.table, announced=announced))
        case EpochOpened():
            return _restarted(state)
        case (
            ClockStepped() | KeyAnnounced() | LogFault() | CommandAccepted() | CommandRefused()
            | DeviceGap() | DeviceRestarted() | DeviceCount() | DeviceUnknown() | DeviceCommand() | DeviceSuspect()
            | DeviceCover() | DevicePower() | DeviceMaintenance() | DeviceMeter() | KeypadEntry()
        ):  # fmt: skip
            return state
        case _:
            return shoe.apply_shoe_event(state, entry, data)


def _restarted(state: RulesState) -> RulesState:
    """Return `state` at a new epoch: the display shows no permit, and no device is identified."""
    devices = tuple(replace(device, health="", identified=False) for device in state.devices)
    return replace(state, table=replace(state.table, permit_shown="withheld"), devices=devices)


def _health(state: RulesState, entry: LogEntry, data: DeviceIdentified | DeviceHealth) -> RulesState:
    device = state.device(entry.source)
    if device is None:
        return state
    if isinstance(data, DeviceIdentified):
        return replace_device(state, replace(device, identified=True, health="online"))
    identified = device.identified and data.state != "lost"
    return replace_device(state, replace(device, health=data.state, identified=identified))
