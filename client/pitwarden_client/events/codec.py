"""Canonical JSON encoding and strict decoding. Threat: any client that may publish on the bus.

Rejected, with one exception class: more than 128 KiB, duplicate keys, NaN and infinities, over-long numbers, invalid
UTF-8, unknown fields, coerced types.
"""

import hashlib
import json
import re
from typing import Final, Never, TypeVar

from pydantic import ValidationError

from pitwarden_client.events.base import Record

MAX_BYTES: Final = 131_072
"""Longest message on MQTT that is accepted; the broker's limit must not be lower.

The longest row, a stack of 416 cards with its seals, has 87,009 bytes and long names.
"""
# Digits of a number: those of 64 bits. A longer one costs time to convert and fits no field.
MAX_DIGITS: Final = 20
_KEY: Final = re.compile(r"^[A-Za-z0-9_.]{1,40}$")

M = TypeVar("M", bound=Record)


class BadPayloadError(ValueError):
    """The message is not valid.

    Policy: count it, report it, set it aside, continue with the next.

    Example: a terminal publishes `{"n": NaN}`; the message is refused with a reply, the next one is handled.
    """


def encode(model: Record) -> bytes:
    """Return the canonical bytes of `model`: compact UTF-8 JSON in the order of its fields."""
    return model.__pydantic_serializer__.to_json(model)


def digest(row: bytes) -> str:
    """Return the SHA-256 of `row` in hexadecimal: the next row's `prevhash`."""
    return hashlib.sha256(row).hexdigest()


def decode(model: type[M], payload: bytes) -> M:
    """Return `payload` as a `model`.

    Raises:
        BadPayloadError: It is not one; the sentence names place and reason, never the values.
    """
    if len(payload) > MAX_BYTES:
        raise BadPayloadError(f"{len(payload)} bytes; at most {MAX_BYTES} are taken")
    try:
        made: M = model.__pydantic_validator__.validate_json(payload)
    except ValidationError as error:
        _refuse_ambiguity(payload)
        places = [".".join(map(_shown, e["loc"])) + ": " + e["type"] for e in error.errors(include_input=False)[:3]]
        raise BadPayloadError(f"not a {model.__name__}: {'; '.join(places)}") from None
    if encode(made) != payload:
        _refuse_ambiguity(payload)  # canonical bytes, as our own halves send, cannot be ambiguous
    return made


def _shown(part: int | str) -> str:
    """Return a part of a place; a key that the sender invented is not repeated."""
    return str(part) if _KEY.match(str(part)) else "?"


def _refuse_ambiguity(payload: bytes) -> None:
    """Reject what two JSON readers may parse differently: double keys, NaN, fractions, endless numbers."""
    try:
        json.loads(payload, object_pairs_hook=_unique, parse_constant=_refused, parse_int=_short, parse_float=_refused)
    except BadPayloadError:
        raise
    except (ValueError, RecursionError):
        raise BadPayloadError("not JSON in UTF-8") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BadPayloadError("a key stands twice in one object")
    return made


def _refused(_text: str) -> Never:
    raise BadPayloadError("a number that is not whole: no field of ours is")


def _short(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise BadPayloadError(f"a number of more than {MAX_DIGITS} digits")
    return int(text)
