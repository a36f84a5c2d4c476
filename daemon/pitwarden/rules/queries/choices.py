"""Queries about the steps between the deal and play: in-between wagers settled, antes collected, each hand chosen.

19:47-2.26(e), 13:69F-2B.7(e), (f). While one of them is open, the reader's answer stays hidden.
"""

from typing import Final

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.queries.layout import Slot, cards_of, cards_of_each, draws_of_each
from pitwarden.rules.queries.open_wagers import are_settled
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.state import RulesState

ROWS: Final = declared(__name__, reads=("antes_collected", "choices", "ib_settled"))

STEPS: Final = ("ib_settled", "antes_collected", "choices")
"""Keys of the profile rules that name such a step, in the order in which the steps are made."""


def is_step_open(state: RulesState, step: str) -> bool:
    """Return whether this game has `step`, the step is keyed here, and it is not made yet in this round."""
    rule, played = ROWS(state, step), state.round
    if rule is None or not state.setup.keyed(rule.needs) or not played.open:
        return False
    match step:
        case "choices":
            return any(choice_of(state, box) is None for box in choosers(state))
        case "ib_settled" if are_settled(played, ("ib",)):
            return False
        # 2B.5(a) asks each player for an ante: none is missing only where antes are keyed.
        case "antes_collected" if any(one.wager == "ante" for one in played.windows.bets.stakes):
            return not are_settled(played, ("ante",)) and step not in played.windows.steps
        case _:
            return step not in played.windows.steps


def are_steps_made(state: RulesState) -> bool:
    """Return whether no step is left between the deal and play."""
    return not any(is_step_open(state, step) for step in STEPS)


def choice_of(state: RulesState, box: int) -> str | None:
    """Return the choice of the player of `box`, `keep` or `switch`; None until it is keyed."""
    return next((choice for chosen, choice in state.round.windows.choices if chosen == box), None)


def choosers(state: RulesState) -> tuple[int, ...]:
    """Return the boxes whose players are "eligible" to choose (2B.7(f)).

    A box that declined its second card has no hand to choose.
    """
    return tuple(box for box in state.round.deal.active if box not in state.round.deal.single)


def are_pairs_known(state: RulesState) -> bool:
    """Return whether the cards that a player plays can be known.

    Where the game gives a choice between two pairs, the choice must be keyed at this table.
    """
    rule = ROWS(state, "choices")
    return rule is None or state.setup.keyed(rule.needs)


def pair_of(state: RulesState, box: int) -> tuple[DrawnCard, ...]:
    """Return the initial cards that `box` plays, in a game with a choice between two pairs.

    It is the pair that was dealt face up, or the pair dealt face down when the player switched.
    """
    return _chosen(state, box, cards_of(state.setup, state.round, f"box{box}"))


def pairs_of(state: RulesState) -> tuple[tuple[int, tuple[DrawnCard, ...]], ...]:
    """Return each active box with its pair, see `pair_of`."""
    boxes = state.round.deal.active
    targets = [f"box{box}" for box in boxes]
    if ROWS(state, "choices") is None:
        return tuple(zip(boxes, draws_of_each(state.setup, state.round, targets), strict=True))
    each = cards_of_each(state.setup, state.round, targets)
    return tuple([(box, _chosen(state, box, cards)) for box, cards in zip(boxes, each, strict=True)])


def _chosen(state: RulesState, box: int, cards: tuple[tuple[Slot, DrawnCard], ...]) -> tuple[DrawnCard, ...]:
    up = choice_of(state, box) != "switch"
    return tuple(draw for slot, draw in cards if slot.up is up)
