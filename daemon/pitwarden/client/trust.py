"""Whether the table's field half signed the opening of an epoch, for a consumer who was given its public keys."""

from collections.abc import Callable, Collection

from pitwarden.client.verification.errors import SealUnreadableError
from pitwarden.client.verification.signed_rows import Scope, check_epoch
from pitwarden.events.envelope import LogEvent
from pitwarden.events.table import EpochOpened

Believed = Callable[[LogEvent], bool]


def anybody(_opening: LogEvent) -> bool:
    """Without keys the broker's rights alone say who writes a log."""
    return True


def signed_by(trusted: Collection[str], site: str, table: str) -> Believed:
    """Tells an opening that one of `trusted`, verify keys in hexadecimal, signed for this table; none: any opening."""

    def believed(opening: LogEvent) -> bool:
        if not isinstance(opening.data, EpochOpened):
            return False
        try:
            check_epoch(opening.data, Scope(site, table, opening.epoch), trusted)
        except SealUnreadableError:
            return False
        return True

    return believed if trusted else anybody
