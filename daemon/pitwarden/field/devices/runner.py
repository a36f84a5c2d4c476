"""Connection loop of one device, and its health state.

Whether a device is online, stale or lost (B19): said once a change, on monotonic time, and only from here.

One device from opening to opening: the one place where a fault class becomes what its docstring promises.
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
    IdentityMismatchError: IDENTITY_MISMATCH,
    DeviceSilentError: "device_silent",
    DeviceNotAcceptingError: "device_not_accepting",
}
"""The word with which the reason of a lost device begins."""

_MAX_REASON: Final = 500


class HealthSink(Protocol):
    """Receiver of changes of the health of devices."""

    def health(self, device: str, health: DeviceHealth) -> None:
        """Handle a change of the health of `device`."""
        ...


class HealthTracker:
    """The health of `device`. A lost device is reported again only when the kind of reason changes."""

    def __init__(self, device: str, sink: HealthSink) -> None:
        self._device, self._sink = device, sink
        self._last: tuple[str, str] | None = None

    def online(self) -> bool:
        """Note that the device is identified and sends; return whether that is a change."""
        return self._change("online", "identified", "the device is identified and heard")

    def stale(self, silent_ms: int) -> None:
        """The device was identified, and now nothing good comes."""
        self._change("stale", "silent", f"nothing heard for {silent_ms} ms: see the cable and the device")

    def lost(self, fault: DeviceError) -> None:
        """There is no device to believe."""
        code = CODES.get(type(fault), "device_fault")
        self._change("lost", code, str(fault))

    def _change(self, state: Literal["online", "stale", "lost"], code: str, words: str) -> bool:
        changed = self._last != (state, code)
        if changed:
            self._last = state, code
            clean = "".join(letter if letter.isprintable() else "?" for letter in f"{code}: {words}")
            self._sink.health(self._device, DeviceHealth(state=state, reason=clean[:_MAX_REASON]))
        return changed


QUICK_CAP_MS: Final = 1_500  # a lock is released, a link appears: whoever did it stands there and waits
SOON_CAP_MS: Final = 4_000
SLICE_MS: Final = 1_000


class PortProvider(Protocol):
    """Ports of a machine."""

    async def open(self, line: PortAddress, listener: PortListener) -> Port:
        """Open `line` for `listener`; a DeviceError says why not."""
        ...


class ReportSink(HealthSink, Protocol):
    """Receiver of the reports of a table's devices."""

    def report(self, device: str, report: DeviceReport) -> None:
        """Handle a report of `device`."""
        ...


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """A device of the table file. `expected` says where the log ends with it when the daemon starts."""

    name: str
    line: PortAddress
    driver: Driver
    expected: ExpectedDevice
    stale_after_ms: int = 3_000


class DeviceRunner:
    """Opens, talks, closes, waits, and again. Nothing that the device does ends it."""

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
        self.stats = LineStats()
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
        self._open = False
        self._lamps: Lamps | None = None

    async def run(self) -> Never:
        """Runs until cancelled."""
        while True:
            wait_ms = await self._once()
            await self._rest(wait_ms)

    def committed(self, boot: int, counter: int) -> None:
        """See `Supervisor.committed`."""
        self._stored = boot, counter
        self._inbox.commit(boot, counter)

    def command(self, request: str, command: CommandName) -> None:
        """See `Supervisor.command`."""
        if self._open and request not in self._pending and self._inbox.enqueue_command(request, command):
            self._pending[request] = command
        else:
            self._outcome(request, command, "refused")

    def show(self, lamps: Lamps) -> None:
        """See `Supervisor.show`."""
        self._lamps = lamps
        self._inbox.wake()

    def rewind(self, boot: int, counter: int) -> None:
        """See `Supervisor.rewind`."""
        self._reported = boot, counter
        self._inbox.end(LinkLostError("the log did not take what the device said: it is asked for again"))

    async def _once(self) -> int:
        """One opening of the port; how long to wait, in ms, before the next."""
        try:
            await self._dialogue()
        except (PortBusyError, DeviceNotAcceptingError) as fault:
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
        """Waits in slices, so that a watchdog sees progress."""
        end = self._clock.mono_ms() + wait_ms
        while (left := end - self._clock.mono_ms()) > 0:
            self.progress += 1
            await asyncio.sleep(min(left, SLICE_MS) / 1_000)

    async def _dialogue(self) -> Never:
        """One opening, from the port to the fault that ends it."""
        self.progress += 1
        self._inbox.open()
        port = await self._ports.open(self._spec.line, self._inbox)
        boot, counter = self._reported
        session = self._spec.driver.session(replace(self._spec.expected, last_boot=boot, last_counter=counter))
        self._open = True
        try:
            await self._process_until_fault(port, session)
        finally:
            self._open = False
            self.stats = session.stats
            for request, command in self._pending.items():
                self._outcome(request, command, "timeout")
            self._pending.clear()
            await port.close()

    async def _process_until_fault(self, port: Port, session: Session) -> Never:
        dialogue = DeviceDialogue(port, session, self._inbox, self)
        dialogue.begin(self._clock.mono_ms(), self._stored)
        while True:
            idle_ms = dialogue.idle_ms(self._clock.mono_ms(), self._spec.stale_after_ms, SLICE_MS)
            await self._inbox.wait(idle_ms / 1_000)
            self.progress += 1
            now = self._clock.mono_ms()
            dialogue.process(now, self._lamps)
            self.stats = session.stats
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
        """Says whether the device is online or stale, when that changed."""
        heard = session.heard_at
        if heard is None:
            return
        if now - heard >= self._spec.stale_after_ms:
            self._health.stale(now - heard)
        elif session.identified and self._health.online():
            self._backoff.reset()
