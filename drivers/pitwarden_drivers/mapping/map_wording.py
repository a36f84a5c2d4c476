"""Problems of a map file's shape in the words of whoever writes one, in place of the validator's."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from pydantic_core import ErrorDetails

from pitwarden_client.events.device import CommandName
from pitwarden_client.spelling import nearest_hint
from pitwarden_drivers.api import Family
from pitwarden_drivers.mapping.checksums import ChecksumKind
from pitwarden_drivers.mapping.meaning import FIELDS

CONTROLS: Final[Mapping[str, int]] = {
    "NUL": 0x00, "SOH": 0x01, "STX": 0x02, "ETX": 0x03, "EOT": 0x04, "ENQ": 0x05, "ACK": 0x06,
    "DLE": 0x10, "XON": 0x11, "XOFF": 0x13, "NAK": 0x15, "SYN": 0x16, "ETB": 0x17, "ESC": 0x1B,
}  # fmt: skip
"""Names of control characters as manuals print them."""

_MISSING: Final[Mapping[str, str]] = {
    "identify": "the question and the answer by which the device names itself",
    "start": "the bytes that begin a frame, for example '02' for STX",
    "stop": "the bytes that end a frame, for example '03' for ETX",
    "pattern": "what the message looks like",
    "ask": "what is sent to the device",
    "kind": "what is computed, or which event the message is",
    "gives": "what the line must give, such as shuffler.done or identity",
}
"""Purpose of a key, for the message that it is missing."""

_SENTENCES: Final[Mapping[str, str]] = {
    "literal_error end": (
        "a line must end with '\\r\\n', '\\n' or '\\r', not {given}. A device that ends its messages with ETX or"
        " another byte sends frames: describe them in [framing]"
    ),
    "int_type": "must be a whole number{unit} without quotes, not {given}",
    "bool_type": "must be true or false without quotes, not {given}",
    "string_type": "must be text in quotes, not {given}",
    "tuple_type event": "must be written as [[event]], in two pairs of brackets",
    "tuple_type": 'must be a list in brackets, for example ["{text}"]',
    "model_type": "must be one section, or names with values in braces, not {given}",
    "dict_type": "must be one section, or names with values in braces, not {given}",
    "greater_than_equal": "must be at least {ge}, not {given}",
    "less_than_equal": "must be at most {le}, not {given}",
}
"""Sentence for a problem of the validator, where needed for one key alone."""

_HEX: Final = "^[0-9A-Fa-f]{2}"
_PRINTABLE: Final = "^[ -~]*$"


def problem(one: ErrorDetails, known: Sequence[str]) -> str:
    """Return a problem with its place. `known` are the keys of a map file."""
    singular = {"events": "event", "commands": "command"}
    parts = [singular.get(str(part), str(part)) for part in one["loc"]]
    if parts[-1] == "[key]":
        return f"{'.'.join(parts[:-1])}: {_of_command(parts[-2])}"
    return f"{'.'.join(parts)}: {_reason(one, parts[-1], known)}"


def _of_command(name: str) -> str:
    commands = get_args(CommandName)
    return f"is no command{nearest_hint(name, commands)}; commands are {', '.join(commands)}"


def _reason(one: ErrorDetails, key: str, known: Sequence[str]) -> str:
    given, limits = one["input"], one.get("ctx", {})
    kind = f"{one['type']} {key}" if f"{one['type']} {key}" in _SENTENCES else one["type"]
    if kind in _SENTENCES:
        unit = " of milliseconds" if key.endswith("_ms") else ""
        return _SENTENCES[kind].format(given=_shown(given), text=given, unit=unit, **limits)
    match kind:
        case "missing":
            return "is missing" + (f": {_MISSING[key]}" if key in _MISSING else "")
        case "extra_forbidden":
            return "is no known key" + nearest_hint(key, known)
        case "literal_error":
            words = [*FIELDS, *get_args(ChecksumKind), *get_args(Family)]
            return f"must be {limits['expected']}, not {given!r}{nearest_hint(str(given), words)}"
        case "string_pattern_mismatch":
            return _of_text(str(limits["pattern"]), str(given))
        case "string_too_short":
            return "is empty: " + _MISSING.get(key, "write at least one character")
        case _:
            return f"{one['msg'][:1].lower()}{one['msg'][1:]}, not {_shown(given)}"


def _shown(given: object) -> str:
    return "a list of sections" if isinstance(given, tuple) and given and isinstance(given[0], dict) else repr(given)


def _of_text(pattern: str, given: str) -> str:
    if pattern == _PRINTABLE:
        return f"must be printable ASCII, not {given!r}"
    if not pattern.startswith(_HEX):
        return f"must be lower-case letters, digits and -, not {given!r}"
    bytes_of_names = as_hexadecimal(given)
    hint = f". {given} is '{bytes_of_names}'" if bytes_of_names else ""
    return f"must be bytes in hexadecimal, for example '02' or '10 02', not {given!r}{hint}"


def as_hexadecimal(words: str) -> str:
    """Return the bytes that a manual prints as `EOT 0 7 ENQ`; empty when a word is neither a name nor one character."""
    codes = [CONTROLS.get(word.upper().strip("<>"), ord(word) if len(word) == 1 else -1) for word in words.split()]
    if not codes or not re.search("[A-Za-z]", words) or not all(0 <= code <= 0xFF for code in codes):  # noqa: PLR2004  a byte
        return ""
    return " ".join(f"{code:02X}" for code in codes)
