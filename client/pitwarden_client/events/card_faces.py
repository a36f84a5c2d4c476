"""Card faces as one byte, and sealed bytes with their commitment.

A face is secret until the judge reveals it: only the reveal contains one in plain text. 0 to 51: suit times 13 plus
rank, suits in the order C D H S, ranks A 2 to 10 J Q K; 52 a joker; 63 a card that the device drew but could not read.

On the bus and on disk a secret is sealed, with a commitment against which a later reveal is checked.
"""

from typing import Annotated, Final

from pydantic import Field

from pitwarden_client.events.base import Base64, Count, Hex32, Ident, Record

SUITS: Final = "CDHS"
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
JOKER: Final = 52
UNREAD: Final = 63
FACES: Final = frozenset((*range(52), JOKER, UNREAD))

_NAMED: Final = {JOKER: "JKR", UNREAD: "??"}
_BY_NAME: Final = {f"{rank}{suit}": s * 13 + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)} | {
    "JKR": JOKER,
    "??": UNREAD,
}


def parse_face(name: str) -> int:
    """Return the face called `name` (`AS`, `10D`, `JKR`, `??`).

    Raises:
        ValueError: No face has this name.
    """
    try:
        return _BY_NAME[name.upper()]
    except KeyError:
        raise ValueError(f"{name!r} is not a card: write rank and suit, as in AS, 10D or KH, or JKR, or ??") from None


def face_name(face: int) -> str:
    """Return the name of `face`.

    Raises:
        ValueError: The number is not a face.
    """
    if face in _NAMED:
        return _NAMED[face]
    if not 0 <= face < JOKER:
        raise ValueError("not a face code")
    return f"{RANKS[face % 13]}{SUITS[face // 13]}"


def rank_of(face: int) -> str:
    """Return the rank of a suited card (`A`, `2` to `10`, `J`, `Q`, `K`), else the name of the special face."""
    return RANKS[face % 13] if 0 <= face < JOKER else face_name(face)


def suit_of(face: int) -> str:
    """Return the suit of a card (`C`, `D`, `H`, `S`); empty for a joker or an unread card."""
    return SUITS[face // 13] if 0 <= face < JOKER else ""


def is_ten(face: int) -> bool:
    """Return whether `face` is a card of rank 10, which 48-card packs do not have (13:69E-1.17(a)2)."""
    return 0 <= face < JOKER and face % 13 == RANKS.index("10")


class Sealed(Record):
    """One secret byte (a face, or the reader's bit) and its 32-byte blind, sealed with the epoch's key.

    `box` is the nonce and the XChaCha20-Poly1305 ciphertext; `commitment` is the SHA-256 over source, event id, index,
    byte and blind, each preceded by its length.
    """

    key: Ident
    box: Base64
    commitment: Hex32


class WrappedKey(Record):
    """Sealing key, wrapped in a SealedBox for one judge."""

    recipient: Hex32
    box: Base64


Wrapped = Annotated[tuple[WrappedKey, ...], Field(max_length=8)]
Faces = Annotated[tuple[Sealed, ...], Field(max_length=416)]
Index = Annotated[Count, Field(le=415)]
