"""The rules core: pure, total, deterministic. `step` takes a state and a log row and gives a state and outputs."""

from pitwarden.rules.engine.permit import RULES_VERSION, public_state
from pitwarden.rules.engine.snapshot import SnapshotError, state_from_bytes, state_to_bytes
from pitwarden.rules.engine.step import initial, step
from pitwarden.rules.profile.loading import load_profile
from pitwarden.rules.profile.profile import Profile
from pitwarden.rules.profile.toml_rows import ProfileError
from pitwarden.rules.setup.table_setup import DeckSetup, DeviceSetup, Policy, TableSetup, profile_digest
from pitwarden.rules.setup.validation import SetupRefused, fit
from pitwarden.rules.state.entry import AnswerDue, Entry, RevealDue, RuleOutput
from pitwarden.rules.state.state import PublicState, State

__all__ = [
    "RULES_VERSION", "AnswerDue", "DeckSetup", "DeviceSetup", "Entry", "Policy", "Profile", "ProfileError",
    "PublicState", "RevealDue", "RuleOutput", "SetupRefused", "SnapshotError", "State", "TableSetup", "fit", "initial",
    "load_profile", "profile_digest", "public_state", "state_from_bytes", "state_to_bytes", "step",
]  # fmt: skip
