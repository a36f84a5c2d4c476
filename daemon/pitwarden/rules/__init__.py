"""The rules core: pure, total, deterministic. `step` takes a state and a log row and gives a state and outputs."""

from typing import Final

from pitwarden.events.outputs import Permit
from pitwarden.rules.entry import Entry, RuleOutput
from pitwarden.rules.profile import Profile, load_profile
from pitwarden.rules.rows import ProfileError
from pitwarden.rules.setup import DeckSetup, DeviceSetup, Policy, TableSetup, profile_digest
from pitwarden.rules.state import PublicState, State

RULES_VERSION: Final = "0.1.0"

__all__ = [
    "RULES_VERSION", "DeckSetup", "DeviceSetup", "Entry", "Policy", "Profile", "ProfileError", "PublicState",
    "RuleOutput", "SnapshotError", "State", "TableSetup", "initial", "load_profile", "profile_digest", "public_state",
    "state_from_bytes", "state_to_bytes", "step",
]  # fmt: skip


class SnapshotError(ValueError):
    """A snapshot that cannot be made (mid-round) or read (other profile, damaged). Policy: fold from the log."""


def initial(setup: TableSetup) -> State:
    """The state of a table before its first log row."""
    return State(setup)


def step(state: State, entry: Entry) -> tuple[State, tuple[RuleOutput, ...]]:
    """The state after `entry`, and what the rules say to it. Total: never raises; a repeated row changes nothing."""
    return (State(state.setup, entry.epoch, entry.number, entry.log_ms, entry.utc_ms), ())


def public_state(state: State) -> PublicState:
    """What the table may be shown of `state`."""
    return PublicState(
        game=state.setup.profile.name,
        round=0,
        in_round=False,
        permit=Permit(granted=False, reasons=("no rules yet",), expires_ms=0),
        irregularities=(),
        duties=(),
        rules_version=RULES_VERSION,
        profile_digest=profile_digest(state.setup),
    )


def state_to_bytes(state: State) -> bytes:
    """A snapshot of `state`, equal for equal states; SnapshotError in mid-round."""
    raise SnapshotError(f"round at {state.number} is still open")


def state_from_bytes(data: bytes, setup: TableSetup) -> State:
    """The state in a snapshot made under the same `setup`; SnapshotError when it is none."""
    raise SnapshotError(f"{len(data)} bytes hold no state of {setup.profile.name}")
