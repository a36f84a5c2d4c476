"""Rules core: a pure, total and deterministic function from a state and a log row to the next state and its outputs.

`step` reads no clock, draws no random number and performs no input or output, so that any row can be judged again.
"""

from pitwarden.rules.engine.permit import RULES_VERSION, public_state
from pitwarden.rules.engine.snapshot import SnapshotError, state_from_bytes, state_to_bytes
from pitwarden.rules.engine.step import initial_state, step
from pitwarden.rules.profile.library import load_profile
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.profile.toml_rows import ProfileError
from pitwarden.rules.setup.table_setup import DeckSetup, DeviceSetup, HousePolicy, TableSetup, profile_digest
from pitwarden.rules.setup.validation import SetupError, validate_setup
from pitwarden.rules.state.entry import AnswerDue, LogEntry, RevealDue, RuleOutput
from pitwarden.rules.state.state import PublicState, RulesState

__all__ = [
    "RULES_VERSION",
    "AnswerDue",
    "DeckSetup",
    "DeviceSetup",
    "GameProfile",
    "HousePolicy",
    "LogEntry",
    "ProfileError",
    "PublicState",
    "RevealDue",
    "RuleOutput",
    "RulesState",
    "SetupError",
    "SnapshotError",
    "TableSetup",
    "initial_state",
    "load_profile",
    "profile_digest",
    "public_state",
    "state_from_bytes",
    "state_to_bytes",
    "step",
    "validate_setup",
]  # fmt: skip
