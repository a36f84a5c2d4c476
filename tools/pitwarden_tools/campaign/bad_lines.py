"""Ways in which a device's line is bad, for the campaign and the simulation."""

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from pitwarden_simulators.ports.line_faults import (
    LineFault,
    babble,
    delay,
    drop,
    duplicate,
    garble,
    only_first,
    split,
)


class BadLine(NamedTuple):
    """Bad line: its name, a sentence, and the fault that chunks pass through."""

    name: str
    what: str
    make: Callable[[Random], LineFault]


BAD_LINES: Final = (
    BadLine("line_garbled", "bits of a device's line are changed", lambda r: garble(r, 0.5)),
    BadLine("line_dropped", "chunks of a device's line are lost", lambda r: drop(r, 0.5)),
    BadLine("line_duplicated", "chunks of a device's line come twice", lambda r: duplicate(r, 0.5)),
    BadLine("line_split", "chunks of a device's line come in pieces", split),
    BadLine("line_delayed", "chunks of a device's line come late", lambda _r: only_first(delay(1), 20)),
    BadLine("line_babble", "noise between the chunks of a device's line", lambda r: babble(r, 200)),
)
