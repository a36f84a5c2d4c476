"""What the rules remember of a table. Frozen; hidden faces and bits have no repr."""

from dataclasses import dataclass

from pitwarden.events.outputs import Duty, Irregularity, Permit
from pitwarden.rules.setup import TableSetup


@dataclass(frozen=True, slots=True)
class State:
    """A table as its log has made it so far."""

    setup: TableSetup
    epoch: str = ""
    number: int = 0
    log_ms: int = 0
    utc_ms: int = 0


@dataclass(frozen=True, slots=True)
class PublicState:
    """What of a state is public: the judge's retained `TableState` without its stream numbers."""

    game: str
    round: int
    in_round: bool
    permit: Permit
    irregularities: tuple[Irregularity, ...]
    duties: tuple[Duty, ...]
    rules_version: str
    profile_digest: str
