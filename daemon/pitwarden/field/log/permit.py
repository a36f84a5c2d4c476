"""The permit as displayed at the table, and time withheld by reason.

What the table was shown of the deal permit: logged when it changes or runs out, never in between.

How long the table was shown that dealing is withheld, by reason, in log time.
"""

from collections.abc import Mapping
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import PermitApplied

EXPIRED: Final = "the permit ran out: no judge renewed it"


class PermitDisplay:
    """Follows the judge's retained state. Withheld until the judge has granted; expires in log time."""

    def __init__(self, epoch: str) -> None:
        """`epoch` is the one that is being logged: a state as of another one grants nothing."""
        self._epoch = epoch
        self._granted = False
        self._expires_ms = 0
        self._as_of: Position | None = None
        self._left: set[str] = set()
        self.reasons: tuple[str, ...] = ("no judge was heard since the start",)
        """Why nothing is granted; empty while it is."""

    def state(self, state: TableState, log_ms: int) -> PermitApplied | None:
        """The judge said `state`; the row to log, if what is shown changes. A state older than the last is ignored."""
        if not self._is_newer(state.as_of):
            return None
        self._as_of = state.as_of
        self._expires_ms = state.permit.expires_ms
        current = state.as_of.epoch == self._epoch and state.permit.expires_ms > log_ms
        granted = state.permit.granted and current
        self.reasons = () if granted else state.permit.reasons or (EXPIRED,)
        return self._show(granted=granted, cause="granted" if granted else "withheld")

    def tick(self, log_ms: int) -> PermitApplied | None:
        """Time passed; the row to log, if the permit ran out unrenewed."""
        if self._granted and log_ms >= self._expires_ms:
            self.reasons = (EXPIRED,)
            return self._show(granted=False, cause="expired")
        return None

    def not_logged(self, applied: PermitApplied) -> None:
        """The log did not take `applied`: it is said again with the next state."""
        self._granted = not applied.granted

    @property
    def expires_ms(self) -> int | None:
        """When to look again, in log time; None while nothing is granted."""
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


MOST_REASONS: Final = 200  # devices and clauses are few; what does not fit is counted together
OTHER: Final = "other"


class WithheldTime:
    """Adds up. A reason counts from the look at which it was given until the next."""

    def __init__(self, now_ms: int) -> None:
        self._since = now_ms
        self._reasons: tuple[str, ...] = ()
        self._ms: dict[str, int] = {}

    def update(self, reasons: tuple[str, ...], now_ms: int) -> None:
        """From `now_ms` of log time on, dealing is withheld for `reasons`; it is permitted if there are none."""
        passed = max(now_ms - self._since, 0)
        for reason in self._reasons:
            key = reason if reason in self._ms or len(self._ms) < MOST_REASONS else OTHER
            self._ms[key] = self._ms.get(key, 0) + passed
        self._since = max(now_ms, self._since)
        self._reasons = reasons

    @property
    def seconds(self) -> Mapping[str, float]:
        """What was added up by the last look."""
        return {reason: ms / 1_000 for reason, ms in self._ms.items()}
