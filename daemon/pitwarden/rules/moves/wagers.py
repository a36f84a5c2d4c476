"""Keyed wagers: those that may no longer be made or handled are refused (36.5(f), (g), 2.26(d), 2B.5(d), (e))."""

from dataclasses import replace

from pitwarden.events.dealer import KpWager
from pitwarden.rules.moves.change import refuse
from pitwarden.rules.state import State


def placed(state: State, act: KpWager) -> State:
    """`state` with the wager, or the refusal with the clause that bars it."""
    played, wager = state.round, f"{act.wager} {act.box}"
    late, locked = state.setup.profile.rule("wager_window"), state.setup.profile.rule("wager_locked")
    if late is not None and act.wager in late.words("before_first_card") and played.open and played.dealt:
        return refuse(state, f"The first card is dealt: no {_name(act)} wager is made or changed now.", late.key)
    decided = act.wager in played.closed or wager in played.wagers
    if locked is not None and act.wager in locked.words("confirmed") and played.open and decided:
        return refuse(state, f"The {_name(act)} wagers are confirmed: none is handled until it is decided.", locked.key)
    return replace(state, round=replace(played, wagers=(*played.wagers, wager)))


def _name(act: KpWager) -> str:
    return act.wager.replace("_", " ")
