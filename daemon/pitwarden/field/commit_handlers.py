"""Handlers of a committed row: what the next row depends on at once, the rest a little later.

The order of the immediate handlers is the order of `CommitDispatcher.logged`. Deferred work runs after the row has left
for the judge, so that it costs the verdict no time. One log line is written per change, never per card.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Never, TypeVar

import structlog

from pitwarden.field.devices.intake import DeviceIntake
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden.field.inputs.command_gate import CommandGate
from pitwarden.field.inputs.input_gate import InputGate
from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.ticker import Ticker
from pitwarden.field.metrics import FieldMetrics
from pitwarden.field.outbound.delivery import JudgeDelivery
from pitwarden.field.outbound.status import StatusPublisher
from pitwarden.system.clock import LogTime
from pitwarden_client.events.device import (
    DeviceGap,
    DeviceHealth,
    DeviceIdentified,
    DeviceRestarted,
    ReaderInserted,
    ShoeCard,
    ShoeStack,
)
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import ClockStepped, EpochOpened, JudgeAnnounced, LogFault, PermitApplied

T = TypeVar("T")
# Delay of deferred work, in seconds. The row leaves for the judge first. A device loses nothing by the delay, since an
# acknowledgement covers all events before it.
AFTER_S: Final = 0.02


class DeferredWork(Generic[T]):
    """Queue of items that `do` processes in order, a little later in the event loop.

    After a crash they are not processed.
    """

    def __init__(self, do: Callable[[T], None]) -> None:
        self._do = do
        self._items: deque[T] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._bug: asyncio.Future[Never] = asyncio.get_running_loop().create_future()

    def put(self, item: T) -> None:
        """Queue `item`, which `do` gets within AFTER_S."""
        self._items.append(item)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(AFTER_S, self._due)

    def now(self) -> None:
        """Process all queued items at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._items:
            self._do(self._items.popleft())

    async def run(self) -> Never:
        """Run until cancelled; raise the exception of a `do` that failed."""
        await self._bug

    def _due(self) -> None:
        self._timer = None
        try:
            self.now()
        except Exception as bug:  # noqa: BLE001  the loop would only report it; `run` raises it
            if not self._bug.done():
                self._bug.set_exception(bug)


_log = structlog.get_logger()


def log_row_change(table: str, row: LogEvent, reasons: tuple[str, ...]) -> None:
    """Write the log line of a committed row, if the row is a change.

    Args:
        table: Site and table, as `site/table`.
        row: Committed row.
        reasons: Reasons why dealing is withheld.
    """
    device = row.source.rpartition("/")[2]
    match row.data:
        case DeviceHealth(state=state, reason=reason):
            (_log.info if state == "online" else _log.warning)(
                "device", table=table, device=device, state=state, reason=reason
            )
        case DeviceIdentified(serial=serial, firmware=firmware):
            _log.info("device identified", table=table, device=device, serial=serial, firmware=firmware)
        case DeviceRestarted(boot=boot):
            _log.warning("device restarted", table=table, device=device, boot=boot)
        case DeviceGap(first=first, last=last):
            _log.error("device events missing", table=table, device=device, first=first, last=last)
        case PermitApplied(cause=cause):
            _log.info("permit", table=table, shown=cause, reasons="; ".join(reasons))
        case ClockStepped(delta_ms=delta):
            _log.warning("clock stepped", table=table, delta_ms=delta)
        case EpochOpened():
            _log.info("epoch opened", table=table, epoch=row.epoch)
        case JudgeAnnounced(judge=judge, rules_version=rules, profile_digest=profile):
            _log.info("judge announced", table=table, judge=judge, rules=rules, profile=profile)
        case LogFault(fault=fault, detail=detail):
            _log.error("fault in the log", table=table, fault=fault, reason=detail)
        case _:
            return


@dataclass(frozen=True, slots=True)
class CommitListeners:
    """Components notified of each committed row, in the order of notification."""

    input_gate: InputGate
    command_gate: CommandGate
    keypads: KeypadTranslator
    ticker: Ticker
    meters: FieldMetrics
    permit: PermitDisplay
    intake: DeviceIntake
    statuses: StatusPublisher
    delivery: JudgeDelivery


class CommitDispatcher:
    """Follower of a table's log. It passes each committed row to the components of the half, one after the other."""

    def __init__(self, table: str, followers: CommitListeners, time: LogTime) -> None:
        self._table, self._to, self._time = table, followers, time
        self.deferred: DeferredWork[LogEvent] = DeferredWork(self._process_deferred)

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        """Handle a committed row; it has already been sent to the judge."""
        to = self._to
        log_row_change(self._table, row, to.permit.reasons)
        self.deferred.put(row)
        # Only the rows that a component acts on reach it: on the way of a card each call costs the verdict time.
        match row.data:
            case InputLogged():
                to.input_gate.logged(row)
                to.command_gate.logged(row)
                to.keypads.logged(row.source.rpartition("/")[2], row.tableseq, row.data)
            case ShoeCard() | ShoeStack() | ReaderInserted():
                to.command_gate.logged(row)
            case LogFault():
                to.input_gate.logged(row)
            case PermitApplied() | EpochOpened():
                to.keypads.logged(row.source.rpartition("/")[2], row.tableseq, row.data)
            case _:
                pass
        to.ticker.logged(row)
        to.meters.logged(row, waited_ms, now_ms)

    def log_idle(self) -> None:
        """Handle that no row waits after a refusal: devices repeat the reports that were refused."""
        self._to.intake.log_idle()

    def log_faults(self, names: tuple[str, ...]) -> None:
        """Handle a change of the journal's faults."""
        self._to.statuses.fault("journal", names)

    def _process_deferred(self, row: LogEvent) -> None:
        """Do what the next row does not depend on; the judge may be evaluating the row by now."""
        to = self._to
        to.intake.logged(row)
        to.statuses.logged(row)
        to.meters.add_up(self._time.log_ms())
        to.ticker.wake()
        to.delivery.wake()
