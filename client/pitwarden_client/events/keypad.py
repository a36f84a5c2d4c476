"""The dealer's keypad: codes for acts, and the state of its lamps.

The keypad has twelve keys. Digits come first, then the key: `1 2 DECISION` is a hit on box 2. The code of an act stands
before the box, deck or number that it applies to. The tables are written so that a person can review them.

The lamps are a function of the displayed permit and the public state only. A lamp that depended on a hidden card would
disclose it, so this module reads published irregularities and no rows.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args

from pydantic import ValidationError

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_cards import (
    KpAdmit,
    KpBurnRequest,
    KpCut,
    KpExposedInMix,
    KpForeignBack,
    KpHands,
    KpIdleSpread,
    KpManualShuffle,
    KpMixed,
    KpMode,
    KpReshuffle,
    KpShort,
    KpStub,
)
from pitwarden_client.events.dealer_irregularities import (
    KpDealerFirstMissed,
    KpDrawnInError,
    KpFaceUp,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpReaderBad,
    KpRefuse,
    KpSkipped,
    KpTen,
)
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpChoice,
    KpDeal,
    KpDealer,
    KpDealerDraw,
    KpDealerReveal,
    KpDealt,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
    KpSpreadRequest,
)
from pitwarden_client.events.dealer_wagers import (
    KpAntesCollected,
    KpBonusSettled,
    KpClose,
    KpCollected,
    KpIbSettled,
    KpInsuranceSettled,
    KpNoMoreBets,
    KpOpen,
)
from pitwarden_client.events.outputs import Irregularity

Key = Literal[
    "boxes", "closed", "decision", "hole", "settled", "round_end", "dealer", "shuffle", "stub", "irregularity", "seen",
    "undo",
]  # fmt: skip
KEYS: Final[tuple[Key, ...]] = get_args(Key)
# Digits of one entry at a keypad. An entry with more is malformed.
MOST_DIGITS: Final = 16
Tail = Literal["", "box", "boxes", "count", "counts", "person", "deck"]
_TAILS: Final[Mapping[Tail, str]] = {
    "": "", "box": "[1-9]", "boxes": "[1-9]{1,9}", "count": "0|[1-9][0-9]{0,2}", "counts": "[0-9]{1,8}",
    "person": "[0-9]{1,8}", "deck": "[1-8]",
}  # fmt: skip
_DECKS: Final = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class KeypadCode:
    """One code: the digits `code`, then those of `tail`, before `key` are `act` with the fields `fixed`."""

    key: Key
    code: str
    act: type[DealerAct]
    tail: Tail = ""
    fixed: Mapping[str, object] = field(default_factory=dict)


CODES: Final[Sequence[KeypadCode]] = (
    KeypadCode("boxes", "", KpBoxes, "boxes"),
    KeypadCode("closed", "", KpNoMoreBets),
    KeypadCode("closed", "0", KpDeal),
    *(
        KeypadCode("closed", f"{opens}{at}", act, "", {"window": window})
        for at, window in enumerate(("attack2", "attack3", "insurance", "doubleattack", "ib"), 1)
        for opens, act in (("", KpClose), ("9", KpOpen))
    ),
    *(
        KeypadCode("decision", str(at), KpDecision, "box", {"decision": decision})
        for at, decision in enumerate(("hit", "stand", "double", "split", "surrender", "fold", "play"), 1)
    ),
    KeypadCode("decision", "8", KpChoice, "box", {"choice": "keep"}),
    KeypadCode("decision", "9", KpChoice, "box", {"choice": "switch"}),
    KeypadCode("hole", "", KpHoleUp),
    KeypadCode("hole", "1", KpDealerDraw),
    KeypadCode("hole", "2", KpDealerReveal),
    KeypadCode("hole", "3", KpReveal, "box"),
    KeypadCode("hole", "4", KpDealt),
    KeypadCode("settled", "1", KpBonusSettled, "box"),
    KeypadCode("settled", "2", KpInsuranceSettled),
    KeypadCode("settled", "3", KpIbSettled),
    KeypadCode("settled", "4", KpAntesCollected),
    KeypadCode("round_end", "", KpRoundEnd),
    KeypadCode("round_end", "", KpCollected, "deck"),
    KeypadCode("dealer", "", KpDealer, "person"),
    KeypadCode("shuffle", "", KpManualShuffle),
    KeypadCode("shuffle", "1", KpManualShuffle, "deck"),
    KeypadCode("shuffle", "2", KpCut, "box"),
    KeypadCode("shuffle", "20", KpCut, "", {"by": "dealer"}),
    KeypadCode("shuffle", "3", KpMixed),
    KeypadCode("shuffle", "4", KpReshuffle),
    KeypadCode("shuffle", "5", KpIdleSpread),
    KeypadCode("shuffle", "6", KpSpreadRequest),
    *(
        KeypadCode("shuffle", f"7{at}", KpMode, "", {"mode": mode})
        for at, mode in enumerate(("manual_shoe", "auto_shoe", "hand"), 1)
    ),
    KeypadCode("shuffle", "8", KpBurnRequest),
    KeypadCode("stub", "", KpStub, "count"),
    KeypadCode("stub", "0", KpHands, "counts"),
    KeypadCode("irregularity", "01", KpFaceUp),
    KeypadCode("irregularity", "02", KpTen),
    KeypadCode("irregularity", "03", KpDrawnInError, "", {"exposed": True}),
    KeypadCode("irregularity", "04", KpDrawnInError, "", {"exposed": False}),
    KeypadCode("irregularity", "05", KpRefuse, "box"),
    KeypadCode("irregularity", "06", KpDealerFirstMissed),
    KeypadCode("irregularity", "07", KpNoCards, "box"),
    KeypadCode("irregularity", "08", KpOneCard, "box"),
    KeypadCode("irregularity", "09", KpSkipped, "box"),
    KeypadCode("irregularity", "10", KpOption, "box", {"choice": "take"}),
    KeypadCode("irregularity", "11", KpOption, "box", {"choice": "dead"}),
    KeypadCode("irregularity", "12", KpExposedInMix),
    KeypadCode("irregularity", "13", KpForeignBack),
    KeypadCode("irregularity", "14", KpReaderBad),
    KeypadCode("irregularity", "15", KpShort),
    KeypadCode("irregularity", "16", KpAdmit, "box"),
)
"""Wagers by kind and box, single settlements and misplaced cards have no code: they are keyed on a terminal."""


def act_for_keys(key: Key, digits: str) -> DealerAct | None:
    """Return the act of `digits` before `key`; None without a meaning. `seen` and `undo` are no acts by themselves."""
    for code in CODES:
        if code.key == key and digits.startswith(code.code):
            tail = digits[len(code.code) :]
            if re.fullmatch(_TAILS[code.tail], tail):
                try:
                    return code.act.model_validate({**code.fixed, **_read(code, tail)})
                except ValidationError:
                    return None  # a box that no table has
    return None


def keys_for_act(act: DealerAct) -> tuple[Key, str] | None:
    """Return the key for `act` and the digits before it; None for an act that the keypad does not have."""
    for code in CODES:
        if type(act) is code.act and all(getattr(act, name) == value for name, value in code.fixed.items()):
            tail = _written(code, act)
            if tail is not None and re.fullmatch(_TAILS[code.tail], tail):
                return code.key, code.code + tail
    return None


def _name(code: KeypadCode) -> str:
    """Return the act's field that the tail holds."""
    if code.tail == "person":
        return "dealer"
    return "by" if code.act is KpCut else code.tail


