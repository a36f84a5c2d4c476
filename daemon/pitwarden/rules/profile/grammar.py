"""Words of a sentence that its template cannot hold: the number of nouns and verbs, names of hands and devices.

Templates have the plural; a count of one changes it.
"""

import re
from typing import Final

_SINGULAR: Final = {"were": "was", "are": "is", "have": "has", "belong": "belongs"}
_VERB: Final = "|".join(_SINGULAR)
_ONE: Final = re.compile(
    rf"\b1 (?P<noun>card|discard|hand|round|minute|10)s\b(?P<deck> of (?:deck \S+|it))?(?: (?P<verb>{_VERB})\b)?"
    rf"|\b1 (?P<alone>{_VERB})\b"
)


_DEVICES: Final = {"shoe": "dealing shoe", "shuffler": "shuffler", "reader": "card reader", "keypad": "keypad"}
_DEVICE: Final = re.compile(rf"(?P<family>{'|'.join(_DEVICES)})[-_]?(?P<which>.*)")
_HAND: Final = re.compile(r"box(?P<box>\d+)(?P<half>[bcd]?)")
_HALVES: Final = {"": "", "b": ", second hand", "c": ", third hand", "d": ", fourth hand"}


def device_words(ident: str) -> str:
    """Return what people call a device: `the dealing shoe` for `shoe`, `shuffler 2` for `shuffler2`.

    The name of a device begins with its family, which the table file is checked for; any other name stays as it is.
    """
    found = _DEVICE.fullmatch(ident)
    if found is None:
        return ident
    family = _DEVICES[found["family"]]
    return f"{family} {found['which']}" if found["which"] else f"the {family}"


def hand_name(target: str) -> str:
    """Return what people call a hand: `Box 2` for `box2`, `Box 2, second hand` for `box2b`."""
    found = _HAND.fullmatch(target)
    return target if found is None else f"Box {found['box']}{_HALVES[found['half']]}"


def capitalized(text: str) -> str:
    """Return `text` with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


def in_number(text: str) -> str:
    """Return `text` with the singular after a count of one: `1 card was drawn`, `1 card of deck A is booked`."""
    return _ONE.sub(_singular, text) if "1 " in text else text


def _singular(found: re.Match[str]) -> str:
    if found["alone"]:
        return f"1 {_SINGULAR[found['alone']]}"
    verb = f" {_SINGULAR[found['verb']]}" if found["verb"] else ""
    return f"1 {found['noun']}{found['deck'] or ''}{verb}"
