"""One table of the slip driver: devices on ptys, both halves in processes of their own, terminals on a broker."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pitwarden.bus.connection import Connection
from pitwarden.system.clock import SystemClock
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import Position, Role
from pitwarden_client.events.codec import encode
from pitwarden_client.events.dealer_play import KpDealer, KpRoundEnd
from pitwarden_client.events.device import ReaderHolePlaced, ReaderInserted, ShoeLoaded, ShufflerDone, ShufflerStarted
from pitwarden_client.events.inputs import Act, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret
from pitwarden_simulators.demo.cables import Plug, plugged
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import CB_AUTO, CB_MANUAL, DAB, IB, SH, TAB_SHIELDED, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import Built, build
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.campaign.processes import PARTS_APART, Processes
from pitwarden_tools.slips.observer import Observer
from pitwarden_tools.worlds.acts import acts_of
from pitwarden_tools.worlds.deal import HouseOptions
from pitwarden_tools.worlds.rows import WorldRow

SITE: Final = "slips"
_TABLES: Final = {"TAB": TAB_SHIELDED, "DAB": DAB, "IB": IB, "SH": SH, "CB": CB_MANUAL}
_BURNED: Final = 2
"""Face of the card that a new dealer burns; it is never turned here."""


def table_of(house: HouseOptions) -> SimulatedTableSetup:
    """Return the simulated table that deals the game of `house`."""
    return CB_AUTO if house.stacks else _TABLES[house.game.short]


@dataclass
class SlipTable:
    """A running table. One task drives it: rows go to the log in the order of the calls."""

    setup: SimulatedTableSetup
    house: HouseOptions
    built: Built
    plugs: dict[DeviceName, Plug]
    observer: Observer
    bus: Connection
    processes: Processes
    keyed: dict[str, int] = field(default_factory=dict)
    """Number of the last row on which a key was logged in this round, by the oracle's name of the key."""
    _inputs: int = 0
    _dealers: int = 0
    _round_end: int = 0

    async def open(self) -> None:
        """Open the table and its deck."""
        await self.observer.judged()
        await self._key(ft.FtTableOpen(), "floor")
        for device in self.built.devices:
            await self._key(ft.FtInspect(device=device, ok=True), "supervisor")
        tens = 0 if self.setup.tens else 4 * self.setup.in_set
        for deck in self.setup.decks:
            await self._key(ft.FtDeckOpened(deck=deck), "floor")
            await self._key(ft.FtOpening(deck=deck, tens_removed=tens), "floor")

    async def new_pack(self) -> None:
        """Shuffle and load the deck, and burn a card where the game does: no slip reaches beyond its round."""
        whole = self.setup.cards
        count = whole if self.setup.counting else None
        for said in (ShufflerStarted(deck="A"), ShufflerDone(deck="A", count=count)):
            await self._sensed("shuffler", said)
        await self._sensed("shoe", ShoeLoaded(deck="A", count=whole))
        if self.house.game.burns:
            await self._key(self._dealer(), "dealer")
            await self._sensed("shoe", PlainCard(Secret(_BURNED), up=None))
        self.keyed.clear()

    async def perform(self, row: WorldRow) -> tuple[tuple[Position, int], ...]:
        """Let `row` happen; return the log positions of the cards and answers that it brings, with their index."""
        match row.kind:
            case "card":
                return ((await self._sensed("shoe", PlainCard(Secret(row.faces[0]), up=row.up or None)), 0),)
            case "stack":
                faces = tuple(map(Secret, row.faces))
                at = await self._sensed("shoe", PlainStack(len(faces), faces))
                return tuple([(at, index) for index in range(len(faces))])
            case "device" if row.name == "result":
                return ((await self._sensed("reader", PlainAnswer(Secret(int(row.bit)))), 0),)
            case "device":
                await self._sensed("reader", ReaderInserted() if row.name == "inserted" else ReaderHolePlaced())
            case _ if row.name == "epoch":
                await self._new_epoch()
            case _:
                for act in self._acts(row):
                    role: Role = "dealer" if act.act.startswith("kp.") or act.act == "retract" else "supervisor"
                    self.keyed[row.name] = await self._key(act, role) or self.keyed.get(row.name, 0)
        return ()

    async def end_round(self, last: WorldRow) -> None:
        """Key the end of a round whose end was not keyed, and wait until all of it is judged."""
        if last.name != "round_end":
            await self._key(KpRoundEnd(), "dealer")
        await self.observer.judged()

    def _acts(self, row: WorldRow) -> list[Act]:
        if row.name == "retract":
            number = self.keyed.get(str(row.about), 0)
            return [ft.Retract(number=number)] if number else []
        return [self._dealer()] if row.name == "dealer" else acts_of(row)

    def _dealer(self) -> Act:
        self._dealers += 1
        return KpDealer(dealer=f"d{self._dealers}")

    async def _new_epoch(self) -> None:
        """Kill the field half and start it again: its log continues in a new epoch, and numbers begin again."""
        await self.observer.judged()
        epochs = len(self.observer.epochs)
        await self.processes.kill("field")
        await self.processes.start("field")
        await self.observer.until(lambda: len(self.observer.epochs) > epochs, "the new epoch")
        await self.observer.judged()
        self._round_end = 0
        self.keyed.clear()

    async def _key(self, act: Act, role: Role) -> int | None:
        """Send an input; return the number of its row, None where it was not logged."""
        seen = self.observer
        if self._round_end:  # a terminal that shows the state from before the round's end is refused
            await seen.judged()
            self._round_end = 0
        self._inputs += 1
        ident = f"{self.setup.table}-{self._inputs}"
        as_of = None if seen.state is None else seen.state.as_of
        payload = encode(TerminalInput(id=ident, person="p1", as_of=as_of, act=act))
        await self.bus.send(seen.topics.input(role, f"{role}-1"), payload)
        await seen.until(lambda: ident in seen.replies, f"a reply to {act.act}")
        number = seen.replies.pop(ident).number
        if number is not None:
            await seen.until(lambda: seen.head >= number, f"the row of {act.act}")
        if act.act == "kp.round_end":
            self._round_end = number or 0
        return number

    async def _sensed(self, device: DeviceName, said: Said) -> Position:
        """Let a device sense something; return the position of its row."""
        memory, seen = self.built.devices[device].memory, self.observer
        key = (device, memory.boot, memory.emit(said))
        self.plugs[device].wake()
        await seen.until(lambda: key in seen.sensed, f"an event of the {device} in the log")
        return seen.sensed.pop(key)


