"""What a keypad's lamps show: a function of what the table was shown and of the public state, and of nothing else.

A lamp that depended on a hidden card would tell it. So this reads irregularities as they are published, and no row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden.events.keypad import Key
from pitwarden.events.outputs import Irregularity

PermitLamp = Literal["dark", "green", "red"]
CaseLamp = Literal["none", "others", "dealer"]
_KEYS: Final[Mapping[str, Key | None]] = {
    "round_end": "round_end",
    "mixed": "shuffle",
    "cut": "shuffle",
    "shuffled": "shuffle",
    "spread": "shuffle",
    "hands": "stub",
    "stub": "stub",
    "boxes_agree": "boxes",
    "in_the_deal": "boxes",
    "ib_settled": "settled",
    "antes_collected": "settled",
    "all_chosen": "decision",
    "card": None,
    "burned": None,
    "unloaded": None,
    "put_back": None,
    "started": None,
    "loaded": None,
}
"""By the kind of fact that clears an irregularity: the dealer's key, None where cards alone clear it."""


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
    first = next((step[0].kind for step in case.clears_facts), "")
    return (_KEYS[first],) if first in _KEYS else None
