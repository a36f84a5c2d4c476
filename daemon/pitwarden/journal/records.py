"""Record types of both journals: rows and outputs as their exact bytes, and the facts stored with them."""

from dataclasses import dataclass, field
from typing import Literal

from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head


@dataclass(frozen=True, slots=True)
class InputAnswer:
    """First answer that a terminal received for an input id. `digest` is the SHA-256 of the input's content.

    Accepted: `at` is the row. Refused: `at` is None and `reason` is the sentence for the terminal.
    """

    role: str
    terminal: str
    input_id: str
    digest: str
    at: Position | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewRow:
    """Row to commit. `hash` is the SHA-256 of `body`; `prevhash` is the hash of the previous row, as in the body.

    `device`, `boot` and `counter` are set for a report of a device: they are what may be acknowledged after the commit.
    """

    at: Position
    hash: str
    prevhash: str
    topic: str
    body: bytes
    device: str = ""
    boot: int = 0
    counter: int = 0
    answer: InputAnswer | None = None


@dataclass(frozen=True, slots=True)
class StoredRow:
    """Committed row. `place` counts all rows of the journal through all epochs, from 1, without a gap."""

    place: int
    at: Position
    hash: str
    topic: str
    body: bytes

    @property
    def head(self) -> Head:
        """Head of a log that ends with this row."""
        return Head(at=self.at, hash=self.hash)


HeadMark = Literal["head", "closed", "trimmed"]
"""Statement about a row: the log reached it, was closed after it, or was trimmed up to it."""


def parse_mark(text: str) -> HeadMark:
    """Return a stored mark. Another word counts as `head`, of which no signature can then be valid."""
    return "closed" if text == "closed" else "trimmed" if text == "trimmed" else "head"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Signed statement of the field half about the row at `place`."""

    place: int
    head: Head
    mark: HeadMark
    signer: str
    signature: str


@dataclass(frozen=True, slots=True)
class DevicePosition:
    """Last committed event of a device: its boot id and its counter."""

    boot: int
    counter: int


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """Epoch of this journal, the row before it (None for the first epoch), and the place of its first row."""

    epoch: str
    parent: Head | None
    first_place: int


@dataclass(frozen=True, slots=True)
class ReceivedRow:
    """Log row as received, in its exact bytes. `damaged` marks bytes that cannot be read as a row."""

    at: Position
    hash: str
    body: bytes
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """Output of the judge, caused by row `cause`.

    `seq` is gapless for the table, from 1; `index` counts the outputs of one row; `hash` is the SHA-256 of `body`.
    """

    seq: int
    cause: Position
    index: int
    hash: str
    topic: str
    body: bytes


@dataclass(frozen=True, slots=True)
class OutputHead:
    """Last output of a table's chain, which the next one continues."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class JudgeCheckpoint:
    """Statement, signed by the judge, that received rows up to `head` and their outputs were deleted by age."""

    head: Head
    signer: str
    signature: str


@dataclass(frozen=True, slots=True)
class RecordSignature:
    """Statement, signed by the judge, that its record of a table ends with row `head` and with `outputs`."""

    head: Head
    outputs: OutputHead | None
    signer: str
    signature: str


@dataclass(frozen=True, slots=True)
class SealedSnapshot:
    """State after row `at`, sealed to the judge's own key, with the rules version and the profile that produced it."""

    at: Position
    rules_version: str
    profile_digest: str
    box: bytes = field(repr=False)
