"""Replay of a capture to a driver: its reports as lines to compare, and any difference in the bytes that it sends."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast, get_args

from pitwarden_drivers.api import (
    DeviceReport,
    Driver,
    ExpectedDevice,
    Family,
    PlainAnswer,
    PlainCard,
    PlainStack,
    Said,
    Session,
    SessionOutput,
)
from pitwarden_drivers.capture.format import Capture, CaptureFormatError, CaptureStep
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

if TYPE_CHECKING:
    from pitwarden_client.events.device import CommandName


_DIGEST: Final = 16  # characters printed of the digest of all secrets

FAULT_WORDS: Final[dict[type[DeviceError], str]] = {
    PortUnavailableError: "PortUnavailable",
    PortBusyError: "PortBusy",
    PortUnsuitableError: "PortUnsuitable",
    LinkLostError: "LinkLost",
    LineChangedError: "LineChanged",
    IdentityMismatchError: "IdentityMismatch",
    DeviceSilentError: "DeviceSilent",
    DeviceNotAcceptingError: "NotAccepting",
}
"""Word for each fault in the lines of a replay. Stored lines contain it, so it must not follow a class's new name."""


class CaptureReplay:
    """Replay of one capture.

    `differs` names the first step after which the driver sent other bytes than in the capture.
    """

    def __init__(self, capture: Capture, driver: Driver) -> None:
        if capture.header.family not in get_args(Family):
            raise CaptureFormatError(f"{capture.header.family!r} is no family of devices")
        self.differs: str | None = None
        self._capture = capture
        self._driver = driver
        self._session: Session | None = None
        self._secrets = hashlib.sha256()

    def lines(self) -> tuple[str, ...]:
        """Return the driver's reports, one a line. Faces and answers appear only in one digest at the end."""
        steps = list(self._capture.steps)
        said: list[str] = []
        while steps:
            step = steps.pop(0)
            sent = ""
            while steps and steps[0].op == ">":
                sent += steps.pop(0).words[0]
            said += self._play(step, sent)
        digest = self._secrets.hexdigest()[: 2 * _DIGEST]
        return (*said, f"secrets {digest}")

    def _play(self, step: CaptureStep, sent: str) -> Iterator[str]:
        try:
            turn = self._turn(self._capture.header.starts + step.at, step)
        except DeviceError as fault:
            self._session = None
            yield f"{step.at} {FAULT_WORDS.get(type(fault), type(fault).__name__)}: {fault}"
            return
        if turn.send.hex() != sent and self.differs is None:
            self.differs = f"at {step.at} ms, after `{step.op}`, the driver sends {len(turn.send)} bytes that differ"
        for report in turn.reports:
            yield f"{step.at} {self._words(report)}"

    def _turn(self, now: int, step: CaptureStep) -> SessionOutput:
        if step.op == "open":
            header = self._capture.header
            boot, counter = map(int, step.words)
            family = cast("Family", header.family)
            self._session = self._driver.session(ExpectedDevice(family, header.serial, (), boot, counter))
            return self._session.begin(now)
        if self._session is None:
            # The dialogue had ended; later input was ignored in the recording too.
            return SessionOutput()
        match step.op:
            case "<":
                return self._session.receive(now, bytes.fromhex(step.words[0]))
            case "commit":
                return self._session.committed(now, *map(int, step.words))
            case "command":
                return self._session.command(now, step.words[0], cast("CommandName", step.words[1]))
            case _:
                return self._session.tick(now)

    def _words(self, report: DeviceReport) -> str:
        return f"{report.boot}/{report.counter} {self._shown(report.said)}"

    def _shown(self, said: Said) -> str:
        match said:
            case PlainCard():
                self._secrets.update(bytes((said.face.value,)))
                return f"shoe.card up={said.up} back={said.back}"
            case PlainStack():
                self._secrets.update(bytes(face.value for face in said.faces))
                return f"shoe.stack count={said.count} read={len(said.faces)}"
            case PlainAnswer():
                self._secrets.update(bytes((said.bit.value,)))
                return "reader.result"
            case _:
                fields = said.model_dump(exclude={"kind"}, exclude_none=True)
                return " ".join((said.kind, *(f"{name}={value}" for name, value in fields.items())))