def _read(code: KeypadCode, tail: str) -> dict[str, object]:
    match code.tail:
        case "":
            return {}
        case "boxes" | "counts":
            return {code.tail: tuple(int(digit) for digit in tail)}
        case "box" | "count":
            return {_name(code): int(tail)}
        case "deck":
            return {"deck": _DECKS[int(tail) - 1]}
        case _:
            return {"dealer": tail}


def _written(code: KeypadCode, act: DealerAct) -> str | None:
    """Return the digits of the tail; None for a value that digits cannot express."""
    if code.tail == "":
        return "" if code.fixed or all(value is None for _, value in act if value != act.act) else None
    value: object = getattr(act, _name(code))
    if code.tail in {"boxes", "counts"}:
        numbers = cast("tuple[int, ...]", value)
        return "".join(map(str, numbers)) if all(number < 10 for number in numbers) else None  # noqa: PLR2004  one digit
    if code.tail == "deck":
        return str(_DECKS.index(value) + 1) if isinstance(value, str) and value and value in _DECKS else None
    return str(value)


PermitLamp = Literal["dark", "green", "red"]
CaseLamp = Literal["none", "others", "dealer"]
CLEARING_KEYS: Final[Mapping[str, Key | None]] = {
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
"""Kind of fact that clears an irregularity, and the dealer's key for it; None where cards alone clear it."""


@dataclass(frozen=True, slots=True)
class Lamps:
    """State of the lamps.

    `case`: whether an irregularity is open, and whether the dealer's next act clears it with `key`.
    """

    permit: PermitLamp = "dark"
    case: CaseLamp = "none"
    key: Key | None = None


def lamps_for(irregularities: Iterable[Irregularity], *, granted: bool, others: Collection[str] = frozenset()) -> Lamps:
    """Return the lamps for the open irregularities of a published state, and for the displayed permit.

    Args:
        irregularities: Irregularities of the state.
        granted: Whether the table displays that dealing is permitted.
        others: References of those that the dealer must not acknowledge.
    """
    permit: PermitLamp = "green" if granted else "red"
    cases = tuple(irregularities)
    ours = [found for case in cases if (found := _dealers(case)) is not None]
    lit = next((key for (key,) in ours if key is not None), None)
    # A key that clears comes first. Without one the dealer can still acknowledge an open irregularity.
    if lit is None and any(case.status == "open" and case.ref not in others for case in cases):
        return Lamps(permit, "dealer", "seen")
    if ours:
        return Lamps(permit, "dealer", lit)
    return Lamps(permit, "others" if cases else "none")


def _dealers(case: Irregularity) -> tuple[Key | None] | None:
    """Return the dealer's key for the first step that clears `case`, in a tuple; None when another role clears it."""
    first = next((step[0].kind for step in case.clears_facts), "")
    return (CLEARING_KEYS[first],) if first in CLEARING_KEYS else None
