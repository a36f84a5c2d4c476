"""The card of keypad codes: one printable sheet for the dealer, from the table of codes."""

from collections.abc import Mapping
from typing import Final

from _generate.contract import kind_name
from _generate.markdown import code, page, prose, table
from pitwarden_client.events.keypad import CODES, KEYS, MOST_DIGITS, KeypadCode

TAILS: Final[Mapping[str, str]] = {
    "": "",
    "box": "box (1 to 9)",
    "boxes": "every box, one digit each",
    "count": "number of cards (0 to 999)",
    "counts": "cards of each hand, one digit each",
    "person": "number of the person",
    "deck": "deck (1 for A, 2 for B, to 8 for H)",
}
"""Meaning of the digits after a code."""

BARE_KEYS: Final[Mapping[str, str]] = {
    "seen": "Acknowledge the open warning.",
    "undo": "Take back the last input of this round.",
}
"""Keys that are no act by themselves: the keypad completes them from what the table displays."""


def keypad() -> str:
    """Return the keypad card."""
    parts = [
        f"Enter the digits first, then the key. `1 2 decision` is a hit on box 2. At most {MOST_DIGITS} digits.",
        "Wagers by kind and box, settlements one by one and misplaced cards have no code; enter them at a terminal.",
    ]
    for key in KEYS:
        parts.append(f"## Key: {key.replace('_', ' ')}")
        rows = [_row(one) for one in CODES if one.key == key]
        parts.append(table(("digits", "then", "meaning", "act"), rows) if rows else BARE_KEYS[key])
    return page("Keypad card", *parts)


def _row(one: KeypadCode) -> tuple[str, str, str, str]:
    digits = " ".join(part for part in (one.code, TAILS[one.tail]) if part) or "none"
    words = prose((one.act.__doc__ or "").split("\n", 1)[0])
    fixed = ", ".join(f"{name} {value}" for name, value in one.fixed.items())
    return (digits, code(one.key), f"{words} {f'({code(fixed)})' if fixed else ''}".strip(), code(kind_name(one.act)))
