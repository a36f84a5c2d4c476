"""Player of a script on a simulated clock: every action takes its time, every row goes to the judge before the next."""

from collections.abc import Callable, Mapping
from typing import Final

from pitwarden.config.models import InputsSection
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden_client.events.device import DeviceHealth, KeypadEntry
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import ClockTick, PermitApplied
from pitwarden_drivers.api import DeviceReport, Driver
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.in_memory.line import InMemoryLine
from pitwarden_simulators.in_memory.rows import InMemoryRow, LogData, sealed
from pitwarden_simulators.table.actions import (
    Action,
    AwaitJudged,
    AwaitPermit,
    AwaitStored,
    Cable,
    DeviceName,
    KeyPress,
    Script,
    TableDisplay,
    Wait,
)
from pitwarden_simulators.table.keypad import pressed

KEY_MS: Final = 300
CARD_MS: Final = 500
_TICK_MS: Final = 10_000
_IDLE_MS: Final = 1_000
_PATIENCE_MS: Final = 120_000

Judge = Callable[[InMemoryRow], TableDisplay]
"""Receives each row as it is logged and returns what is displayed then."""


def nobody(_row: InMemoryRow) -> TableDisplay:
    """Return a permanent permit without open irregularities: there is no judge."""
    return TableDisplay()


class StuckError(RuntimeError):
    """The people waited for an event that did not come; the message has the reasons."""


class PureRunner:
    """One table's log, lines and clock. `start_ms` is UTC in ms when the night begins."""

    def __init__(
        self, devices: Mapping[DeviceName, TdpDevice], driver: Driver, judge: Judge = nobody, *, start_ms: int
    ) -> None:
        self.desk = TableDisplay()
        self.rows = 0
        self._judge = judge
        self._start_ms = start_ms
        self._now = 0
        self._tick_at = _IDLE_MS
        self._shown: bool | None = None
        self._keys = 0
        self._keypads = KeypadTranslator({"keypad"}, InputsSection())
        self._lines = {name: InMemoryLine(name, device, driver, self._heard) for name, device in devices.items()}

    def play(self, script: Script[None]) -> None:
        """Run a script to its end.

        Raises:
            StuckError: Its people wait in vain.
        """
        self._advance(_IDLE_MS)
        try:
            action = next(script)
            while True:
                self._perform(action)
                action = script.send(self.desk)
        except StopIteration:
            self._advance(_IDLE_MS)

    def _perform(self, action: Action) -> None:
        match action:
            case KeyPress():
                self._advance(KEY_MS)
                self._key(action)
            case AwaitStored():
                self._advance(CARD_MS)
                self._until(lambda: not self._lines[action.device].device.memory.kept, f"{action.device} to be heard")
            case Wait():
                self._advance(action.ms)
            case AwaitPermit():
                self._until(lambda: self.desk.granted, "the deal permit")
            case Cable():
                self._cable(action)
            case AwaitJudged():
                pass

    def _cable(self, action: Cable) -> None:
        line = self._lines[action.device]
        match action.what:
            case "unplug":
                line.plug(plugged=False)
            case "replug":
                line.plug(plugged=True)
            case "reboot":
                line.device.reboot()
            case "noise":
                line.noise(self._now)

    def _key(self, action: KeyPress) -> None:
        self._keys += 1
        if action.role == "dealer" and "keypad" in self._lines:
            self._press(action)
            return
        logged = InputLogged(
            role=action.role,
            terminal=f"{action.role}-1",
            person=action.person,
            input_id=f"k{self._keys}",
            as_of=None,
            act=action.act,
        )
        self._append(f"{action.role}-1", logged)

    def _press(self, action: KeyPress) -> None:
        """Key an act on the keypad, and continue once its entry is acknowledged as stored."""
        memory = self._lines["keypad"].device.memory
        memory.emit(pressed(action.act))
        self._until(lambda: not memory.kept, "the keypad to be heard")

    def _heard(self, name: DeviceName, heard: DeviceReport | DeviceHealth) -> None:
        if isinstance(heard, DeviceHealth):
            self._append(name, heard)
            return
        said = heard.said
        meant = (
            self._keypads.translate(name, said, heard.boot, heard.counter) if isinstance(said, KeypadEntry) else said
        )
        if isinstance(meant, InputLogged):
            self._append(name, meant)
        else:
            self._append(name, *sealed(meant))

    def _append(self, source: str, data: LogData, faces: tuple[int, ...] = (), *bit: bool | None) -> None:
        self.rows += 1
        row = InMemoryRow(self.rows, self._now, self._start_ms + self._now, source, data, faces, *bit)
        self._keypads.logged(source, row.number, data)
        self.desk = self._judge(row)
        self._tick_at = self._now + (_TICK_MS if isinstance(data, ClockTick) else _IDLE_MS)
        if self.desk.granted != self._shown:
            self._shown = self.desk.granted
            cause: Final = "granted" if self._shown else "withheld"
            self._append("field", PermitApplied(granted=self._shown, cause=cause, as_of=None))

    def _until(self, done: Callable[[], bool], what: str) -> None:
        """Let time pass until `done`."""
        deadline = self._now + _PATIENCE_MS
        while not done():
            if self._now >= deadline:
                raise StuckError(f"people waited for {what} in vain: {'; '.join(self.desk.reasons) or 'no reason'}")
            self._advance(_IDLE_MS)

    def _advance(self, ms: int) -> None:
        """Let time pass; lines and ticks run when they are due."""
        until = self._now + ms
        while True:
            due = min(self._tick_at, *(line.wake_at(self._now) for line in self._lines.values()))
            if due > until:
                break
            self._now = max(self._now, due)
            self._pump()
        self._now = until
        self._pump()

    def _pump(self) -> None:
        for line in self._lines.values():
            line.pump(self._now)
        if self._now >= self._tick_at:
            self._append("field", ClockTick())
