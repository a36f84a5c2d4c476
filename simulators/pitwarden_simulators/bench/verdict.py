"""Byte to verdict: a frame written to the pty until its irregularity is at a subscriber, in turn with the floor."""

import asyncio
import os
import sys
import tty
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from timeit import default_timer
from typing import Final

from pitwarden.bus.link import Link
from pitwarden.bus.message import Message
from pitwarden.bus.retry import LinkRetry
from pitwarden.bus.settings import BrokerSettings
from pitwarden.clock import SystemClock
from pitwarden.events.codec import decode, encode
from pitwarden.events.dealer import KpBoxes, KpRoundEnd
from pitwarden.events.device import ShufflerDone, ShufflerStarted
from pitwarden.events.envelope import OutputEvent
from pitwarden.events.faces import JOKER
from pitwarden.events.floor import FtCardRemoved
from pitwarden.events.inputs import TerminalInput
from pitwarden.events.outputs import Irregularity, TableState
from pitwarden.events.topics import Topics
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_simulators.bench import floor
from pitwarden_simulators.campaign.broker import Broker
from pitwarden_simulators.campaign.processes import PARTS_TOGETHER, Processes
from pitwarden_simulators.demo.plugs import plugged
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.build import Built, build
from pitwarden_simulators.table.setup import TAB_SHIELDED

SITE: Final = "bench"
CLAUSE: Final = "G-02"  # a joker: said at once, and cleared by one key
FRAME: Final = bytes(64)
PATIENCE_S: Final = 30.0
WARM_UP: Final = 5
A_ROUND: Final = 8  # measurements
PAUSE_S: Final = 0.05  # cards do not come in floods: what the last one left to do is done before the next


class Ear:
    """Hears the verdicts of both and when they came."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self.state: TableState | None = None
        self._waiting: dict[str, asyncio.Future[float]] = {}

    def expect(self, what: str) -> "asyncio.Future[float]":
        """When `what` is heard next: `open`, `cleared`, or a topic."""
        return self._waiting.setdefault(what, asyncio.get_running_loop().create_future())

    def message(self, message: Message) -> None:
        """A message came."""
        now = default_timer()
        message.ack()
        if message.topic == self._topics.irregularities:
            said = decode(OutputEvent, message.payload).data
            if isinstance(said, Irregularity) and said.catalogue == CLAUSE:
                self._heard(said.status, now)
        elif message.topic == self._topics.state:
            self.state = decode(TableState, message.payload)
            self._heard("state", now)
        else:
            self._heard(message.topic, now)

    def _heard(self, what: str, now: float) -> None:
        waiting = self._waiting.pop(what, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(now)


async def measured(mosquitto: str, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds from byte to verdict of the service and of the floor, `rounds` of each in turn."""
    topics, clock, built = Topics(SITE, TAB_SHIELDED.table), SystemClock(), build(TAB_SHIELDED, "bench")
    ear = Ear(topics)
    with Broker(mosquitto, folder / "broker") as broker:
        async with (
            plugged(built.devices, folder, clock, lambda: None) as plugs,
            _link(ear, topics, broker.port) as link,
        ):
            ports = {name: plug.place for name, plug in plugs.items()}
            address = ("127.0.0.1", broker.port)
            text = table_file(TAB_SHIELDED, SITE, address, ports, far_from(clock.utc().utc_ms))
            (folder / "table.toml").write_text(text, encoding="utf-8")
            make_keys(folder / "keys")
            service = Processes(folder, PARTS_TOGETHER)
            first = ear.expect("state")
            try:
                await service.start("both")
                await asyncio.wait_for(first, PATIENCE_S)
                async with _floor(ear, broker.port, folder) as line:
                    pairs = []
                    for number in range(rounds + WARM_UP):
                        if number % A_ROUND == 0:
                            await _round(ear, built, plugs["shuffler"].poke, link, topics)
                        ours = await _ours(ear, built, plugs["shoe"].poke, link, topics)
                        pairs.append((ours, await _theirs(ear, line)))
                    pairs = pairs[WARM_UP:]
            finally:
                await service.end_all()
    return {"service": [ours for ours, _ in pairs], "floor": [theirs for _, theirs in pairs]}


async def _ours(ear: Ear, built: Built, poke: Callable[[], None], link: Link, topics: Topics) -> float:
    heard = ear.expect("open")
    built.devices["shoe"].memory.say(PlainCard(Secret(JOKER), up=False))
    began = default_timer()
    poke()
    took = await asyncio.wait_for(heard, PATIENCE_S) - began
    cleared = ear.expect("cleared")
    if ear.state is not None:
        number = f"b{built.devices['shoe'].memory.newest}"
        act = FtCardRemoved(deck="A", count=1, reason="joker")
        said = TerminalInput(id=number, person="floor", as_of=ear.state.as_of, act=act)
        await link.publish(topics.input("floor", "bench"), encode(said))
    await asyncio.wait_for(cleared, PATIENCE_S)
    await asyncio.sleep(PAUSE_S)
    return took


async def _round(ear: Ear, built: Built, poke: Callable[[], None], link: Link, topics: Topics) -> None:
    """A round begins and ends and its cards are shuffled, so that what was settled in it is forgotten as at a table."""
    for act in (KpBoxes(boxes=(1,)), KpRoundEnd()):
        name = f"{act.act[3:6]}-{built.devices['shoe'].memory.newest}"
        said = TerminalInput(id=name, person="dealer", as_of=ear.state.as_of if ear.state else None, act=act)
        await link.publish(topics.input("dealer", "bench"), encode(said))
        await asyncio.sleep(PAUSE_S)
    shuffler = built.devices["shuffler"].memory
    shuffler.say(ShufflerStarted(deck="A"))
    shuffler.say(ShufflerDone(deck="A", count=384, mode="shuffle"))
    poke()
    await asyncio.sleep(4 * PAUSE_S)


async def _theirs(ear: Ear, line: int) -> float:
    heard = ear.expect(floor.OUT)
    began = default_timer()
    os.write(line, FRAME)
    took = await asyncio.wait_for(heard, PATIENCE_S) - began
    await asyncio.sleep(PAUSE_S)
    return took


@asynccontextmanager
async def _link(ear: Ear, topics: Topics, port: int) -> AsyncIterator[Link]:
    up = asyncio.Event()
    link = Link(
        BrokerSettings("127.0.0.1", port, keepalive=30), "bench-ear", None,
        [topics.irregularities, topics.state, floor.OUT, floor.READY],
        on_message=ear.message, on_up=lambda _present: up.set(), on_down=lambda _fault: None, retry=LinkRetry(),
    )  # fmt: skip
    async with asyncio.TaskGroup() as group:
        running = group.create_task(link.run(), name="bench ear")
        await asyncio.wait_for(up.wait(), PATIENCE_S)
        try:
            yield link
        finally:
            running.cancel()


@asynccontextmanager
async def _floor(ear: Ear, port: int, folder: Path) -> AsyncIterator[int]:
    master, slave = os.openpty()
    tty.setraw(slave)
    ready = ear.expect(floor.READY)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", floor.__name__, str(port), os.ttyname(slave), str(folder), stdin=DEVNULL
    )
    try:
        await asyncio.wait_for(ready, PATIENCE_S)
        yield master
    finally:
        child.kill()
        await child.wait()
        os.close(master)
        os.close(slave)
