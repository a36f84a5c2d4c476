"""A message as it came, before anything in it is believed."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """Topic, bytes, and whether the broker sent it from its store rather than live.

    `ack` tells the broker that it is dealt with; the broker sends only so many that are not.
    """

    topic: str
    payload: bytes = field(repr=False)
    retained: bool
    ack: Callable[[], None] = field(repr=False)
