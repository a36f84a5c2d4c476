"""What a keypad's lamps show: a function of what the table was shown and of the public state, and of nothing else.

A lamp that depended on a hidden card would tell it. So this reads irregularities as they are published, and no row.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden.events.keypad import Key
from pitwarden.events.outputs import Irregularity

PermitLamp = Literal["dark", "green", "red"]
CaseLamp = Literal["none", "others", "dealer"]
_BY_KEY: Final[Sequence[tuple[str, Key | None]]] = (
    (r"the wagers are returned and the round ends", "round_end"),
    (r"all cards are mixed again|the cards are cut|.* is shuffled|deck \S+ is spread", "shuffle"),
    (r"the hands are counted|the stub is counted again", "stub"),
    (r"the boxes are keyed", "boxes"),
    (r"the in-between wagers are settled|the antes are collected", "settled"),
    (r"each player has chosen a hand", "decision"),
    (r"the next card is drawn|one card is burned|the shoe is emptied|the discards are back in the shoe", None),
    (r"deck \S+ goes into the (shuffler|shoe)", None),
)
"""By what clears an irregularity: the dealer's key, None where the dealer clears it with the cards alone."""


@dataclass(frozen=True, slots=True)
class Lamps:
    """`case`: whether an irregularity is open, and whether the dealer's next act clears it; `key` is lit for it."""

    permit: PermitLamp = "dark"
    case: CaseLamp = "none"
    key: Key | None = None


def lamps_of(irregularities: Iterable[Irregularity], *, granted: bool) -> Lamps:
    """The lamps for the open irregularities of a published state, and the permit that the table is shown."""
    permit: PermitLamp = "green" if granted else "red"
    cases = tuple(irregularities)
    ours = [found for case in cases if (found := _dealers(case)) is not None]
    lit = next((key for (key,) in ours if key is not None), None)
    if lit is None and any(case.status == "open" for case in cases):
        return Lamps(permit, "dealer", "seen")
    if ours:
        return Lamps(permit, "dealer", lit)
    return Lamps(permit, "others" if cases else "none")


def _dealers(case: Irregularity) -> tuple[Key | None] | None:
    """The dealer's key for the first thing that clears `case`, in a tuple; None when somebody else clears it."""
    first = re.split(r"; then | or (?!a replacement)", case.clears)[0].strip()
    return next(((key,) for words, key in _BY_KEY if re.fullmatch(words, first)), None)
