"""The watchdog's hand: fed only when the loop is on time and every part has turned since it was asked (B35, B36)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from pitwarden.notify import Notifier
from pitwarden.pulse import Part

EVERY_S: Final = 5.0
UNWATCHED_S: Final = 30.0  # without a manager's watchdog, stalls are looked for and logged as if with this one

_log = structlog.get_logger()


class Watchdog:
    """Looks at what `parts` gives four times in the manager's interval. `status` is the line while all is well."""

    def __init__(self, notifier: Notifier, parts: Callable[[], Sequence[Part]], status: Callable[[], str]) -> None:
        self._notifier, self._parts, self._status = notifier, parts, status
        self._watchdog_s = notifier.watchdog_s or UNWATCHED_S
        self.every_s = min(self._watchdog_s / 4, EVERY_S)
        self._seen: dict[str, tuple[int, float]] = {}
        self._said = ""

    async def run(self) -> None:
        """Looks, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            for part in self._parts():
                part.poke()
            due = loop.time() + self.every_s
            await asyncio.sleep(self.every_s)
            self.look(loop.time(), late_s=loop.time() - due)

    def look(self, now: float, late_s: float) -> None:
        """One look, at `now` seconds of the loop's clock, `late_s` after it was due."""
        trouble = [] if late_s <= self.every_s else [f"the loop was blocked for {late_s:.1f} s"]
        trouble += [f"{name} stands still for {age:.0f} s" for name, age in self._stalled(now)]
        what = "; ".join(trouble)
        if trouble:
            self._notifier.status(f"NOT ALIVE: {what}")
        else:
            self._notifier.alive(self._status())
        if bool(what) != bool(self._said):
            (_log.error if what else _log.info)("watchdog", reason=what or "all parts work again")
        self._said = what

    def _stalled(self, now: float) -> list[tuple[str, float]]:
        stalled, before_this, self._seen = [], self._seen, {}
        for part in self._parts():
            progress = part.progress()
            before, since = before_this.get(part.name, (None, now))
            if progress != before:
                since = now
            self._seen[part.name] = progress, since
            if now - since > max(part.slowest_s, self._watchdog_s / 2):
                stalled.append((part.name, now - since))
        return stalled
