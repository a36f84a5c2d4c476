"""Stretches of cards as keyed hashes: what lay together in a shoe is known again, and can be read by nobody."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final

_BYTES: Final = 4
_HEX: Final = 2 * _BYTES


def windows(stream: Sequence[int], key: bytes, size: int) -> Iterator[str]:
    """The hash of each stretch of `size` public cards (-1: a hidden one); their order in it plays no part."""
    for at in range(len(stream) - size + 1):
        some = sorted(stream[at : at + size])
        if some[0] >= 0:
            yield blake2b(bytes(some), key=key, digest_size=_BYTES).hexdigest()


def split(kept: str) -> frozenset[str]:
    """The hashes that are kept behind each other in `kept`."""
    return frozenset(kept[at : at + _HEX] for at in range(0, len(kept), _HEX))


def count(kept: str) -> int:
    """How many hashes `kept` holds."""
    return len(kept) // _HEX
