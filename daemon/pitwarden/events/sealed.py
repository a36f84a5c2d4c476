"""Secrets as they stand on the bus and on disk: sealed, with a commitment that a later reveal is checked against."""

from typing import Annotated

from pydantic import Field

from pitwarden.events.base import Base64, Count, Hex32, Ident, Record


class Sealed(Record):
    """One secret byte (a face, or the reader's bit) and its 32-byte blind, sealed with the epoch's key.

    `box` is nonce and XChaCha20-Poly1305 ciphertext; `commitment` is SHA-256 over source, event id, index, byte and
    blind, each with its length before it.
    """

    key: Ident
    box: Base64
    commitment: Hex32


class WrappedKey(Record):
    """The sealing key, wrapped in a SealedBox for one judge."""

    recipient: Hex32
    box: Base64


Wrapped = Annotated[tuple[WrappedKey, ...], Field(max_length=8)]
Faces = Annotated[tuple[Sealed, ...], Field(max_length=416)]
Index = Annotated[Count, Field(le=415)]
