"""What a judge's journal takes and gives, for each of the tables that it judges."""

from dataclasses import dataclass, field

from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head


@dataclass(frozen=True, slots=True)
class ReceivedRow:
    """A log row as it came: its exact bytes. `damaged`: its bytes are kept, but they are no row that can be read."""

    at: Position
    hash: str
    body: bytes
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class OutputRow:
    """An output that row `cause` brought about. `seq` is gapless for the table, from 1; `hash` is that of `body`."""

    seq: int
    cause: Position
    index: int
    hash: str
    topic: str
    body: bytes


@dataclass(frozen=True, slots=True)
class LastOutput:
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
class Snapshot:
    """The state after row `at`, sealed to the judge's own key, by these rules and this profile."""

    at: Position
    rules_version: str
    profile_digest: str
    box: bytes = field(repr=False)
