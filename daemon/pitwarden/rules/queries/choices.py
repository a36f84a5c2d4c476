"""Questions about choices before play.

What has to be keyed between the deal and play: in-between wagers settled, antes collected, each hand chosen.

19:47-2.26(e), 13:69F-2B.7(e), (f). While one of them is open, the reader's answer stays hidden.
"""

from typing import Final

from pitwarden.rules.queries.layout import Slot, lying, lying_each
from pitwarden.rules.state.round import Draw
from pitwarden.rules.state.state import State

STEPS: Final = ("ib_settled", "antes_collected", "choices")


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
