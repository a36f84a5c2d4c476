"""Inputs that a table keys, from the floor's alone to all: a fixed choice of sets for each game."""

from random import Random
from typing import Final

LEVELS: Final[tuple[tuple[str, ...], ...]] = (
    (),
    ("kp.boxes", "kp.deal", "kp.no_more_bets", "kp.close", "kp.round_end", "kp.dealer"),
    ("kp.boxes", "kp.deal", "kp.no_more_bets", "kp.close", "kp.open", "kp.round_end", "kp.dealer", "kp.decision",
     "kp.hole_up", "kp.dealer_draw", "kp.dealer_reveal", "kp.face_up", "kp.stub", "kp.hands"),
)  # fmt: skip
OWN: Final = {"SH": ("kp.choice", "kp.antes_collected"), "IB": ("kp.ib_settled",), "DAB": ("kp.settled",)}
"""Inputs that a further game's table may key beyond these levels."""

FLOOR: Final = frozenset({
    "ft.table_open", "ft.inspect", "ft.deck_opened", "ft.opening", "ft.ten_destroyed", "ft.notified", "ft.recut",
    "ft.device_removed", "kp.manual_shuffle", "kp.cut", "kp.idle_spread",
})  # fmt: skip
DEALER: Final = (
    "kp.boxes", "kp.deal", "kp.no_more_bets", "kp.close", "kp.open", "kp.round_end", "kp.dealer", "kp.decision",
    "kp.hole_up", "kp.dealer_draw", "kp.dealer_reveal", "kp.face_up", "kp.ten", "kp.stub", "kp.hands", "kp.choice",
    "kp.antes_collected", "kp.ib_settled", "kp.settled", "kp.bonus_settled", "kp.insurance_settled", "kp.reveal",
    "kp.collected", "kp.drawn_in_error", "kp.wager",
)  # fmt: skip
SETS: Final = 8
MOST: Final = 0.9


def levels(game: str) -> tuple[frozenset[str], ...]:
    """Return the levels of `game`, then random sets of keys, some with few and some with nearly all."""
    own = OWN.get(game, ())
    made = [*LEVELS, *((*level, *own) for level in LEVELS if own)]
    rng = Random(f"keys of {game}")
    made += [tuple(key for key in DEALER if rng.random() < MOST * (at + 1) / SETS) for at in range(SETS)]
    return tuple(frozenset(level) | FLOOR for level in made)


def keyed(game: str, rng: Random) -> frozenset[str] | None:
    """Return the inputs that a table keys; half of the tables key all (None)."""
    return None if rng.random() < 0.5 else rng.choice(levels(game))  # noqa: PLR2004  half
