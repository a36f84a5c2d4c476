"""Commands that await a reply, and a keypad's lamps.

Commands have request numbers and deadlines; late replies match none (SPEC.md section 8, B10). Lamps (SPEC.md section
11) are sent when they change and then repeatedly, so that the lamps of a lost host go dark.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from pitwarden_client.events.device import CommandName, DeviceCommand
from pitwarden_client.events.keypad import KEYS, CaseLamp, Lamps, PermitLamp
from pitwarden_drivers.tdp.frames_device import ReplyFrame
from pitwarden_drivers.tdp.frames_host import CommandFrame, LampFrame

# Time in ms for the reply to a command (SPEC.md section 9). After it the outcome is `timeout`.
DEADLINE_MS: Final = 2_000
# A person presses a few keys; more is a runaway sender.
MAX_PENDING: Final = 16
CODES: Final[dict[CommandName, int]] = {"lock": 1, "unlock": 2, "report_count": 3}
RESULTS: Final[dict[int, Literal["done", "refused", "timeout"]]] = {0: "done", 1: "refused", 2: "refused", 3: "timeout"}
_MOD: Final = 2**32


@dataclass(slots=True)
class _Pending:
    request: str
    command: CommandName
    deadline: int
    counted: bool = False


class PendingCommands:
    """Commands that await a reply. Numbers begin at `first`, so that replies to an earlier dialogue match none."""

    def __init__(self, first: int) -> None:
        self._next = first & 0xFFFFFFFF
        self._pending: dict[int, _Pending] = {}
        self.wake_at: int | None = None
        """Earliest deadline, monotonic ms; None without commands."""
        self._ahead: int | None = None

    def clock(self, now: int, device_ms: int) -> None:
        """Set the device's clock, in ms; 0 for a device without one."""
        self._ahead = device_ms - now if device_ms else None

    def send(self, now: int, request: str, command: CommandName) -> CommandFrame | None:
        """Return the frame to send; None when too many commands wait already."""
        if len(self._pending) >= MAX_PENDING:
            return None
        number, self._next = self._next, (self._next + 1) & 0xFFFFFFFF
        self._pending[number] = _Pending(request, command, now + DEADLINE_MS)
        self._set_wake()
        until = 0 if self._ahead is None else (now + self._ahead + DEADLINE_MS) % _MOD or 1
        return CommandFrame(number, CODES[command], until)

    def counting(self, number: int) -> str | None:
        """Return the request that a count with `number` answers; None for an unexpected one."""
        pending = self._pending.get(number)
        return pending.request if pending and pending.command == "report_count" else None

    def counted(self, number: int) -> None:
        """Record that the complete count of request `number` has arrived."""
        self._pending[number].counted = True

    def answer(self, reply: ReplyFrame) -> DeviceCommand | None:
        """Return the outcome in `reply`; None for an unexpected reply, and for a count that arrived incomplete."""
        pending = self._pending.get(reply.request)
        outcome = RESULTS.get(reply.result)
        if pending is None or outcome is None:
            return None
        if pending.command == "report_count" and outcome == "done" and not pending.counted:
            return None
        del self._pending[reply.request]
        self._set_wake()
        return DeviceCommand(request=pending.request, command=pending.command, outcome=outcome)

    def expire(self, now: int) -> tuple[DeviceCommand, ...]:
        """Return the commands whose deadline has passed, and forget them."""
        late = [number for number, pending in self._pending.items() if pending.deadline <= now]
        gone = [self._pending.pop(number) for number in late]
        self._set_wake()
        return tuple(DeviceCommand(request=p.request, command=p.command, outcome="timeout") for p in gone)

    def _set_wake(self) -> None:
        self.wake_at = min((pending.deadline for pending in self._pending.values()), default=None)


# Interval in ms at which unchanged lamps are sent again (SPEC.md section 11).
EVERY_MS: Final = 2_000
# Time in ms for which a keypad shows lamps without a new frame: three intervals, so that a lost frame darkens none.
HOLD_MS: Final = 6_000
NO_KEY: Final = 0xFF
_PERMITS: Final[tuple[PermitLamp, ...]] = get_args(PermitLamp)
_CASES: Final[tuple[CaseLamp, ...]] = get_args(CaseLamp)


class LampRefresher:
    """Lamps of a keypad, and the time of their next repetition."""

    def __init__(self) -> None:
        self.wake_at: int | None = None
        self._lamps: Lamps | None = None

    def set(self, now: int, lamps: Lamps) -> None:
        """Set the lamps to display."""
        if lamps != self._lamps:
            self._lamps = lamps
            self.wake_at = now

    def again(self, now: int) -> None:
        """Send again at once: a device that was just identified displays nothing."""
        self.wake_at = None if self._lamps is None else now

    def due(self, now: int) -> LampFrame | None:
        """Return the frame to send when its time has come, else None."""
        if self._lamps is None or self.wake_at is None or now < self.wake_at:
            return None
        self.wake_at = now + EVERY_MS
        return lamp_frame(self._lamps)


def lamp_frame(lamps: Lamps) -> LampFrame:
    """Return the frame of `lamps`."""
    key = NO_KEY if lamps.key is None else KEYS.index(lamps.key)
    return LampFrame(_PERMITS.index(lamps.permit), _CASES.index(lamps.case), key, HOLD_MS)


def lamps_from_frame(frame: LampFrame) -> Lamps | None:
    """Return the lamps in a frame, as a keypad reads it; None for unknown codes."""
    if frame.permit >= len(_PERMITS) or frame.case >= len(_CASES) or (frame.key >= len(KEYS) and frame.key != NO_KEY):
        return None
    key = None if frame.key == NO_KEY else KEYS[frame.key]
    return Lamps(_PERMITS[frame.permit], _CASES[frame.case], key)
