"""Ends of passes: the number of cards out at the key that ends a pass, which decides whether slots are certain.

A key that came with too few cards may only have been early. It is taken as undone where a later key ends a pass with
the right number, or the boxes are keyed again. An act between them that may have made the number right forbids that.
"""

from functools import lru_cache
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.queries.decks import deal_not_begun
from pitwarden.rules.queries.layout import SKIPPED, UNMARKED, deal_template
from pitwarden.rules.setup.table_setup import TableSetup
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState, add_notice
from pitwarden_client.events.dealer_play import KpBoxes, KpDealt
from pitwarden_client.events.dealer_wagers import KpClose, KpOpen, KpWager
from pitwarden_client.events.device import ReaderHolePlaced, ReaderInserted, ShoeStack
from pitwarden_client.events.floor import Ack, FtSettleNote
from pitwarden_client.events.inputs import InputLogged

ROWS: Final = declared(__name__, decides=("deal",))

_INSERTED: Final = ReaderInserted().kind
_DEALT: Final = KpDealt().act
_OF_THE_PLAY: Final = frozenset({_INSERTED, _DEALT, "kp.choice", "kp.dealer_reveal", "kp.decision", "kp.hole_up"})
"""Keys that end a pass by an act of their own: with the wrong number of cards they are not merely early."""
_ASIDE: Final = (KpBoxes, KpClose, KpOpen, KpWager, Ack, FtSettleNote)
"""Inputs that change no number of cards. Boxes are compared with the cards where they are keyed."""


def pass_key(entry: LogEntry) -> str:
    """Return the row as profiles name it: `kp.close attack2`, `kp.decision`, `reader.inserted`; else empty."""
    data = entry.data
    # Types are compared exactly: `isinstance` costs ten times as much where the answer is no, on each row.
    if type(data) is InputLogged:
        act = data.act
        return f"{act.act} {act.window}" if type(act) is KpOpen or type(act) is KpClose else act.act
    if type(data) is ReaderInserted:
        return _INSERTED
    return _DEALT if type(data) is ReaderHolePlaced else ""


@lru_cache(maxsize=1024)
def _ended_by(profile: GameProfile, key: str) -> tuple[int, ...]:
    """Return the indices of the passes of a game that `key` ends."""
    return tuple(at for at, one in enumerate(profile.passes) if key in one.ends)


def mark_passes(state: RulesState, key: str) -> RulesState:
    """Return `state` with the passes that `key` ends marked; earlier passes that are still open end with them."""
    ending = _ended_by(state.setup.profile, key) if key else ()
    if not ending:
        return state
    if state.round.void:
        return replace(state, round=state.round.with_aside(key))
    if state.round.deal.hasty >= 0 and state.round.live:
        state = _corrected_marks(state, key)
    played, done = state.round, len(state.round.deal.marks)
    ended = [at for at in ending if at >= done]
    if not ended or not played.live or (state.setup.profile.in_stacks and deal_not_begun(state)):
        return state
    plan, last, out = deal_template(state.setup, played), ended[-1], len(played.deal.dealt)
    if plan is None or (key == _INSERTED and out < plan.ends[last]):
        return state
    # A completed deal ends no pass while the number of cards contradicts it.
    if key == _DEALT and out + len(played.exceptions.extras) != plan.ends[last]:
        return state
    marks = (*played.deal.marks, *_between(state, key, done, last), _mark(state))
    early = marks[last] < plan.ends[last] and _may_be_early(state, key) and _first_wrong(state.setup, played) is None
    hasty = done if early and not played.deal.early else played.deal.hasty
    made = replace(state, round=replace(played, deal=replace(played.deal, marks=marks, early=0, hasty=hasty)))
    if marks[last] != plan.ends[last] and out:
        # As many as the mark has: a card drawn ahead of this key is out, although no hand has asked for it.
        # A key that was early can be retracted, and what the reader sensed cannot.
        retractable = marks[last] < plan.ends[last] and key != _INSERTED
        case = "uneven_early" if retractable else "uneven"
        if played.deal.early:
            case = "uneven_besides_early" if retractable else "uneven_besides"
        count, right = marks[last], plan.ends[last]
        return add_notice(made, ROWS(state, "deal"), case, count=count, right=right, first=state.number)
    return made


def follow_haste(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` after `entry`, where a key may have been early: an act on the cards makes its number final."""
    data = entry.data
    acted = isinstance(data, InputLogged) and not isinstance(data.act, _ASIDE)
    if not (acted or isinstance(data, ReaderInserted | ReaderHolePlaced | ShoeStack)):
        return state
    return state if _may_be_early(state, pass_key(entry)) else _final(state)


def without_haste(setup: TableSetup, played: RoundState) -> RoundState:
    """Return `played`, with new boxes, without the marks of an early key, unless these boxes make them right."""
    first, deal = played.deal.hasty, played.deal
    if first < 0:
        return played
    marks = deal.marks if _first_wrong(setup, played) is None else deal.marks[:first]
    return replace(played, deal=replace(deal, marks=marks, hasty=-1))


def _corrected_marks(state: RulesState, key: str) -> RulesState:
    """Return `state` without the marks of a key that was only early, where `key` ends a pass with the right number.

    World: a card was not read, and that key was in time. A card drawn for a hand, in error, or for a new dealer then
    makes the number right at a later key. The key of such a card has made the wrong number final. A forgotten second
    card can make it right as well: `layout.guarded` keeps the cards that may be the hole card then.
    """
    played, first, plan = state.round, state.round.deal.hasty, deal_template(state.setup, state.round)
    ended = [at for at in _ended_by(state.setup.profile, key) if at >= first]
    if not ended or plan is None:
        return state
    end = plan.ends[ended[-1]]
    if _mark(state) == end and not played.exceptions.extras:
        marks = (*played.deal.marks[:first], *_between(state, key, first, ended[-1]), end)
        return replace(state, round=replace(played, deal=replace(played.deal, marks=marks, hasty=-1)))
    return state if _may_be_early(state, key) else _final(state)


def _final(state: RulesState) -> RulesState:
    return replace(state, round=replace(state.round, deal=replace(state.round.deal, hasty=-1)))


def _may_be_early(state: RulesState, key: str) -> bool:
    """Return whether `key` only ends a pass, without an act on cards that comes with it."""
    ends = {one for each in state.setup.profile.passes for one in each.ends}
    return key in ends - _OF_THE_PLAY and not state.round.exceptions.extras


def _first_wrong(setup: TableSetup, played: RoundState) -> int | None:
    """Return the first pass that ended with another number of cards than it has; None where there is none."""
    plan = deal_template(setup, played)
    marked = enumerate(zip(played.deal.marks, plan.ends if plan else (), strict=False))
    return next((at for at, (mark, end) in marked if mark not in {end, UNMARKED, SKIPPED}), None)


def _between(state: RulesState, key: str, first: int, last: int) -> tuple[int, ...]:
    """Return the marks of the passes from `first` to the one before `last`, which end with it."""
    keyed = state.setup.keyed(("kp.close",))
    skipped = [keyed and key not in one.ends for one in state.setup.profile.passes[first:last]]
    return tuple([SKIPPED if one else UNMARKED for one in skipped])


def _mark(state: RulesState) -> int:
    """Return the number of cards out at the end of a pass, without those that were drawn in error behind its last.

    With one card too many no slot is certain: it may be a hit ahead of its key, or a card that was read twice. With the
    right number in spite of a card drawn in error, a card of the pass was not read.
    """
    played = state.round
    return len(played.deal.dealt) + len(played.exceptions.extras) - played.deal.early
