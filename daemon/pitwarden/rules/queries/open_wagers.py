"""Queries about keyed wagers that are not settled yet: what was not wagered, or is settled, is not asked for.

A table either keys the wagers of a round or does not: where any is keyed, one that is not keyed was not placed.
"""

from collections.abc import Collection

from pitwarden.rules.state.round import RoundState


def open_boxes(played: RoundState, wagers: Collection[str], box: int | None = None) -> tuple[int, ...] | None:
    """Return the boxes with one of `wagers` that is keyed and not settled; None where no wager is keyed in this round.

    Args:
        played: Round in progress.
        wagers: Names of wagers, as `WagerStake.wager`.
        box: Box that it concerns, None for all.
    """
    if not played.windows.wagers:
        return None
    keyed = {
        (one.wager, one.box) for one in played.windows.bets.stakes if one.wager in wagers and box in {None, one.box}
    }
    left = {at for wager, at in keyed if f"box{at} {wager}" not in played.settlement.settled}
    return tuple(sorted(left))


def are_settled(played: RoundState, wagers: Collection[str], box: int | None = None) -> bool:
    """Return whether none of `wagers` is open: not one was placed, or each was settled by its own key."""
    return open_boxes(played, wagers, box) == ()
