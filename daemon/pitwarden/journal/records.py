"""Record types that both journals store.

What a journal takes and gives: rows as their exact bytes, and the facts that are stored with them.

What a judge's journal takes and gives, for each of the tables that it judges.
"""

from dataclasses import dataclass, field

from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head


@dataclass(frozen=True, slots=True)
class InputAnswer:
    """The first answer that a terminal got for an input id; `digest` is SHA-256 of the input's content.

    Accepted: `at` is the row. Refused: `at` is None and `reason` says why.
    """

    role: str
    terminal: str
    input_id: str
    digest: str
    at: Position | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row to commit. `hash` is SHA-256 of `body`; `prevhash` that of the row before it, as in the body.

    `device`, `boot` and `counter` are set when a device said it: they mark what it may be acknowledged.
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
    """A committed row. `place` counts all rows of the journal through all epochs, from 1, without a gap."""

    place: int
    at: Position
    hash: str
    topic: str
    body: bytes

    @property
    def head(self) -> Head:
        """The row as the head of a log that ends here."""
        return Head(at=self.at, hash=self.hash)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement of the field half about the row at `place`: `mark` is head, closed or trimmed."""

    place: int
    head: Head
    mark: str
    signer: str
    signature: str


@dataclass(frozen=True, slots=True)
class DevicePosition:
    """The last thing committed from a device: its boot id and its counter."""

    boot: int
    counter: int


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """An epoch in this journal, the row before it (None for the first), and the place of its first row."""

    epoch: str
    parent: Head | None
    first_place: int


@dataclass(frozen=True, slots=True)
class ReceivedRow:
    """A log row as it came: its exact bytes. `damaged`: its bytes are kept, but they are no row that can be read."""

    at: Position
    hash: str
    body: bytes
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """An output that row `cause` brought about. `seq` is gapless for the table, from 1; `hash` is that of `body`."""

    seq: int
    cause: Position
    index: int
    hash: str
    topic: str
    body: bytes


@dataclass(frozen=True, slots=True)
class OutputHead:
    """Where a table's chain of outputs goes on."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class JudgeCheckpoint:
    """All received rows up to `head` are gone by age, and the outputs that they caused; signed by the judge."""

    head: Head
    signer: str
    signature: str


@dataclass(frozen=True, slots=True)
class SealedSnapshot:
    """The state after row `at`, sealed to the judge's own key, by these rules and this profile."""

    at: Position
    rules_version: str
    profile_digest: str
    box: bytes = field(repr=False)
