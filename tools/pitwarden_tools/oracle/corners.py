"""Corners: nights into which irregularities are put by kind, alone, in pairs, or with mutations."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

from pitwarden_tools.oracle.corner_blackjack import BLACKJACK_CORNERS
from pitwarden_tools.oracle.corner_blitz import BLITZ_CORNERS
from pitwarden_tools.oracle.corner_keys import KEY_CORNERS
from pitwarden_tools.oracle.coverage import keyed
from pitwarden_tools.oracle.mutation import mutate, night
from pitwarden_tools.oracle.night import Sequence
from pitwarden_tools.oracle.said import Setup

Corner = Callable[[Random, Setup, list[str], int], int]
"""Put a corner into the lines, at or after the opening; return the line where it begins, below 0 where none fits."""

NUMBER: Final = (1, 1, 1, 2, 2, 3)
MUTATIONS: Final = 0.2
ALL_KEYED: Final = 0.8


def cornered(game: str, seed: int, index: int, *, wild: bool = False) -> Sequence:
    """Return the sequence `index` of `seed` with one to three corners in it: always the same."""
    rng = Random(f"corners {game} {seed} {index}")
    made = night(game, rng, wild=wild, by_hand=True)
    if game == "CR":
        return made
    lines, placed = list(made.lines), list[tuple[str, int]]()
    kinds: dict[str, Corner] = {**(BLITZ_CORNERS if game == "CB" else BLACKJACK_CORNERS), **KEY_CORNERS}
    for _ in range(rng.choice(NUMBER)):
        name, before = rng.choice(sorted(kinds)), len(lines)
        at = kinds[name](rng, made.setup, lines, made.opening)
        if at >= 0:
            added = len(lines) - before
            placed = [(other, there + added if there >= at else there) for other, there in placed]
            placed.append((name, at))
    if rng.random() < MUTATIONS:
        mutate(rng, game, lines, rng.randrange(made.opening, len(lines)))
    setup = made.setup if rng.random() < ALL_KEYED else replace(made.setup, keyed=keyed(game, rng))
    if setup.keyed is not None:
        known = setup.keyed
        lines = [line for line in lines if not line.startswith("kp.") or line.split()[0] in known]
    return Sequence(setup, tuple(lines), made.opening, honest=made.honest and not placed and lines == list(made.lines),
                    corners=tuple(placed))  # fmt: skip
