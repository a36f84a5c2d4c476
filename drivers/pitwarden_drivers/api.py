"""Driver API: protocols and records that every device driver implements. No I/O, no clock.

A driver is a factory of sessions. A session receives bytes and returns bytes, reports and the time of its next tick.
"""

import warnings
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, runtime_checkable

from pitwarden_client.events.device import CommandName as CommandName  # noqa: PLC0414  drivers import it from here
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.keypad import Lamps

Family = Literal["shoe", "shuffler", "reader", "keypad"]
MAP_PREFIX: Final = "map:"
"""Beginning of the name of a driver that is a map file. Its modules are loaded by tables that have one."""
SCAN_PREFIX: Final = "scan:"
"""Beginning of the name of a driver that is a codes file."""


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret byte between the wire and its seal: a face code, or the reader's bit. Its repr shows no value."""

    value: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlainCard:
    """Drawn card before its face is sealed."""

    face: Secret
    up: bool | None = None
    back: str | None = None


@dataclass(frozen=True, slots=True)
class PlainStack:
    """Dispensed stack before its faces are sealed. `faces` covers the complete stack, or is empty."""

    count: int
    faces: tuple[Secret, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """Reader's answer before it is sealed: 1 blackjack, 0 no blackjack."""

    bit: Secret


Said = PlainCard | PlainStack | PlainAnswer | DeviceEvent


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Event that a device reported. `counter` is the device's number in its boot, 0 for what is not a stored event."""

    boot: int
    counter: int
    said: Said


@dataclass(frozen=True, slots=True)
class SessionOutput:
    """Output of one session call: bytes for the device, reports, and the time of the next tick (ms, monotonic)."""

    send: bytes = b""
    reports: tuple[DeviceReport, ...] = ()
    wake_at: int | None = None


@dataclass(frozen=True, slots=True)
class LineStats:
    """Tally of discarded input since the session began: counts only, never bytes, which may hold a card."""

    frames_rejected: int = 0
    bytes_dropped: int = 0
    before_sync: int = 0
    stray_replies: int = 0
    duplicates: int = 0


class Session(Protocol):
    """Dialogue with one device over one opening of its port. Every method takes `now` in monotonic ms.

    Each method may raise a `DeviceError`, whose class decides how the supervisor reacts.
    """

    @property
    def identified(self) -> bool:
        """True if the device has proved to be the configured one. The session reports nothing before."""
        ...

    @property
    def heard_at(self) -> int | None:
        """Time of the last good frame from the identified device, monotonic ms; None before the first."""
        ...

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        ...

    def begin(self, now: int) -> SessionOutput:
        """Start the dialogue. The port has been opened."""
        ...

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes from the device, in chunks of any size."""
        ...

    def tick(self, now: int) -> SessionOutput:
        """Handle the time `wake_at` of the last output, or a later one."""
        ...

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:
        """Acknowledge to the device all events up to `counter` of `boot`. They are committed."""
        ...

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command. Its outcome follows as a `DeviceCommand` report."""
        ...


@runtime_checkable
class LampSession(Protocol):
    """Dialogue with a device that has lamps, such as a keypad. A session may implement it in addition to `Session`."""

    def show(self, now: int, lamps: Lamps) -> SessionOutput:
        """Display `lamps` until further notice."""
        ...


@dataclass(frozen=True, slots=True)
class ExpectedDevice:
    """Device configured for a port, and the log's position in its events (boot, counter), so that none counts twice."""

    family: Family
    serial: str
    firmware: tuple[str, ...] = ()
    last_boot: int = 0
    last_counter: int = 0


class Driver(Protocol):
    """Protocol of a device family, registered by the entry point `pitwarden.drivers`."""

    @property
    def name(self) -> str:
        """Name of the driver, as the table file gives it in `driver`."""
        ...

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new dialogue for a port that is about to open."""
        ...


FORMER_NAMES: Final[dict[str, type]] = {
    "Report": DeviceReport,
    "Turn": SessionOutput,
    "Lit": LampSession,
    "Expected": ExpectedDevice,
}
"""Names that drivers imported before 0.3.0. Each warns when it is used. Version 0.4.0 removes them."""


def __getattr__(name: str) -> object:
    """Return the class that had this name, PEP 562."""
    if name not in FORMER_NAMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    present = FORMER_NAMES[name]
    warnings.warn(f"{__name__}.{name} is now {present.__name__}", DeprecationWarning, stacklevel=2)
    return present
