"""What ends a pass of the deal: how many cards were out then is marked, and decides whether slots are certain."""

from pitwarden_client.events.dealer_wagers import KpClose, KpOpen
from pitwarden_client.events.device import ReaderInserted
from pitwarden_client.events.inputs import InputLogged

from pitwarden.rules.copying import replace
from pitwarden.rules.queries.decks import not_begun
from pitwarden.rules.queries.layout import UNMARKED, Template, template
from pitwarden.rules.state.entry import Entry
from pitwarden.rules.state.state import State, tell


def key_of(entry: Entry) -> str:
    """The row as profiles name it: `kp.close attack2`, `kp.decision`, `reader.inserted`; else nothing."""
    if isinstance(entry.data, ReaderInserted):
        return entry.data.kind
    if not isinstance(entry.data, InputLogged):
        return ""
    act = entry.data.act
    return f"{act.act} {act.window}" if isinstance(act, KpOpen | KpClose) else act.act


def marked(state: State, key: str) -> State:
    """`state` with the passes that `key` ends marked; earlier passes whose own end never came end with it."""
    played, done = state.round, len(state.round.marks)
    ended = [at for at, one in enumerate(state.setup.profile.passes) if key in one.ends and at >= done] if key else []
    if not ended or not played.open or played.over or (state.setup.profile.in_stacks and not_begun(state)):
        return state
    plan, last, out = template(state.setup, played), ended[-1], len(played.dealt)
    if plan is None or (key == ReaderInserted.model_fields["kind"].default and out < plan.ends[last]):
        return state
    between = (UNMARKED,) * (last - done)
    marks = (*played.marks, *between, _mark(state, plan, last))
    made = replace(state, round=replace(played, marks=marks, early=0))
    if marks[last] != plan.ends[last] and out:
        text = f"{out} cards are out where {plan.ends[last]} belong: none is revealed until a correction is keyed."
        return tell(made, "deal", "uneven", text)
    return made


def _mark(state: State, plan: Template, at: int) -> int:
    """How many cards were out. One too many makes no slot certain, be it a hit ahead of its key or a double reading."""
    played = state.round
    out, end = len(played.dealt) + len(played.extras), plan.ends[at]
    return end if end < out <= end + played.early else out
