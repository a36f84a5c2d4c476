"""The table's state in a few words, for `systemctl status`: may the dealer deal, and if not, why."""

from typing import Final

from pitwarden_client.events.codec import decode
from pitwarden_client.events.outputs import TableState

_REASONS: Final = 3


def shown(state: bytes | None) -> str:
    """What the retained `state` says, in a line; None before the first row was judged."""
    if state is None:
        return "nothing judged yet"
    told = decode(TableState, state)
    permit, count = told.permit, len(told.irregularities)
    more = f" and {len(permit.reasons) - _REASONS} more" if len(permit.reasons) > _REASONS else ""
    deal = "dealing permitted" if permit.granted else f"DEALING WITHHELD: {', '.join(permit.reasons[:_REASONS])}{more}"
    irregular = f"; {count} irregularit{'y' if count == 1 else 'ies'} open" if count else ""
    return f"{deal}{irregular}; rules {told.rules_version} profile {told.profile_digest[:8]}"
