"""One table's night from the first pty to the last row: devices, service, consumer and people, stopped at the end."""

import asyncio
import secrets
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.cables import plugged
from pitwarden_simulators.demo.consumer import Consumer, consumer
from pitwarden_simulators.demo.people import LivePeople
from pitwarden_simulators.demo.report import Report, told
from pitwarden_simulators.demo.service import Service, service
from pitwarden_simulators.demo.summary import Result
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.demo.watch import Watch
from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.table.actions import DeviceName, Script, TableDisplay
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table_builder import Built, build
from pitwarden_simulators.usb.sysfs import Sysfs

_START_S: Final = 60.0
_TIDY_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of a night: at least `rounds` rounds with each of `faults` once, at `speed` (0: no pauses).

    `halves`: one process of the service for each; None is both halves in one. `site`: the site of its topics, which no
    other run has. `usb`: the devices on USB.
    """

    setup: SimulatedTableSetup
    seed: int
    rounds: int
    faults: Sequence[Fault]
    speed: float
    halves: tuple[str | None, ...]
    site: str
    usb: tuple[DeviceName, ...] = ()


async def play_table(plan: Plan, broker: tuple[str, int], folder: Path, report: Report) -> Result:
    """Play one table.

    Raises:
        DemoError: The night did not reach its end.
    """
    with Sysfs() as sysfs:
        return await _played(plan, broker, folder, report, sysfs)


async def _played(plan: Plan, broker: tuple[str, int], folder: Path, report: Report, sysfs: Sysfs) -> Result:
    run = secrets.token_hex(4)
    topics = Topics(plan.site, plan.setup.table)
    built = build(plan.setup, f"{plan.seed}/{plan.setup.table}")
    clock = SystemClock()
    watch = Watch(topics, clock, lambda output: told(report, plan.setup.table, output))
    on_usb = dict.fromkeys(plan.usb, sysfs)
    async with (
        plugged(built.devices, folder, clock, watch.notify, on_usb) as plugs,
        consumer(BrokerSettings(*broker), run, watch) as bus,
    ):
        config = folder / "table.toml"
        ports = {name: plug.place for name, plug in plugs.items()}
        config.write_text(
            table_file(plan.setup, topics.site, broker, ports, far_from(clock.utc().utc_ms)), encoding="utf-8"
        )
        try:
            async with service(config, plan.halves, sysfs.env if plan.usb else {}) as running:
                people = LivePeople(topics, watch, bus.publish, built.devices, plugs, run=run, speed=plan.speed)
                await _guarded(running, bus, _night(plan, built, watch, people, report))
        finally:
            await _tidy(topics, bus, built)
    return _result(built, watch, plan.faults)


async def _night(plan: Plan, built: Built, watch: Watch, people: LivePeople, report: Report) -> None:
    await watch.until(lambda: watch.state is not None, _START_S, "the judge's first state")
    night = TableNight(built.table, plan.rounds, plan.faults)
    await people.play(_shown(night.script(), built, plan.rounds, report))


async def _guarded(running: Service, bus: Consumer, night: Coroutine[None, None, None]) -> None:
    """Play while the service runs and the broker returns. Whichever ends first cancels the others."""
    async with asyncio.TaskGroup() as group:
        guards = [
            group.create_task(running.ended(), name="service's end"),
            group.create_task(bus.run(), name="connections"),
        ]
        await night
        for guard in guards:
            guard.cancel()


def _shown(script: Script[None], built: Built, rounds: int, report: Report) -> Script[None]:
    """Return the script, with its progress reported."""
    desk = TableDisplay()
    try:
        action = next(script)
        while True:
            report.progress(built.table, rounds)
            desk = yield action
            action = script.send(desk)
    except StopIteration:
        return


async def _tidy(topics: Topics, bus: Consumer, built: Built) -> None:
    """Clear every retained message, so that a user's broker retains nothing of the demo."""
    kept = [topics.state, topics.head, *map(topics.status, ("field", "judge")), topics.position("judge")]
    kept += map(topics.device_status, built.devices)
    sent = [bus.publish(topic, b"", retain=True) for topic in kept]
    await asyncio.wait(sent, timeout=_TIDY_S)


def _result(built: Built, watch: Watch, faults: Sequence[Fault]) -> Result:
    table = built.table
    astray = [f"{len(table.astray())} simulated cards are not in one place"] if table.astray() else []
    return Result(
        table=table.setup.table,
        rounds=table.round,
        cards=table.cards_dealt,
        shuffles=table.shuffles,
        stub_counts=table.stub_counts,
        lines=watch.book.compare(table.expected),
        quiet=tuple(fault for fault in faults if not fault.rows),
        complaints=(*watch.complaints, *astray),
    )
