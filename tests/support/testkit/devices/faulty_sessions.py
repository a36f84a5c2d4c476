"""Drivers that break one obligation of a session each: the session of another driver with one change."""

from collections.abc import Callable
from dataclasses import replace

from pitwarden_client.events.device import DeviceIdentified, ShufflerStarted
from pitwarden_drivers.api import CommandName, DeviceReport, Driver, ExpectedDevice, LineStats, Session, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError


class Wrapped:
    """A session that does what another does; the classes below change one thing."""

    def __init__(self, inner: Session) -> None:
        self.inner = inner

    @property
    def identified(self) -> bool:
        return self.inner.identified

    @property
    def heard_at(self) -> int | None:
        return self.inner.heard_at

    @property
    def stats(self) -> LineStats:
        return self.inner.stats

    def begin(self, now: int) -> SessionOutput:
        return self.out(now, self.inner.begin(now))

    def receive(self, now: int, data: bytes) -> SessionOutput:
        return self.out(now, self.inner.receive(now, data))

    def tick(self, now: int) -> SessionOutput:
        return self.out(now, self.inner.tick(now))

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:
        return self.out(now, self.inner.committed(now, boot, counter))

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        return self.out(now, self.inner.command(now, request, command))

    def out(self, now: int, output: SessionOutput) -> SessionOutput:
        """Return what leaves the session."""
        del now
        return output


def only_reports(output: SessionOutput, wanted: Callable[[DeviceReport], bool]) -> SessionOutput:
    return replace(output, reports=tuple(filter(wanted, output.reports)))


class NeverIntroduced(Wrapped):
    def out(self, now: int, output: SessionOutput) -> SessionOutput:  # noqa: ARG002  a change without a time
        return only_reports(output, lambda one: not isinstance(one.said, DeviceIdentified))


class IntroducedOnce(Wrapped):
    """It introduces a device in the first seconds of a play alone."""

    def out(self, now: int, output: SessionOutput) -> SessionOutput:
        return only_reports(output, lambda one: now <= 1_005_000 or not isinstance(one.said, DeviceIdentified))


class AsksOnce(Wrapped):
    def tick(self, now: int) -> SessionOutput:
        return super().tick(now) if self.identified else SessionOutput(wake_at=now + 1_000)


class Credulous(Wrapped):
    def receive(self, now: int, data: bytes) -> SessionOutput:
        output = super().receive(now, data)
        if self.identified:
            return output
        return replace(output, reports=(DeviceReport(1, 1, ShufflerStarted(deck="A")),))


class Forgetful(Wrapped):
    """It drops each third event."""

    def out(self, now: int, output: SessionOutput) -> SessionOutput:  # noqa: ARG002  as above
        return only_reports(output, lambda one: one.counter % 3 != 1)


class Hasty(Wrapped):
    """It acknowledges what it has read."""

    def receive(self, now: int, data: bytes) -> SessionOutput:
        output = super().receive(now, data)
        for report in output.reports:
            if report.counter:
                more = self.inner.committed(now, report.boot, report.counter)
                output = SessionOutput(output.send + more.send, output.reports + more.reports, more.wake_at)
        return output


class WholeFramesOnly(Wrapped):
    def receive(self, now: int, data: bytes) -> SessionOutput:
        return super().receive(now, data if data.endswith(b"\x7e") else b"")


class AsciiOnly(Wrapped):
    def receive(self, now: int, data: bytes) -> SessionOutput:
        data.decode("ascii")
        return super().receive(now, data)


class AsciiLinesOnly(Wrapped):
    """It decodes what is long enough for a message."""

    def receive(self, now: int, data: bytes) -> SessionOutput:
        if len(data) > 9:
            data.decode("ascii")
        return super().receive(now, data)


class WaitsForever(Wrapped):
    """It raises a foreign error when an answer is missing."""

    asked = False

    def receive(self, now: int, data: bytes) -> SessionOutput:
        self.asked = False
        return super().receive(now, data)

    def tick(self, now: int) -> SessionOutput:
        if self.asked and self.identified:
            raise LookupError
        output = super().tick(now)
        self.asked = bool(output.send)
        return output


