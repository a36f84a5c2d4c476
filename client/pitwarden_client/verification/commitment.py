"""Commitments: what was drawn can be proved later and cannot be guessed before. Anyone can run the checks here.

A commitment is SHA-256 over five fields, each with its length in four bytes, big-endian, before it: the row's source
and its event id (`<epoch>/<number>`) in UTF-8, the card's index in the row in four bytes, the secret byte, the blind.
"""

import hashlib
from typing import Final

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.outputs import ReaderRevealed, Reveal

BLIND_BYTES: Final = 32


def length_prefixed(*fields: bytes) -> bytes:
    """The fields, each with its length before it, so that no two lists of fields give the same bytes."""
    whole = b""
    for field in fields:
        whole += len(field).to_bytes(4, "big") + field
    return whole


def event_id(epoch: str, number: int) -> str:
    """The id of a log row, as in its envelope."""
    return f"{epoch}/{number}"


def secret_context(source: str, event: str, index: int) -> bytes:
    """The framed bytes that say where a secret belongs: source, event id, index."""
    return length_prefixed(source.encode(), event.encode(), index.to_bytes(4, "big"))


def commitment(source: str, event: str, index: int, value: int, blind: bytes) -> str:
    """The commitment in hexadecimal; `value` 0 to 255, `blind` 32 bytes."""
    return commitment_in_context(secret_context(source, event, index), value, blind)


def commitment_in_context(where: bytes, value: int, blind: bytes) -> str:
    """As `commitment`, for the `place` that is `where`."""
    return hashlib.sha256(where + length_prefixed(bytes((value,)), blind)).hexdigest()


def verify_reveal(source: str, reveal: Reveal | ReaderRevealed, committed: str) -> bool:
    """Whether `reveal` tells what the log row from `source` had committed to."""
    if isinstance(reveal, Reveal):
        index, value = reveal.index, parse_face(reveal.face)
    else:
        index, value = 0, int(reveal.blackjack)
    event = event_id(reveal.epoch, reveal.event)
    return commitment(source, event, index, value, bytes.fromhex(reveal.blind)) == committed == reveal.commitment
