"""Service of a simulated night, which dies after given numbers of rows and starts again; and operators who wait."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pitwarden.bus.messages import InboundMessage
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.metrics.meter import Meter
from pitwarden.system.clock import Clock
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_simulators.demo.people import LivePeople
from pitwarden_simulators.demo.watch import Watch
from pitwarden_simulators.ports.memory import NullModem
from pitwarden_simulators.table.actions import Action, DeviceName, KeyPress
from pitwarden_simulators.table.keypad import pressed
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_tools.simulation.halves import field_half, judge_half

PATIENCE_S = 60.0


@dataclass
class RestartingService:
    """Both halves. `crashes`: after how many published rows, of the whole night, both die."""

    setup: SimulatedTableSetup
    clock: Clock
    folder: Path
    modems: Mapping[DeviceName, NullModem]
    meter: Meter
    lockable: frozenset[str] = frozenset()
    crashes: Sequence[int] = ()
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    down: bool = False
    died: int = 0
    epoch: str = ""
    _rows: set[str] = field(default_factory=set)
    _crash: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Run until `stop`, from crash to crash."""
        while not self.stop.is_set():
            self._crash = asyncio.Event()
            await self._once()

    def message(self, topic: str, payload: bytes) -> None:
        """Handle a message of the broker; kill the service when it is the row at which it dies."""
        if "/events/" not in topic:
            return
        row = json.loads(payload)
        if row["id"] in self._rows:
            return
        self._rows.add(row["id"])
        self.epoch = row["epoch"]
        if len(self._rows) in self.crashes:
            self.down = True
            self.died += 1
            self._crash.set()

    async def _once(self) -> None:
        log = await FieldJournal.open(self.folder / "field.sqlite")
        record = await JudgeJournal.open(self.folder / "judge.sqlite")
        field_side = await field_half(self.setup, self.clock, log, self.modems, self.lockable, meter=self.meter)
        judge_side = await judge_half(self.setup, record, self.clock, self.lockable, meter=self.meter)
        halves = [
            asyncio.create_task(field_side.run(self.stop), name="field half"),
            asyncio.create_task(judge_side.run(self.stop), name="judge half"),
        ]
        crash = asyncio.create_task(self._crash.wait(), name="crash")
        await asyncio.wait([*halves, crash], return_when=asyncio.FIRST_COMPLETED)
        if self._crash.is_set():
            for half in halves:
                half.cancel()
        for ended in await asyncio.gather(*halves, return_exceptions=True):
            if isinstance(ended, BaseException) and not isinstance(ended, asyncio.CancelledError):
                raise ended
        crash.cancel()
        await log.close()
        await record.close()


class EpochFollower(Watch):
    """Consumer that follows the log from epoch to epoch. `service` supplies the newest."""

    service: RestartingService
    people: "PatientOperators"

    def message(self, message: InboundMessage) -> None:
        if "/events/" in message.topic:
            self._event(message)
            return
        super().message(message)
        if self.state is not None and self.service.epoch and self.state.as_of.epoch != self.service.epoch:
            self.state = None

    def _event(self, message: InboundMessage) -> None:
        row = decode(LogEvent, message.payload)
        if row.epoch != self.service.epoch:  # sent again for the judge, from before the crash
            if row.devicecounter:
                self._stored[row.source.rpartition("/")[2]] = (row.deviceboot, row.devicecounter)
            self.notify()
            return
        if self.service.down and row.tableseq == 1:
            self.number, self.state = 0, None
            self.forget_light()
            self.people.forget()
            self.service.down = False
        super().message(message)


class PatientOperators(LivePeople):
    """Operators who do nothing while the service is down."""

    service: RestartingService

    async def _perform(self, action: Action) -> None:
        watch = self._watch
        await watch.until(lambda: not self.service.down and watch.state is not None, PATIENCE_S, "the service")
        await super()._perform(action)

    async def _key(self, key: KeyPress) -> None:
        """Key on the keypad, at a table that has one."""
        if key.role != "dealer" or "keypad" not in self._devices:
            await super()._key(key)
            return
        self._devices["keypad"].memory.emit(pressed(key.act))
        await self._await_stored("keypad")
        self._logged = max(self._logged, self._watch.number)

    def forget(self) -> None:
        """Begin a new epoch: numbers begin again."""
        self._logged = self._round_from = 0
