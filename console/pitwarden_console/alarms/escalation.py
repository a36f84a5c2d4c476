"""Escalation: who is called when an alarm stays unacknowledged, or acknowledged and open. Pure.

A step ends by the table's record, never by a touch on a page, and an alarm of a table that is not live has not ended.
A call that fails passes to the next step at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class CalledSteps:
    """Steps of an alarm that were called: their number, and when the last call was made (UTC, ms)."""

    count: int
    at_ms: int
    failed: bool = False
    """Whether the last call reached no one, so that the next step is due at once."""


# Time until the last step is called again when no one was reached, in ms: a service is often back within minutes.
RETRY_MS: Final = 60_000
_NONE: Final = -1
_NOT_CALLED: Final = CalledSteps(0, 0)


class Escalation:
    """State of the steps of each alarm. A step counts once its call has begun, so that none is lost before that."""

    def __init__(self, steps: Sequence[CallStep], called: Mapping[AlarmName, CalledSteps]) -> None:
        self._steps = steps
        self._called = dict(called)

    def due(
        self, alarms: Iterable[WaitingAlarm], now_ms: int, *, unknown: Callable[[AlarmName], bool] = lambda _: False
    ) -> Sequence[CallOrder]:
        """Return the calls that are due. They are due again until `begun` is called with them.

        Args:
            alarms: What asks for a person.
            now_ms: The time (UTC).
            unknown: Whether nothing is known of an alarm that is not in `alarms`. All others of them have ended.
        """
        waiting = {alarm.name: alarm for alarm in alarms}
        self._called = {
            name: called for name, called in self._called.items() if name in waiting or unknown(name)
        }  # fmt: skip
        due: dict[tuple[int, str], list[WaitingAlarm]] = {}
        for alarm in waiting.values():
            for step in self._due_steps(alarm, now_ms):
                # Priority 1 is never grouped away.
                own = alarm.cause if alarm.cause and alarm.priority > 1 else str(alarm.name)
                due.setdefault((step, own), []).append(alarm)
        return [CallOrder(step, self._steps[step].recipient, tuple(found)) for (step, _), found in sorted(due.items())]

    def begun(self, order: CallOrder, now_ms: int) -> None:
        """Count the step of a call that has begun."""
        for alarm in order.alarms:
            self._called[alarm.name] = CalledSteps(order.step + 1, now_ms)

    def failed(self, order: CallOrder) -> None:
        """Record that a call reached no one: the next step is due at once, unless it has been called since."""
        for alarm in order.alarms:
            called = self._called.get(alarm.name, _NOT_CALLED)
            if called.count == order.step + 1:
                self._called[alarm.name] = replace(called, failed=True)

    def _due_steps(self, alarm: WaitingAlarm, now_ms: int) -> Sequence[int]:
        called = self._called.get(alarm.name, _NOT_CALLED)
        own = [number for number, step in enumerate(self._steps) if alarm.priority in step.after_ms]
        left = [number for number in own if number >= called.count]
        # A call from before an acknowledgment that failed needs no other: someone knows.
        is_unreached = called.failed and called.at_ms >= (alarm.acknowledged_ms or 0)
        if is_unreached and not left:
            # No one is left to pass it on to, so the last one is called until someone is reached.
            return own[-1:] if now_ms - called.at_ms >= RETRY_MS else []
        if alarm.acknowledged_ms is not None:
            return left[:1] if is_unreached or _is_forgotten(alarm, called, now_ms) else []
        waited_ms = now_ms - alarm.noticed_ms
        last = max((number for number in left if self._after_ms(number, alarm) <= waited_ms), default=_NONE)
        return [number for number in left if number <= last] or (left[:1] if is_unreached else [])

    def _after_ms(self, step: int, alarm: WaitingAlarm) -> int:
        return self._steps[step].after_ms[alarm.priority]


def _is_forgotten(alarm: WaitingAlarm, called: CalledSteps, now_ms: int) -> bool:
    """Return whether a reminder is due for what was acknowledged and stays open: from then on, or from the last one."""
    wait_ms = REMIND_MS.get(alarm.priority)
    if wait_ms is None or alarm.acknowledged_ms is None:
        return False
    return now_ms - max(alarm.acknowledged_ms, called.at_ms) >= wait_ms