class CountsTwice(Wrapped):
    last: tuple[bytes, SessionOutput] = (b"", SessionOutput())

    def receive(self, now: int, data: bytes) -> SessionOutput:
        output = super().receive(now, data)
        if data == self.last[0] and len(data) > 9:
            again = tuple(replace(one, counter=one.counter + 500) for one in self.last[1].reports if one.counter)
            output = replace(output, reports=output.reports + again)
        self.last = data, output
        return output


class Hoarder(Wrapped):
    def __init__(self, inner: Session) -> None:
        super().__init__(inner)
        self.held = bytearray()

    def receive(self, now: int, data: bytes) -> SessionOutput:
        self.held += data
        return super().receive(now, data)


class OneBoot(Wrapped):
    boot = 1

    def out(self, now: int, output: SessionOutput) -> SessionOutput:  # noqa: ARG002  as above
        for one in output.reports:
            self.boot = one.boot
        return replace(output, reports=tuple(replace(one, boot=1) for one in output.reports))

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:  # noqa: ARG002  it is always 1
        return super().committed(now, self.boot, counter)


class Patient(Wrapped):
    def tick(self, now: int) -> SessionOutput:
        try:
            return super().tick(now)
        except DeviceSilentError:
            if not self.identified:
                raise
            return SessionOutput(wake_at=now + 1_000)


class OneLineAtATime(Wrapped):
    def receive(self, now: int, data: bytes) -> SessionOutput:
        return super().receive(now, data[:24])


class Mute(Wrapped):
    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:  # noqa: ARG002  ignored
        return SessionOutput(wake_at=now + 1_000)


class Restless(Wrapped):
    def out(self, now: int, output: SessionOutput) -> SessionOutput:
        return replace(output, wake_at=now)


class Talkative(Wrapped):
    last = b""

    def receive(self, now: int, data: bytes) -> SessionOutput:
        self.last = data
        return super().receive(now, data)

    def __repr__(self) -> str:
        return f"Talkative({self.last!r})"


class FaultyDriver:
    """Driver whose sessions are wrapped; `expect` changes what it expects."""

    def __init__(self, inner: Driver, wrap: type[Wrapped], expect: Callable[[ExpectedDevice], ExpectedDevice]) -> None:
        self.name = inner.name
        self._inner, self._wrap, self._expect = inner, wrap, expect

    def session(self, expected: ExpectedDevice) -> Session:
        return self._wrap(self._inner.session(self._expect(expected)))


def same(expected: ExpectedDevice) -> ExpectedDevice:
    return expected


FAULTY: dict[str, tuple[str, type[Wrapped], Callable[[ExpectedDevice], ExpectedDevice]]] = {
    "identity: reported": ("keypad", NeverIntroduced, same),
    "identity: late": ("keypad", AsksOnce, same),
    "identity: wrong serial": ("keypad", Wrapped, lambda one: replace(one, serial=one.serial.rstrip("X"))),
    "identity: wrong firmware": ("keypad", Wrapped, lambda one: replace(one, firmware=())),
    "identity: first": ("keypad", Credulous, same),
    "identity: again": ("keypad", IntroducedOnce, same),
    "events: order": ("counting-shuffler", Forgetful, same),
    "events: acknowledged": ("keypad", Hasty, same),
    "line: splitting": ("keypad", WholeFramesOnly, same),
    "line: garbage": ("counting-shuffler", AsciiOnly, same),
    "line: damage": ("counting-shuffler", AsciiLinesOnly, same),
    "line: loss": ("counting-shuffler", WaitsForever, same),
    "line: duplication": ("keypad", CountsTwice, same),
    "line: babble": ("keypad", Hoarder, same),
    "device: restart": ("keypad", OneBoot, same),
    "device: silence": ("keypad", Patient, same),
    "host: restart": ("keypad", Wrapped, lambda one: replace(one, last_boot=0, last_counter=0)),
    "host: slow": ("counting-shuffler", OneLineAtATime, same),
    "commands: outcome": ("keypad", Mute, same),
    "time: wake-ups": ("keypad", Restless, same),
    "secrecy: texts": ("bar-code-shoe", Talkative, same),
}
