"""Connection loop and health state of one device.

Invariant: this is the one place that selects the delay for each class of DeviceError, as the class promises. Health
(online, stale, lost) is determined on monotonic time and reported once per change.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, Never, Protocol

from pitwarden.field.devices.dialogue import DeviceDialogue, DeviceInbox
from pitwarden.system.clock import Clock
from pitwarden_client.backoff import Backoff
from pitwarden_client.events.device import IDENTITY_MISMATCH, CommandName, DeviceCommand, DeviceHealth, DeviceRestarted
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import DeviceReport, Driver, ExpectedDevice, LineStats, Session
from pitwarden_drivers.errors import (
    DeviceError,
    DeviceNotAcceptingError,
    DeviceSilentError,
    IdentityMismatchError,
    LineChangedError,
    LinkLostError,
    PortBusyError,
    PortUnavailableError,
    PortUnsuitableError,
)
from pitwarden_drivers.ports.port import Port, PortAddress, PortListener

CODES: Final[dict[type[DeviceError], str]] = {
    PortUnavailableError: "port_unavailable",
    PortBusyError: "port_busy",
    PortUnsuitableError: "port_unsuitable",
    LinkLostError: "link_lost",
    LineChangedError: "line_changed",
    IdentityMismatchError: IDENTITY_MISMATCH,
    DeviceSilentError: "device_silent",
    DeviceNotAcceptingError: "device_not_accepting",
}
"""Word with which the reason of a lost device begins. It is published in `device.health`."""

# Characters of a reason, as the event's model allows; longer ones are cut.
_MAX_REASON: Final = 500


class HealthSink(Protocol):
    """Receiver of changes of the health of devices."""

    def health(self, device: str, health: DeviceHealth) -> None:
        """Handle a change of the health of `device`."""
        ...


class HealthTracker:
    """Health of `device`. A lost device is reported again only when the class of its error changes."""

    def __init__(self, device: str, sink: HealthSink) -> None:
        self._device, self._sink = device, sink
        self._last: tuple[str, str] | None = None

    def online(self) -> bool:
        """Report that the device is identified and sends; return whether that is a change."""
        return self._change("online", "identified", "the device is identified and heard")

    def stale(self, silent_ms: int) -> None:
        """Report that an identified device has sent nothing valid for `silent_ms`."""
        self._change("stale", "silent", f"nothing heard for {silent_ms} ms: see the cable and the device")

    def lost(self, fault: DeviceError) -> None:
        """Report that the device is not present or not trusted, because of `fault`."""
        code = CODES.get(type(fault), "device_fault")
        self._change("lost", code, str(fault))

    def _change(self, state: Literal["online", "stale", "lost"], code: str, words: str) -> bool:
        changed = self._last != (state, code)
        if changed:
            self._last = state, code
            clean = "".join(letter if letter.isprintable() else "?" for letter in f"{code}: {words}")
            self._sink.health(self._device, DeviceHealth(state=state, reason=clean[:_MAX_REASON]))
        return changed


# Longest delay, in ms, before a port that another program held is opened again: the person who released it is waiting.
QUICK_CAP_MS: Final = 1_500
# Longest delay, in ms, before a missing or lost port is opened again. A person who plugs a cable sees the device
# online within a few seconds.
SOON_CAP_MS: Final = 4_000
# Longest single wait, in ms, so that the watchdog sees progress during a long back-off and a silent dialogue.
SLICE_MS: Final = 1_000


class PortProvider(Protocol):
    """Ports of a machine."""

    async def open(self, line: PortAddress, listener: PortListener) -> Port:
        """Open `line` for `listener`.

        Raises:
            DeviceError: The port cannot be opened; the class is the reason.
        """
        ...


class ReportSink(HealthSink, Protocol):
    """Receiver of the reports of a table's devices."""

    def report(self, device: str, report: DeviceReport) -> None:
        """Handle a report of `device`."""
        ...


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """Device of the table file."""

    name: str
    line: PortAddress
    driver: Driver
    expected: ExpectedDevice
    """Expected identity, with the device's newest position in the log when the service starts."""
    stale_after_ms: int = 3_000
    """Silence in ms after which the device is stale."""


