"""Escalation: who is called when an alarm stays unacknowledged, or acknowledged and open. Pure.

A step ends by the table's record, never by a touch on a page. A call that fails passes to the next step at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden_console.alarms.sound import REMIND_MS, AlarmName
from pitwarden_console.priorities import Priority


@dataclass(frozen=True, slots=True)
class CallStep:
    """Step of the house: a recipient, and after how many ms it is called, by priority. None for an absent one."""

    recipient: str
    after_ms: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class WaitingAlarm:
    """Alarm that asks for a person. `noticed_ms` and `acknowledged_ms` are of the console's clock (UTC)."""

    name: AlarmName
    priority: Priority
    title: str
    noticed_ms: int
    acknowledged_ms: int | None = None
    cause: str = ""
    """Likely cause that it shares with others in a flood; those of one cause are one call."""


@dataclass(frozen=True, slots=True)
class CallOrder:
    """Call that is due: the step (from 0), and the alarms that it is about."""

    step: int
    recipient: str
    alarms: tuple[WaitingAlarm, ...]


_NOT_CALLED: Final = 0


class Escalation:
    """State of the steps of each alarm: the number of steps that were called."""

    def __init__(self, steps: Sequence[CallStep], called: Mapping[AlarmName, int]) -> None:
        self._steps = steps
        self._called = dict(called)
        self._reminded: dict[AlarmName, int] = {}
        self._failed: set[AlarmName] = set()

    def due(self, alarms: Iterable[WaitingAlarm], now_ms: int) -> Sequence[CallOrder]:
        """Return the calls that are due, and count them as called. An alarm that is not in `alarms` has ended."""
        waiting = {alarm.name: alarm for alarm in alarms}
        for kept in (self._called, self._reminded):
            for name in [name for name in kept if name not in waiting]:
                del kept[name]
        self._failed &= waiting.keys()
        due: dict[tuple[int, str], list[WaitingAlarm]] = {}
        for alarm in waiting.values():
            for step in self._due_steps(alarm, now_ms):
                # Priority 1 is never grouped away.
                own = alarm.cause if alarm.cause and alarm.priority > 1 else str(alarm.name)
                due.setdefault((step, own), []).append(alarm)
        return [CallOrder(step, self._steps[step].recipient, tuple(found)) for (step, _), found in sorted(due.items())]

    def failed(self, order: CallOrder) -> None:
        """Record that a call reached no one: the next step is due at once."""
        self._failed |= {alarm.name for alarm in order.alarms}

    def _due_steps(self, alarm: WaitingAlarm, now_ms: int) -> Sequence[int]:
        first = self._called.get(alarm.name, _NOT_CALLED)
        last = first
        if alarm.acknowledged_ms is None:
            self._reminded.pop(alarm.name, None)
            for number, step in enumerate(self._steps):
                after_ms = step.after_ms.get(alarm.priority)
                if after_ms is not None and now_ms - alarm.noticed_ms >= after_ms:
                    last = max(last, number + 1)
            if alarm.name in self._failed:
                last = max(last, min(first + 1, len(self._steps)))
        elif self._is_forgotten(alarm, now_ms):
            last = min(first + 1, len(self._steps))
        self._failed.discard(alarm.name)
        self._called[alarm.name] = last
        called = range(first, last)
        return [number for number in called if alarm.priority in self._steps[number].after_ms]

    def _is_forgotten(self, alarm: WaitingAlarm, now_ms: int) -> bool:
        """Return whether another reminder is due for what was acknowledged and stays open."""
        wait_ms = REMIND_MS.get(alarm.priority)
        if wait_ms is None or alarm.acknowledged_ms is None:
            return False
        reminders = self._reminded.get(alarm.name, 0)
        if now_ms - alarm.acknowledged_ms < wait_ms * (reminders + 1):
            return False
        self._reminded[alarm.name] = reminders + 1
        return True
