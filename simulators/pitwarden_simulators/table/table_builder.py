"""Assembly of a table: devices with their memories and lines, players, an empty layout."""

from dataclasses import dataclass

from pitwarden_simulators.cards import Mint
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.reader import Reader
from pitwarden_simulators.devices.shoe import SimulatedShoe
from pitwarden_simulators.devices.shuffler import Shuffler
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.players import SimulatedPlayers
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.shuffling import Arrange, SeededOrder
from pitwarden_simulators.table.table import SimulatedTable

SERIALS: dict[DeviceName, str] = {"shoe": "SIM-S1", "shuffler": "SIM-F1", "reader": "SIM-R1", "keypad": "SIM-K1"}
"""Serial numbers that the simulated devices answer with."""


@dataclass(frozen=True, slots=True)
class Built:
    """Table, and the far ends of its devices' lines."""

    table: SimulatedTable
    devices: dict[DeviceName, TdpDevice]


def build(
    setup: SimulatedTableSetup,
    seed: str,
    *,
    boot: int = 1,
    heartbeat_ms: int = 1_000,
    arrange: Arrange | None = None,
    keypad: bool = False,
) -> Built:
    """Return a new table.

    `boot`: boot id that its devices start with; `arrange`: final change of each shuffle; `keypad`: the dealer keys on a
    keypad instead of a terminal.
    """
    memories = {name: Memory(boot) for name in SERIALS}
    shoe = SimulatedShoe(memories["shoe"])
    shuffler = Shuffler(memories["shuffler"], SeededOrder(seed, arrange), counts=setup.counting)
    reader = None if setup.reader is None else Reader(memories["reader"])
    table = SimulatedTable(setup, Mint(), shoe, shuffler, reader, SimulatedPlayers(setup, seed))
    devices: dict[DeviceName, TdpDevice] = {
        "shoe": TdpDevice(
            "shoe", SERIALS["shoe"], memories["shoe"], count=lambda: (len(shoe.cards),), heartbeat_ms=heartbeat_ms
        ),
        "shuffler": TdpDevice(
            "shuffler",
            SERIALS["shuffler"],
            memories["shuffler"],
            count=lambda: (len(shuffler.cards),),
            heartbeat_ms=heartbeat_ms,
        ),
    }
    if reader is not None:
        devices["reader"] = TdpDevice("reader", SERIALS["reader"], memories["reader"], heartbeat_ms=heartbeat_ms)
    if keypad:
        devices["keypad"] = TdpDevice("keypad", SERIALS["keypad"], memories["keypad"], heartbeat_ms=heartbeat_ms)
    return Built(table, devices)
