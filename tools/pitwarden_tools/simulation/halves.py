"""Real halves of a table's service on simulated time, with keys that are the same in every night."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pitwarden.config.models import InputsSection
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.runner import DeviceSpec, ReportSink
from pitwarden.field.devices.supervisor import DeviceSupervisor
from pitwarden.field.half import FieldHalf
from pitwarden.field.log.epochs import FieldKeys
from pitwarden.field.log.row_builder import LogIdentity
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import DevicePosition
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.half import JudgeHalf
from pitwarden.judge.table_judge import RowSource, TableIdentity, TableJudge
from pitwarden.judge.unsealing import RowUnsealer
from pitwarden.metrics.meter import Meter
from pitwarden.seal.keys import PrivateKey, SigningKey, derive_checkpoint_key
from pitwarden.seal.sealing import Opener
from pitwarden.system.clock import Clock
from pitwarden_client.backoff import LinkBackoff, RetryPolicy
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.ports.port import Port, PortAddress, PortListener
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.ports.memory import NullModem
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.simulation.table_rules import rules_setup

SITE = "silent"
SIGNER = SigningKey(hashlib.sha256(b"field").digest())
PRIVATE = PrivateKey(hashlib.sha256(b"judge").digest())
_BROKER = BrokerSettings("nowhere")


async def field_half(
    setup: SimulatedTableSetup,
    clock: Clock,
    journal: FieldJournal,
    modems: Mapping[DeviceName, NullModem],
    lockable: frozenset[str] = frozenset(),
    *,
    meter: Meter | None = None,
    run: str = "field-run",
    retry: RetryPolicy | None = None,
) -> FieldHalf:
    """Return a field half whose devices are on null modems; the shoes in `lockable` may be locked."""
    return await FieldHalf.start(
        FieldDependencies(
            place=LogIdentity(SITE, setup.table, simulated=True),
            judge="judge",
            keys=FieldKeys(SIGNER, (PRIVATE.public_key,), commanders=(derive_checkpoint_key(PRIVATE).public,)),
            clock=clock,
            journal=journal,
            broker=_BROKER,
            retry=retry or LinkBackoff(),
            devices={name: SERIALS[name] for name in modems},
            drivers=_Modems(clock, modems),
            inputs=InputsSection(),
            run=run,
            lockable=lockable,
            keypads=frozenset({"keypad"} & modems.keys()),
            meter=meter or Meter(),
        )
    )


def _expected(name: DeviceName, marks: Mapping[str, DevicePosition]) -> ExpectedDevice:
    mark = marks.get(name, DevicePosition(0, 0))
    return ExpectedDevice(name, SERIALS[name], last_boot=mark.boot, last_counter=mark.counter)


@dataclass(frozen=True)
class _Modems:
    """Devices of a table, and the ports of a machine that has only their null modems."""

    clock: Clock
    modems: Mapping[DeviceName, NullModem]

    async def open(self, line: PortAddress, listener: PortListener) -> Port:
        by_place = {str(name): modem for name, modem in self.modems.items()}
        return await by_place[line.place].open(line, listener)

    def make(self, marks: Mapping[str, DevicePosition], sink: ReportSink) -> DeviceSupervisor:
        posts = [DeviceSpec(name, PortAddress(name), DRIVER, _expected(name, marks)) for name in self.modems]
        return DeviceSupervisor(posts, clock=self.clock, random=lambda: 0.5, ports=self, sink=sink)


def silent_judge(setup: SimulatedTableSetup, journal: RowSource) -> TableJudge:
    """Return a judge of one table that opens the seals of the field half above."""
    trusted = (SIGNER.public,)
    unsealer = RowUnsealer(Opener([PRIVATE], trusted, SITE, setup.table), trusted, SITE, setup.table)
    return TableJudge(TableIdentity(SITE, setup.table, "judge"), rules_setup(setup), unsealer, journal)


async def judge_half(
    setup: SimulatedTableSetup,
    journal: JudgeJournal,
    clock: Clock,
    lockable: frozenset[str] = frozenset(),
    *,
    meter: Meter | None = None,
    run: str = "judge-run",
    retry: RetryPolicy | None = None,
) -> JudgeHalf:
    """Return a judge half that trusts the field half above."""
    judge = silent_judge(setup, journal)
    return await JudgeHalf.start(
        JudgeDependencies(
            identity=judge.identity,
            setup=judge.setup,
            judge=judge,
            journal=journal,
            keys=(PRIVATE,),
            broker=_BROKER,
            retry=retry or LinkBackoff(),
            run=run,
            simulated=True,
            clock=clock,
            keep_days=400,
            lockable=lockable,
            meter=meter or Meter(),
        )
    )
