"""Faults of a line as small functions to combine. The same seed gives the same faults."""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise
from random import Random

LineFault = Callable[[bytes], list[bytes]]
"""Receives one chunk, returns the chunks that arrive."""


def combined(*faults: LineFault) -> LineFault:
    """Return a fault that applies each fault to the result of the previous one."""

    def apply(chunk: bytes) -> list[bytes]:
        chunks = [chunk]
        for fault in faults:
            chunks = [arrived for piece in chunks for arrived in fault(piece)]
        return [piece for piece in chunks if piece]

    return apply


def split(random: Random) -> LineFault:
    """Return a fault that cuts each chunk at random places."""

    def apply(chunk: bytes) -> list[bytes]:
        edges = sorted({0, len(chunk), *(random.randint(0, len(chunk)) for _ in range(3))})
        return [chunk[a:b] for a, b in pairwise(edges)]

    return apply


def drop(random: Random, share: float) -> LineFault:
    """Return a fault that loses `share` (0 to 1) of the chunks."""
    return lambda chunk: [] if random.random() < share else [chunk]


def duplicate(random: Random, share: float) -> LineFault:
    """Return a fault that delivers `share` of the chunks twice."""
    return lambda chunk: [chunk, chunk] if random.random() < share else [chunk]


def garble(random: Random, share: float) -> LineFault:
    """Return a fault that changes one bit of `share` of the chunks."""

    def apply(chunk: bytes) -> list[bytes]:
        if not chunk or random.random() >= share:
            return [chunk]
        at = random.randrange(len(chunk))
        return [chunk[:at] + bytes((chunk[at] ^ 1 << random.randrange(8),)) + chunk[at + 1 :]]

    return apply


def delay(chunks: int) -> LineFault:
    """Return a fault that delays each chunk until `chunks` more have arrived; the order stays."""
    held: deque[bytes] = deque()

    def apply(chunk: bytes) -> list[bytes]:
        held.append(chunk)
        return [held.popleft()] if len(held) > chunks else []

    return apply


def babble(random: Random, longest: int) -> LineFault:
    """Return a fault that inserts up to `longest` bytes of noise between the chunks."""
    return lambda chunk: [random.randbytes(random.randint(0, longest)), chunk]


def only_first(fault: LineFault, chunks: int) -> LineFault:
    """Return `fault` for the first `chunks` chunks, a good line after them."""
    left = iter(range(chunks))

    def apply(chunk: bytes) -> list[bytes]:
        return [chunk] if next(left, None) is None else fault(chunk)

    return apply


def joined(chunks: Iterable[bytes]) -> bytes:
    """Return the bytes that arrived."""
    return b"".join(chunks)
