"""What has to be keyed between the deal and play: in-between wagers settled, antes collected, each hand chosen.

19:47-2.26(e), 13:69F-2B.7(e), (f). While one of them is open, the reader's answer stays hidden.
"""

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpChoice
from pitwarden_client.events.dealer_wagers import KpAntesCollected, KpIbSettled

from pitwarden.rules.copying import replace
from pitwarden.rules.queries.choices import choice_of, pair_of, waiting
from pitwarden.rules.queries.decks import not_begun
from pitwarden.rules.state.state import State, refuse, say

"""The profile rows that name such a step, in the order in which the steps are made."""


def apply_choice(state: State, act: DealerAct) -> State:
    """`state` after one of these keys; unchanged by other keys."""
    match act:
        case KpIbSettled():
            return _done(state, "ib_settled")
        case KpAntesCollected():
            return _done(state, "antes_collected")
        case KpChoice():
            return _chosen(state, act)
        case _:
            return state


def _done(state: State, step: str) -> State:
    if state.setup.profile.rule(step) is None:
        return refuse(state, f"{state.setup.profile.title} has no such step between the deal and play.")
    if not state.round.open:
        return refuse(state, "No round is in progress.", step)
    if not_begun(state):
        return refuse(state, "No card is dealt in this round yet: this comes after the deal.", step)
    return say(replace(state, round=replace(state.round, steps=(*state.round.steps, step))), step)


def _chosen(state: State, act: KpChoice) -> State:
    played = state.round
    if state.setup.profile.rule("choices") is None:
        return refuse(state, f"{state.setup.profile.title} gives no choice between two hands.")
    if not played.open or (played.boxes and act.box not in played.active):
        return refuse(state, f"Box {act.box} has no hand in this round.", "choices")
    if not_begun(state):
        return refuse(state, "No card is dealt in this round yet: a hand is chosen after the deal.", "choices")
    if choice_of(state, act.box) is not None and state.setup.keyed(("kp.round_end",)):
        return refuse(state, f"Box {act.box} has chosen already: it is a one-time option.", "choices")
    others = tuple(made for made in played.choices if made[0] != act.box)
    state = replace(state, round=replace(played, choices=(*others, (act.box, act.choice))))
    state = _played_anew(state, act.box)
    return state if waiting(state, "choices") else say(state, "all_chosen")


def _played_anew(state: State, box: int) -> State:
    """A choice keyed after play began: the hand is the chosen pair, unless cards were drawn to it already."""
    hands = tuple(
        replace(hand, cards=pair_of(state, box)) if (hand.box, hand.half, len(hand.cards)) == (box, "", 2) else hand
        for hand in state.round.hands
    )
    return replace(state, round=replace(state.round, hands=hands))
