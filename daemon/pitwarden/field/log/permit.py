"""Deal permit as displayed at the table, and the time for which it was withheld, by reason.

A change of the displayed permit, its expiry included, is logged; a renewal is not.
"""

from collections.abc import Mapping
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import PermitApplied

EXPIRED: Final = "the permit ran out: no judge renewed it"


class PermitDisplay:
    """Displayed permit, which follows the judge's retained state.

    It is withheld until granted, and expires in log time.
    """

    def __init__(self, epoch: str) -> None:
        """Start withheld. `epoch` is the one being logged: a state as of another epoch grants nothing."""
        self._epoch = epoch
        self._granted = False
        self._expires_ms = 0
        self._as_of: Position | None = None
        self._left: set[str] = set()
        self.reasons: tuple[str, ...] = ("no judge was heard since the start",)
        """Reasons why dealing is withheld; empty while it is permitted."""

    def state(self, state: TableState, log_ms: int) -> PermitApplied | None:
        """Handle a state of the judge; return the row to log, if the display changes. An older state is ignored."""
        if not self._is_newer(state.as_of):
            return None
        self._as_of = state.as_of
        self._expires_ms = state.permit.expires_ms
        current = state.as_of.epoch == self._epoch and state.permit.expires_ms > log_ms
        granted = state.permit.granted and current
        self.reasons = () if granted else state.permit.reasons or (EXPIRED,)
        return self._show(granted=granted, cause="granted" if granted else "withheld")

    def tick(self, log_ms: int) -> PermitApplied | None:
        """Handle the passing of time; return the row to log, if the permit expired without renewal."""
        if self._granted and log_ms >= self._expires_ms:
            self.reasons = (EXPIRED,)
            return self._show(granted=False, cause="expired")
        return None

    def not_logged(self, applied: PermitApplied) -> None:
        """Handle that the log refused `applied`: the change is offered again with the next state."""
        self._granted = not applied.granted

    @property
    def expires_ms(self) -> int | None:
        """Log time in ms at which the permit expires; None while nothing is granted."""
        return self._expires_ms if self._granted else None

    def _is_newer(self, as_of: Position) -> bool:
        if self._as_of is None:
            return True
        if as_of.epoch == self._as_of.epoch:
            return as_of.number >= self._as_of.number
        if as_of.epoch in self._left:
            return False
        self._left.add(self._as_of.epoch)
        return True

    def _show(self, *, granted: bool, cause: str) -> PermitApplied | None:
        if granted == self._granted:
            return None
        self._granted = granted
        return PermitApplied.model_validate({"granted": granted, "cause": cause, "as_of": self._as_of})


# Reasons that are counted separately. Devices and clauses are fewer; the time of any others is summed under OTHER, so
# that the number of metric series is bounded.
MOST_REASONS: Final = 200
OTHER: Final = "other"


class WithheldTime:
    """Sum of withheld time by reason. A reason counts from the update that gives it until the next update."""

    def __init__(self, now_ms: int) -> None:
        self._since = now_ms
        self._reasons: tuple[str, ...] = ()
        self._ms: dict[str, int] = {}

    def update(self, reasons: tuple[str, ...], now_ms: int) -> None:
        """Set the reasons for which dealing is withheld from `now_ms` of log time on; none when it is permitted."""
        passed = max(now_ms - self._since, 0)
        for reason in self._reasons:
            key = reason if reason in self._ms or len(self._ms) < MOST_REASONS else OTHER
            self._ms[key] = self._ms.get(key, 0) + passed
        self._since = max(now_ms, self._since)
        self._reasons = reasons

    @property
    def seconds(self) -> Mapping[str, float]:
        """Seconds withheld by reason, as of the latest update."""
        return {reason: ms / 1_000 for reason, ms in self._ms.items()}
