"""Byte to verdict: from a frame on the pty to its irregularity at a subscriber, in turn with the baselines."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from timeit import default_timer
from typing import Final

from pitwarden.bus.link import Link
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.base import Role
from pitwarden_client.events.card_faces import JOKER
from pitwarden_client.events.codec import encode
from pitwarden_client.events.dealer_play import KpBoxes, KpRoundEnd
from pitwarden_client.events.device import ShufflerDone, ShufflerStarted
from pitwarden_client.events.floor import FtCardRemoved
from pitwarden_client.events.inputs import Act, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_simulators.demo.cables import Plug, plugged
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import Built, build
from pitwarden_tools.bench.baselines import Baseline, running
from pitwarden_tools.bench.subscriber import PATIENCE_S, Subscriber
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.campaign.processes import PARTS_TOGETHER, Processes

SITE: Final = "bench"
WARM_UP: Final = 5
A_ROUND: Final = 8  # measurements
# Seconds. Cards do not come in floods: the work of the last one ends before the next.
PAUSE_S: Final = 0.05
# Bytes. At this length a write-ahead log starts over: a commit overwrites and does not grow it.
STEADY_BYTES: Final = 4_096_000
MOST_TO_STEADY: Final = 400  # cards; a hundred do


class MeasuredTable:
    """Simulated table and the service that judges it."""

    def __init__(self, ear: Subscriber, link: Link, built: Built, plugs: dict[DeviceName, Plug]) -> None:
        self._ear, self._link, self._built, self._plugs = ear, link, built, plugs
        self._cards = self._said = 0
        self.began = 0.0
        """Time at which the last measured frame was written, by `default_timer`."""

    async def measured(self) -> float:
        """Return the seconds from a joker's frame on the pty to its irregularity at the subscriber.

        The floor clears it.
        """
        if self._cards % A_ROUND == 0:
            await self._round()
        self._cards += 1
        heard, cleared = self._ear.expect("open"), self._ear.expect("cleared")
        self._built.devices["shoe"].memory.emit(PlainCard(Secret(JOKER), up=False))
        self.began = self._written("shoe")
        took = await asyncio.wait_for(heard, PATIENCE_S) - self.began
        await self._say("floor", FtCardRemoved(deck="A", count=1, reason="joker"))
        await asyncio.wait_for(cleared, PATIENCE_S)
        return took

    def _written(self, device: DeviceName) -> float:
        """Make the device send; return the time at which its last frame was handed to the line."""
        pump, at = self._plugs[device].port.pump, default_timer()
        honest = pump.to_host

        def noted(frame: bytes) -> list[bytes]:
            nonlocal at
            chunks, at = honest(frame), default_timer()
            return chunks

        pump.to_host = noted
        self._plugs[device].wake()
        pump.to_host = honest
        return at

    async def _round(self) -> None:
        """Begin, end and shuffle a round, so that its settled state is forgotten as at a table."""
        for act in (KpBoxes(boxes=(1,)), KpRoundEnd()):
            await self._say("dealer", act)
            await asyncio.sleep(PAUSE_S)
        shuffler = self._built.devices["shuffler"].memory
        shuffler.emit(ShufflerStarted(deck="A"))
        shuffler.emit(ShufflerDone(deck="A", count=384, mode="shuffle"))
        self._plugs["shuffler"].wake()
        await asyncio.sleep(4 * PAUSE_S)

    async def _say(self, role: Role, act: Act) -> None:
        self._said += 1
        as_of = None if self._ear.state is None else self._ear.state.as_of
        said = TerminalInput(id=f"b{self._said}", person=role, as_of=as_of, act=act)
        await self._link.publish(self._ear.topics.input(role, "bench"), encode(said))


@asynccontextmanager
async def at_work(
    mosquitto: str, folder: Path, before: str = ""
) -> AsyncIterator[tuple[MeasuredTable, Subscriber, int]]:
    """Yield a table in the steady state, its subscriber, and the broker's port; `before` as in `ServiceProcesses`."""
    ear = Subscriber(Topics(SITE, TAB_SHIELDED.table))
    with Broker(mosquitto, folder / "broker") as broker:
        async with ear.listening(broker.port) as link, _table(ear, link, broker.port, folder, before) as table:
            await _settle(table, folder / "journals")
            yield table, ear, broker.port


@asynccontextmanager
async def _table(ear: Subscriber, link: Link, port: int, folder: Path, before: str) -> AsyncIterator[MeasuredTable]:
    clock, built = SystemClock(), build(TAB_SHIELDED, "bench")
    async with plugged(built.devices, folder, clock, lambda: None) as plugs:
        ports = {name: plug.place for name, plug in plugs.items()}
        text = table_file(TAB_SHIELDED, SITE, ("127.0.0.1", port), ports, far_from(clock.utc().utc_ms))
        (folder / "table.toml").write_text(text, encoding="utf-8")
        make_keys(folder / "keys")
        service = Processes(folder, PARTS_TOGETHER, before)
        first = ear.expect("state")
        try:
            await service.start("both")
            await asyncio.wait_for(first, PATIENCE_S)
            yield MeasuredTable(ear, link, built, plugs)
            await service.stop("both")
        finally:
            await service.end_all()


async def _settle(table: MeasuredTable, journals: Path) -> None:
    """Deal cards until the service's files are in the steady state of the baselines' files."""
    logs = [journals / f"{name}.sqlite-wal" for name in ("field", "judge")]
    for _ in range(MOST_TO_STEADY):
        if all(log.exists() and log.stat().st_size >= STEADY_BYTES for log in logs):
            return
        await table.measured()


async def measured(mosquitto: str, folder: Path, rounds: int, floors: Sequence[Baseline]) -> dict[str, list[float]]:
    """Return the seconds from byte to verdict of the service and of each baseline, `rounds` of each in turn."""
    async with AsyncExitStack() as stack:
        table, ear, port = await stack.enter_async_context(at_work(mosquitto, folder))
        paths = {"service": table.measured}
        for each in floors:
            line = await stack.enter_async_context(running(each, ear, port, folder))
            paths[each.name] = line.measured
        figures: dict[str, list[float]] = {name: [] for name in paths}
        for number in range(rounds + WARM_UP):
            for name, path in paths.items():
                took = await path()
                await asyncio.sleep(PAUSE_S)
                if number >= WARM_UP:
                    figures[name].append(took)
    return figures
