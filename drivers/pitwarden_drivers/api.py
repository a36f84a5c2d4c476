"""What a driver is: a factory of dialogues. Bytes in; bytes, reports and the next wake-up out. No I/O, no clock."""

import warnings
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, runtime_checkable

from pitwarden_client.events.device import CommandName as CommandName  # noqa: PLC0414  drivers take it from here
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.keypad import Lamps

Family = Literal["shoe", "shuffler", "reader", "keypad"]


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret byte on its way from the wire to its seal: a face code, or the reader's bit. It shows in no repr."""

    value: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlainCard:
    """A drawn card before its face is sealed."""

    face: Secret
    up: bool | None = None
    back: str | None = None


@dataclass(frozen=True, slots=True)
class PlainStack:
    """A dispensed stack before its faces are sealed; `faces` are all or none."""

    count: int
    faces: tuple[Secret, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """The reader's answer before it is sealed: 1 blackjack, 0 no blackjack."""

    bit: Secret


Said = PlainCard | PlainStack | PlainAnswer | DeviceEvent


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Something that a device said. `counter` is its own number in its boot, 0 for what is not a stored event."""

    boot: int
    counter: int
    said: Said


@dataclass(frozen=True, slots=True)
class SessionOutput:
    """What a dialogue wants after it heard something: bytes to send, reports, and when to be woken (ms, monotonic)."""

    send: bytes = b""
    reports: tuple[DeviceReport, ...] = ()
    wake_at: int | None = None


@dataclass(frozen=True, slots=True)
class LineStats:
    """What a dialogue threw away so far: counts only, never bytes (they may be a card)."""

    frames_rejected: int = 0
    bytes_dropped: int = 0
    before_sync: int = 0
    stray_replies: int = 0
    duplicates: int = 0


class Session(Protocol):
    """One dialogue with one device over one opening of its port. Every method takes `now` in monotonic ms.

    Each may raise a `DeviceError`, whose class is the policy.
    """

    @property
    def identified(self) -> bool:
        """Whether the device has proved to be the configured one; nothing is reported before."""
        ...

    @property
    def heard_at(self) -> int | None:
        """When the last good frame of the identified device came, monotonic ms; None before the first."""
        ...

    @property
    def stats(self) -> LineStats:
        """What was thrown away so far."""
        ...

    def begin(self, now: int) -> SessionOutput:
        """The port has just opened."""
        ...

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Bytes came from the device."""
        ...

    def tick(self, now: int) -> SessionOutput:
        """The asked-for time has come, or any later one."""
        ...

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:
        """All events up to `counter` of `boot` are committed: acknowledge them to the device."""
        ...

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command; its outcome comes as a `DeviceCommand` report."""
        ...


@runtime_checkable
class LampSession(Protocol):
    """A dialogue whose device has lamps: a keypad's. A session may have this beside what `Session` asks for."""

    def show(self, now: int, lamps: Lamps) -> SessionOutput:
        """The lamps shall show this from now on."""
        ...


@dataclass(frozen=True, slots=True)
class ExpectedDevice:
    """Who should be on the port, and where the log left off with it (boot, counter), so that nothing counts twice."""

    family: Family
    serial: str
    firmware: tuple[str, ...] = ()
    last_boot: int = 0
    last_counter: int = 0


class Driver(Protocol):
    """A device family's protocol, registered by the entry point `pitwarden.drivers`."""

    @property
    def name(self) -> str:
        """The name that stands as `driver` in the table file."""
        ...

    def session(self, expected: ExpectedDevice) -> Session:
        """A new dialogue for a port that is about to open."""
        ...


FORMER_NAMES: Final[dict[str, type]] = {
    "Report": DeviceReport,
    "Turn": SessionOutput,
    "Lit": LampSession,
    "Expected": ExpectedDevice,
}
"""Names that drivers imported before 0.3.0. Each warns when it is used and is removed with 0.4.0."""


def __getattr__(name: str) -> object:
    """Return the class that had this name, PEP 562."""
    if name not in FORMER_NAMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    present = FORMER_NAMES[name]
    warnings.warn(f"{__name__}.{name} is now {present.__name__}", DeprecationWarning, stacklevel=2)
    return present