class DeviceRunner:
    """Connection loop of one device: open, identify, run the dialogue, close, back off.

    Device errors never end the loop; each error class selects the delay. All methods are called in the event loop.
    """

    def __init__(
        self,
        spec: DeviceSpec,
        *,
        clock: Clock,
        random: Callable[[], float],
        ports: PortProvider,
        sink: ReportSink,
    ) -> None:
        self.progress = 0
        self._spec = spec
        self._clock = clock
        self._ports = ports
        self._sink = sink
        self._health = HealthTracker(spec.name, sink)
        self._backoff = Backoff(random)
        self._reported = (spec.expected.last_boot, spec.expected.last_counter)
        self._inbox = DeviceInbox()
        self._stored = self._reported
        self._pending: dict[str, CommandName] = {}
        self._session: Session | None = None
        """Session of the newest opening of the port; None before the first."""
        self._open = False
        self._lamps: Lamps | None = None

    @property
    def stats(self) -> LineStats:
        """Statistics of the line since the port was last opened."""
        return LineStats() if self._session is None else self._session.stats

    async def run(self) -> Never:
        """Run until cancelled."""
        while True:
            wait_ms = await self._once()
            await self._rest(wait_ms)

    def committed(self, boot: int, counter: int) -> None:
        """Acknowledge all events up to `counter` of `boot` to the device."""
        self._stored = boot, counter
        self._inbox.commit(boot, counter)

    def command(self, request: str, command: CommandName) -> None:
        """Send a command, or report it as refused while the port is closed or the same request is pending."""
        if self._open and request not in self._pending and self._inbox.enqueue_command(request, command):
            self._pending[request] = command
        else:
            self._outcome(request, command, "refused")

    def show(self, lamps: Lamps) -> None:
        """Display `lamps`, as soon as the device is present."""
        self._lamps = lamps
        self._inbox.wake()

    def rewind(self, boot: int, counter: int) -> None:
        """End the dialogue, and request all events after this position again in the next one."""
        self._reported = boot, counter
        self._inbox.end(LinkLostError("the log did not take what the device said: it is asked for again"))

    async def _once(self) -> int:
        """Run one opening of the port; return how long to wait, in ms, before the next."""
        try:
            await self._dialogue()
        except (PortBusyError, DeviceNotAcceptingError, LineChangedError) as fault:
            return self._failed(fault, QUICK_CAP_MS)
        except (PortUnavailableError, LinkLostError) as fault:
            return self._failed(fault, SOON_CAP_MS)
        except DeviceSilentError as fault:
            return self._failed(fault, None)
        except (IdentityMismatchError, PortUnsuitableError) as fault:
            self._health.lost(fault)
            return self._backoff.use_cap()

    def _failed(self, fault: DeviceError, cap_ms: int | None) -> int:
        self._health.lost(fault)
        return self._backoff.failed(cap_ms)

    async def _rest(self, wait_ms: int) -> None:
        """Wait in slices, so that a watchdog sees progress."""
        end = self._clock.mono_ms() + wait_ms
        while (left := end - self._clock.mono_ms()) > 0:
            self.progress += 1
            await asyncio.sleep(min(left, SLICE_MS) / 1_000)

    async def _dialogue(self) -> Never:
        """Run one opening, from the port to the error that ends it."""
        self.progress += 1
        self._inbox.open()
        port = await self._ports.open(self._spec.line, self._inbox)
        boot, counter = self._reported
        session = self._spec.driver.session(replace(self._spec.expected, last_boot=boot, last_counter=counter))
        self._session = session
        self._open = True
        try:
            await self._process_until_fault(port, session)
        finally:
            self._open = False
            for request, command in self._pending.items():
                self._outcome(request, command, "timeout")
            self._pending.clear()
            await port.close()

    async def _process_until_fault(self, port: Port, session: Session) -> Never:
        dialogue = DeviceDialogue(port, session, self._inbox, self)
        now = self._clock.mono_ms()
        dialogue.begin(now, self._stored)
        while True:
            # The clock is read once in each turn: what a turn takes is far less than the shortest deadline.
            idle_ms = dialogue.idle_ms(now, self._spec.stale_after_ms, SLICE_MS)
            await self._inbox.wait(idle_ms / 1_000)
            self.progress += 1
            now = self._clock.mono_ms()
            dialogue.process(now, self._lamps)
            self._update_health(session, now)

    def reported(self, report: DeviceReport) -> None:
        """Pass a report on and note the position that the device has reached."""
        if report.counter or isinstance(report.said, DeviceRestarted):
            self._reported = report.boot, report.counter
        if isinstance(report.said, DeviceCommand):
            self._pending.pop(report.said.request, None)
        self._sink.report(self._spec.name, report)

    def _outcome(self, request: str, command: CommandName, outcome: Literal["refused", "timeout"]) -> None:
        said = DeviceCommand(request=request, command=command, outcome=outcome)
        self._sink.report(self._spec.name, DeviceReport(self._reported[0], 0, said))

    def _update_health(self, session: Session, now: int) -> None:
        """Report the device as online or stale, when that changed."""
        heard = session.heard_at
        if heard is None:
            return
        if now - heard >= self._spec.stale_after_ms:
            self._health.stale(now - heard)
        elif session.identified and self._health.online():
            self._backoff.reset()