@asynccontextmanager
async def slip_table(
    house: HouseOptions, broker: Broker, folder: Path, seed: str, before: str = ""
) -> AsyncIterator[SlipTable]:
    """Yield a table of `house` that is open; all of it is stopped at the end.

    Args:
        house: Game and habits of the table.
        broker: Broker that is running.
        folder: Folder for its table file, keys and journals.
        seed: Seed of its devices.
        before: Lines of Python that each process of the service runs before it begins, to plant a fault.
    """
    setup = table_of(house)
    built = build(setup, seed)
    clock, observer = SystemClock(), Observer(Topics(SITE, setup.table))
    settings = BrokerSettings("127.0.0.1", broker.port)
    connections = [
        Connection(settings, f"slips-{setup.table}-{end}", heard)
        for end, heard in (("in", observer.message), ("out", lambda message: message.ack()))
    ]
    processes = Processes(folder, PARTS_APART, before)
    async with plugged(built.devices, folder, clock, observer.notify) as plugs:
        ports = {name: plug.place for name, plug in plugs.items()}
        text = table_file(setup, SITE, ("127.0.0.1", broker.port), ports, far_from(clock.utc().utc_ms))
        (folder / "table.toml").write_text(text, encoding="utf-8")
        make_keys(folder / "keys")
        await _connected(connections, observer)
        try:
            for part in PARTS_APART:
                await processes.start(part)
            table = SlipTable(setup, house, built, plugs, observer, connections[1], processes)
            await table.open()
            yield table
        finally:
            await processes.end_all()
            for connection in connections:
                await connection.disconnect()
                await connection.dropped()


async def _connected(connections: Sequence[Connection], observer: Observer) -> None:
    await asyncio.gather(*(connection.open() for connection in connections))
    await connections[0].subscribe_all([f"{observer.topics.root}/#"])
