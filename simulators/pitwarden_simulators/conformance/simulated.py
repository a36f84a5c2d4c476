"""Simulated devices for the kit: physics that sense without end, and an operator that does what the kit requests."""

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Final

from pitwarden_client.events.device import KeypadEntry, ReaderFault, ShufflerFault
from pitwarden_drivers.api import Family
from pitwarden_simulators.cards import Mint
from pitwarden_simulators.conformance.operator import BenchHand
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.reader import Reader
from pitwarden_simulators.devices.shoe import SimulatedShoe
from pitwarden_simulators.devices.shuffler import Shuffler
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.table.shuffling import SeededOrder

Made = tuple[TdpDevice, BenchHand]
Acts = Iterator[Callable[[], object]]
_SEED: Final = "conformance"
HEARTBEAT_MS: Final = 1_000


def _shoe(memory: Memory) -> Made:
    shoe = SimulatedShoe(memory)
    cards = SeededOrder(_SEED)("A", Mint().cb_deck("A"))

    def load() -> None:
        shoe.load("A", cards, cut_after=40)

    acts: Acts = cycle((load, shoe.draw, shoe.draw, lambda: shoe.dispense(7)))
    device = TdpDevice("shoe", "SIM-1", memory, count=lambda: (len(shoe.cards),), heartbeat_ms=HEARTBEAT_MS)
    return device, BenchHand(device, _turn(acts), shoe.jam)


def _shuffler(memory: Memory) -> Made:
    shuffler = Shuffler(memory, SeededOrder(_SEED), counts=True)
    cards = Mint().cb_deck("A")
    acts: Acts = cycle((lambda: shuffler.start("A", cards), shuffler.finish))
    device = TdpDevice("shuffler", "SIM-2", memory, count=lambda: (36, 16), heartbeat_ms=HEARTBEAT_MS)
    jam = ShufflerFault(deck="A", fault="jam", holding=52)
    return device, BenchHand(device, _turn(acts), lambda: memory.latch(jam))


def _reader(memory: Memory) -> Made:
    reader = Reader(memory)
    up, hole, *_ = SeededOrder(_SEED)("A", Mint().cb_deck("A"))
    device = TdpDevice("reader", "SIM-3", memory, heartbeat_ms=HEARTBEAT_MS)
    return device, BenchHand(device, lambda: reader.insert(up, hole), lambda: memory.latch(ReaderFault(fault="jam")))


def _turn(acts: Acts) -> Callable[[], object]:
    """Return a function that performs the next act each time it is called."""

    def act() -> object:
        return next(acts)()

    return act


def _keypad(memory: Memory) -> Made:
    device = TdpDevice("keypad", "SIM-4", memory, heartbeat_ms=HEARTBEAT_MS)
    entry = KeypadEntry(key="decision", digits="12")
    return device, BenchHand(device, lambda: memory.emit(entry), None)


MAKERS: Final[dict[Family, Callable[[Memory], Made]]] = {
    "shoe": _shoe, "shuffler": _shuffler, "reader": _reader, "keypad": _keypad,
}  # fmt: skip
