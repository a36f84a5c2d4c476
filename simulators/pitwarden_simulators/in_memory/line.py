"""Device on an in-memory pipe, with the host's real dialogue at the other end; it can be unplugged."""

from collections.abc import Callable
from typing import Final

from pitwarden_client.events.device import DeviceHealth
from pitwarden_drivers.api import DeviceReport, Driver, ExpectedDevice, Session, SessionOutput
from pitwarden_drivers.errors import DeviceError
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.table_builder import SERIALS

_REOPEN_MS: Final = 500
_NOISE: Final = bytes.fromhex("7e13ff7e0d0a7d7d00427e7e83000000070000007e")
_ONLINE: Final = DeviceHealth(state="online", reason="")

OnReport = Callable[[DeviceName, DeviceReport | DeviceHealth], None]


class InMemoryLine:
    """Pipe of one device; `on_report` commits reports before they are acknowledged."""

    def __init__(self, name: DeviceName, device: TdpDevice, driver: Driver, on_report: OnReport) -> None:
        self.device = device
        self._name = name
        self._driver = driver
        self._on_report = on_report
        self._last = (0, 0)
        self._session: Session | None = None
        self._plugged = True
        self._online = False
        self._wake = 0

    def plug(self, *, plugged: bool) -> None:
        """Plug or unplug the cable; bytes in transit are lost."""
        self._plugged = plugged

    def noise(self, now: int) -> None:
        """Put noise on the cable."""
        self._to_host(now, _NOISE)

    def pump(self, now: int) -> None:
        """Process everything due at `now`, on both ends."""
        if self._session is None and now >= self._wake:
            self._open(now)
        if self._plugged:
            self._to_host(now, self.device.tick(now))
        if self._session is not None and now >= self._wake:
            self._turn(now, lambda session: session.tick(now))

    def wake_at(self, now: int) -> int:
        """Return when `pump` is due again."""
        due = self.device.wake_at(now) if self._plugged else None
        return self._wake if due is None else min(due, self._wake)

    def _open(self, now: int) -> None:
        boot, counter = self._last
        self._session = self._driver.session(
            ExpectedDevice(self._name, SERIALS[self._name], last_boot=boot, last_counter=counter)
        )
        self._turn(now, lambda session: session.begin(now))

    def _to_host(self, now: int, data: bytes) -> None:
        if data:
            self._turn(now, lambda session: session.receive(now, data))

    def _turn(self, now: int, step: Callable[[Session], SessionOutput]) -> None:
        """Do one step of the dialogue and everything that follows from it."""
        if self._session is None:
            return
        try:
            self._follow(now, self._session, step(self._session))
        except DeviceError as fault:
            self._session, self._online, self._wake = None, False, now + _REOPEN_MS
            self._on_report(self._name, DeviceHealth(state="lost", reason=str(fault)))

    def _follow(self, now: int, session: Session, turn: SessionOutput) -> None:
        self._wake = now + _REOPEN_MS if turn.wake_at is None else turn.wake_at
        if session.identified and not self._online:
            self._online = True
            self._on_report(self._name, _ONLINE)
        for report in turn.reports:
            self._on_report(self._name, report)
            if report.counter:
                self._last = (report.boot, report.counter)
                self._follow(now, session, session.committed(now, report.boot, report.counter))
        if turn.send and self._plugged:
            answer = self.device.receive(now, turn.send)
            if answer:
                self._follow(now, session, session.receive(now, answer))
