"""Doubts that a refused input leaves: for the rest of the round it is uncertain whose cards it meant."""

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.dealer_irregularities import KpMisplaced
from pitwarden_client.events.dealer_play import KpChoice, KpDecision
from pitwarden_client.events.inputs import InputLogged


def after_refusal(state: RulesState, entry: LogEntry) -> RulesState:
    """Return `state` after the input of `entry` was refused; a refused choice, decision or swap leaves a doubt.

    A box that was named wrongly once may have been named wrongly before, where no rule could refuse it. In such a round
    no choice (13:69F-2B.7(f)) and no decision (51.10(c)) shows a hand that was dealt face down. After a refused swap no
    hand is shown until a swap is keyed again: the boxes may be those that were keyed late, and the cards lie exchanged.
    """
    played = state.round
    if not played.open or not isinstance(entry.data, InputLogged):
        return state
    act = entry.data.act
    hidden = any(not one.up and one.to in {"boxes", "all"} for one in state.setup.profile.passes)
    if isinstance(act, KpMisplaced) and hidden:
        return replace(state, round=replace(played, exceptions=replace(played.exceptions, swap_doubt=True)))
    keys = state.setup.profile.keys
    choice = isinstance(act, KpChoice) and act.act in keys.acts
    if not choice and not (isinstance(act, KpDecision) and act.decision in {"play", "fold"} & set(keys.decisions)):
        return state
    return replace(state, round=replace(played, exceptions=replace(played.exceptions, choice_doubt=True)))
