"""What has to be keyed between the deal and play: in-between wagers settled, antes collected, each hand chosen.

19:47-2.26(e), 13:69F-2B.7(e), (f). While one of them is open, the reader's answer stays hidden.
"""

from typing import Final

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpChoice
from pitwarden_client.events.dealer_wagers import KpAntesCollected, KpIbSettled

from pitwarden.rules.copying import replace
from pitwarden.rules.dealing import not_begun
from pitwarden.rules.layout import Slot, lying, lying_each
from pitwarden.rules.state.round import Draw
from pitwarden.rules.state.state import State, refuse, say

STEPS: Final = ("ib_settled", "antes_collected", "choices")
"""The profile rows that name such a step, in the order in which the steps are made."""


def moved(state: State, act: DealerAct) -> State:
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


def waiting(state: State, step: str) -> bool:
    """Whether this game has `step`, it is keyed here, and in this round it still has to be made."""
    rule, played = state.setup.profile.rule(step), state.round
    if rule is None or not state.setup.keyed(rule.needs) or not played.open:
        return False
    match step:
        case "choices":
            return any(choice_of(state, box) is None for box in choosers(state))
        case "ib_settled" if any(not wager.startswith("ib ") for wager in played.wagers):
            return any(wager.startswith("ib ") for wager in played.wagers) and step not in played.steps
        case _:
            return step not in played.steps


def steps_made(state: State) -> bool:
    """Whether no step stands between the deal and play."""
    return not any(waiting(state, step) for step in STEPS)


def choice_of(state: State, box: int) -> str | None:
    """What the player of `box` chose: `keep` or `switch`; None as long as it is not keyed."""
    return next((choice for chosen, choice in state.round.choices if chosen == box), None)


def choosers(state: State) -> tuple[int, ...]:
    """The boxes whose players are "eligible" to choose (2B.7(f)): one that declined its second card has no hand."""
    return tuple(box for box in state.round.active if box not in state.round.single)


def pairs_known(state: State) -> bool:
    """Whether it can be known which cards a player plays: where there is a choice, it has to be keyed at this table."""
    rule = state.setup.profile.rule("choices")
    return rule is None or state.setup.keyed(rule.needs)


def pair_of(state: State, box: int) -> tuple[Draw, ...]:
    """The initial cards that `box` plays; with a choice the pair that was dealt up, or down when it switched."""
    return _played(state, box, lying(state.setup, state.round, f"box{box}"))


def pairs_of(state: State) -> tuple[tuple[int, tuple[Draw, ...]], ...]:
    """Each active box with its `pair_of`."""
    boxes = state.round.active
    each = lying_each(state.setup, state.round, [f"box{box}" for box in boxes])
    return tuple([(box, _played(state, box, cards)) for box, cards in zip(boxes, each, strict=True)])


def _played(state: State, box: int, cards: tuple[tuple[Slot, Draw], ...]) -> tuple[Draw, ...]:
    if state.setup.profile.rule("choices") is None:
        return tuple([draw for _, draw in cards])
    up = choice_of(state, box) != "switch"
    return tuple(draw for slot, draw in cards if slot.up is up)


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
