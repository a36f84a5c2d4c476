"""What of a state is public: the table's retained state without its stream numbers. Never a hidden face or bit."""

from typing import Final

from pitwarden.rules.cases import LAST_COUNT
from pitwarden.rules.permit import permit
from pitwarden.rules.state.state import PublicState, State

RULES_VERSION: Final = "0.3.17"


def public_state(state: State) -> PublicState:
    """What the table may be shown of `state`."""
    return PublicState(
        game=state.setup.profile.name,
        round=min(state.round.number, LAST_COUNT),
        in_round=state.round.open,
        permit=permit(state),
        irregularities=tuple(case.said for case in state.cases if case.live)[-256:],
        duties=state.duties[-64:],
        rules_version=RULES_VERSION,
        profile_digest=state.digest,
    )
