"""Commitments: a drawn card can be proved later and cannot be guessed before. Anyone can run these checks.

A commitment is SHA-256 over five fields, each preceded by its length in four bytes, big-endian: the row's source and
its event id (`<epoch>/<number>`) in UTF-8, the card's index in the row in four bytes, the secret byte, the blind.
"""

import hashlib
from typing import Final

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.outputs import ReaderRevealed, Reveal

BLIND_BYTES: Final = 32


def length_prefixed(*fields: bytes) -> bytes:
    """Return the fields, each preceded by its length, so that no two lists of fields give the same bytes."""
    whole = b""
    for field in fields:
        whole += len(field).to_bytes(4, "big") + field
    return whole


def event_id(epoch: str, number: int) -> str:
    """Return the id of a log row, as in its envelope."""
    return f"{epoch}/{number}"


def secret_context(source: str, event: str, index: int) -> bytes:
    """Return the framed bytes that bind a secret to its place: source, event id, index."""
    return length_prefixed(source.encode(), event.encode(), index.to_bytes(4, "big"))


def commitment(source: str, event: str, index: int, value: int, blind: bytes) -> str:
    """Return the commitment in hexadecimal; `value` is 0 to 255, `blind` 32 bytes."""
    return commitment_in_context(secret_context(source, event, index), value, blind)


def commitment_in_context(where: bytes, value: int, blind: bytes) -> str:
    """Return the commitment as `commitment` does, for the framed place `where`."""
    return hashlib.sha256(where + length_prefixed(bytes((value,)), blind)).hexdigest()


def verify_reveal(source: str, reveal: Reveal | ReaderRevealed, committed: str) -> bool:
    """Return whether `reveal` matches the commitment of the log row from `source`."""
    if isinstance(reveal, Reveal):
        index, value = reveal.index, parse_face(reveal.face)
    else:
        index, value = 0, int(reveal.blackjack)
    event = event_id(reveal.epoch, reveal.event)
    return commitment(source, event, index, value, bytes.fromhex(reveal.blind)) == committed == reveal.commitment
