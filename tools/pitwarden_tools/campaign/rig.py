"""One table in a campaign: devices on ptys, the service behind a wire, a broker, and an observer with all messages."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.presence import Presence
from pitwarden.seal.keys import key_paths, load_private_keys, load_trusted_keys
from pitwarden.seal.sealing import Opener
from pitwarden.system.clock import SystemClock
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_drivers.api import Said
from pitwarden_simulators.demo.cables import Plug, plugged
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table_builder import Built, build
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.campaign.log_view import LogView
from pitwarden_tools.campaign.processes import Part, Processes
from pitwarden_tools.campaign.wire import FaultyWire, wire

SITE: Final = "campaign"
POLL_S: Final = 0.02

Truth = dict[tuple[str, int, int], Said]
"""Events that each device sensed: device, boot, counter."""


@dataclass
class Rig:
    """Everything of one table that a fault may affect, and the record of what happened."""

    folder: Path
    topics: Topics
    built: Built
    broker: Broker
    wire: FaultyWire
    plugs: dict[DeviceName, Plug]
    processes: Processes
    view: LogView
    truth: Truth
    state: TableState | None = None
    replies: dict[str, InputReply] = field(default_factory=dict)
    accepted: dict[str, str] = field(default_factory=dict)
    """Ids of accepted inputs, and their act."""
    heard: dict[tuple[str, bytes], None] = field(default_factory=dict)
    """Every message, each once, in order."""
    link: Link | None = None

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        """Publish a message, not through the wire."""
        if self.link is None:
            raise RuntimeError("the rig's link is made with the rig")
        return self.link.publish(topic, payload, retain=retain)

    def opener(self) -> Opener:
        """Return what opens the seals of the table."""
        files = key_paths(self.folder / "keys")
        return Opener(load_private_keys(files.judge), load_trusted_keys(files.field), SITE, self.topics.table)

    def judged(self) -> int:
        """Return the place of the last row that the retained state covers; 0 for none."""
        return 0 if self.state is None else self.view.place_of(self.state.as_of)

    async def until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until `true()`.

        Raises:
            DemoError: That takes more than `seconds`.
        """
        try:
            async with asyncio.timeout(seconds):
                while not true():  # noqa: ASYNC110  half of what is awaited is on a disk, without events
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            reasons = "" if self.state is None else "; ".join(self.state.permit.reasons)
            raise DemoError(f"waited {seconds:.0f} s in vain for {what} ({reasons or 'no reason shown'})") from None

    def message(self, message: InboundMessage) -> None:
        """Record a message."""
        message.ack()
        self.heard.setdefault((message.topic, message.payload))
        try:
            if message.topic == self.topics.state:
                self._state(decode(TableState, message.payload))
            elif message.topic.endswith("/replies"):
                reply = decode(InputReply, message.payload)
                self.replies[reply.id] = reply
        except BadPayloadError:
            return  # a hostile one of this tool

    def _state(self, state: TableState) -> None:
        if self.state is None or self.view.place_of(state.as_of) >= self.judged():
            self.state = state


@asynccontextmanager
async def rig(
    setup: SimulatedTableSetup, seed: str, broker: Broker, folder: Path, parts: tuple[Part, ...]
) -> AsyncIterator[Rig]:
    """Yield a table whose service runs; all is stopped at the end."""
    topics = Topics(SITE, setup.table)
    built = build(setup, seed)
    clock = SystemClock()
    truth: Truth = {}
    for name, device in built.devices.items():
        device.memory.noted = _witness(truth, name)
    async with wire(broker.port) as proxy, plugged(built.devices, folder, clock, lambda: None) as plugs:
        ports = {name: plug.place for name, plug in plugs.items()}
        address = ("127.0.0.1", proxy.port)
        text = table_file(setup, SITE, address, ports, far_from(clock.utc().utc_ms), locks=True)
        (folder / "table.toml").write_text(text, encoding="utf-8")
        make_keys(folder / "keys")
        processes = Processes(folder, parts)
        view = LogView(folder / "journals" / "field.sqlite")
        made = Rig(folder, topics, built, broker, proxy, plugs, processes, view, truth)
        made.link = _eyes(made)
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(made.link.run(), name="campaign eyes")
            try:
                for part in parts:
                    await processes.start(part)
                yield made
            finally:
                await processes.end_all()
                looking.cancel()


def _eyes(made: Rig) -> Link:
    presence = Presence(f"campaign/{made.topics.table}/status", lambda: b"here", b"gone")
    return Link(
        BrokerSettings("127.0.0.1", made.broker.port, keepalive=30), f"campaign-{made.topics.table}", presence,
        [f"{made.topics.root}/#"],
        on_message=made.message, on_up=lambda _present: None, on_down=lambda _fault: None, retry=LinkBackoff(),
    )  # fmt: skip


def _witness(truth: Truth, name: str) -> Callable[[int, int, Said], None]:
    def note(boot: int, counter: int, said: Said) -> None:
        truth[name, boot, counter] = said

    return note
