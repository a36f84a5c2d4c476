"""How long the table was shown that dealing is withheld, by reason, in log time."""

from collections.abc import Mapping
from typing import Final

MOST_REASONS: Final = 200  # devices and clauses are few; what does not fit is counted together
OTHER: Final = "other"


class Withheld:
    """Adds up. A reason counts from the look at which it was given until the next."""

    def __init__(self, now_ms: int) -> None:
        self._since = now_ms
        self._reasons: tuple[str, ...] = ()
        self._ms: dict[str, int] = {}

    def look(self, reasons: tuple[str, ...], now_ms: int) -> None:
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
