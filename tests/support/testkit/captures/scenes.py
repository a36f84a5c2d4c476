"""One scene for each shipped driver and kind of device: the content of the captures in tests/captures."""

from functools import partial
from typing import Final

from pitwarden_client.events.device import KeypadEntry
from pitwarden_simulators.cards import Card, Mint
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.devices.ascii import AsciiScanner, AsciiShuffler
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.reader import Reader
from pitwarden_simulators.devices.shoe import SimulatedShoe
from pitwarden_simulators.devices.shuffler import Shuffler
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.table.shuffling import SeededOrder
from testkit.captures.scene_recorder import HidWire, Scene, SceneAction

Built = tuple[SimulatedDevice, list[SceneAction]]


def _shoe() -> Built:
    memory = Memory(1)
    shoe = SimulatedShoe(memory)
    device = TdpDevice("shoe", "N42", memory, count=lambda: (len(shoe.cards),))
    cards = SeededOrder("captures")("A", Mint().cb_deck("A"))
    return device, [
        SceneAction(100, lambda: shoe.load("A", cards, cut_after=3)),
        *(SceneAction(at, shoe.draw) for at in range(300, 1_300, 200)),
        SceneAction(1_400, lambda: shoe.dispense(7)),
        SceneAction(1_500, command="report_count"),
        SceneAction(1_600, device.reboot),
        SceneAction(2_100, shoe.jam),
        SceneAction(2_300, command="unlock"),
        SceneAction(2_500, shoe.unload),
    ]


def _shuffler() -> Built:
    memory = Memory(1)
    shuffler = Shuffler(memory, SeededOrder("captures"), counts=True)
    cards = Mint().cb_deck("A")
    return TdpDevice("shuffler", "F-0007", memory, count=lambda: (36, 16)), _cycles(shuffler, cards)


def _cycles(shuffler: Shuffler, cards: list[Card]) -> list[SceneAction]:
    return [
        SceneAction(200, lambda: shuffler.start("A", cards)),
        SceneAction(500, command="lock"),
        SceneAction(1_000, shuffler.finish),
        SceneAction(1_200, command="lock"),
        SceneAction(1_400, lambda: setattr(shuffler, "jam_next", True)),
        SceneAction(1_500, lambda: shuffler.start("A", shuffler.take())),
        SceneAction(2_000, shuffler.finish),
    ]


def _reader() -> Built:
    memory = Memory(1)
    reader = Reader(memory)
    up, hole, *_ = SeededOrder("captures")("A", Mint().cb_deck("A"))
    return TdpDevice("reader", "R-0311", memory), [
        SceneAction(300, lambda: reader.insert(up, hole)),
        SceneAction(700, lambda: setattr(reader, "fail_next", True)),
        SceneAction(800, lambda: reader.insert(up, hole)),
    ]


def _keypad() -> Built:
    memory = Memory(1)
    entries = [
        KeypadEntry(key="boxes", digits="136"), KeypadEntry(key="closed"), KeypadEntry(key="decision", digits="12"),
        KeypadEntry(key="undo"), KeypadEntry(key="stub", digits="24"),
    ]  # fmt: skip
    return TdpDevice("keypad", "K-0001", memory), [
        SceneAction(300 + 200 * at, partial(memory.emit, entry)) for at, entry in enumerate(entries)
    ]


def _mapped_shuffler() -> Built:
    device = AsciiShuffler("F-0007")
    return device, _cycles(Shuffler(device, SeededOrder("captures"), counts=True), Mint().cb_deck("A"))


def _draws(shoe: SimulatedShoe) -> list[SceneAction]:
    cards = SeededOrder("captures")("A", Mint().cb_deck("A"))
    return [
        SceneAction(0, lambda: shoe.load("A", cards, cut_after=2)),
        *(SceneAction(at, shoe.draw) for at in range(300, 1_300, 200)),
    ]


def _mapped_shoe() -> Built:
    device = AsciiScanner("S-2001")
    return device, _draws(SimulatedShoe(device))


def _scanner() -> Built:
    device = HidWire("S-2002")
    return device, [
        *_draws(SimulatedShoe(device)),
        SceneAction(1_500, lambda: device.scan(b"10D17" * 8)),
        SceneAction(1_700, lambda: device.scan(b"10D17", accuracy=10)),
        SceneAction(1_900, lambda: device.scan(b"NOREAD")),
        SceneAction(2_100, lambda: device.scan(b"https://x", "]Q1")),
    ]


SCENES: Final = (
    Scene("tdp-shoe", "tdp", "shoe", "N42", "loaded, drawn past the cutting card, counted, rebooted, jammed", _shoe),
    Scene("tdp-shuffler", "tdp", "shuffler", "F-0007", "two cycles, the second jams; locked twice", _shuffler),
    Scene("tdp-keypad", "tdp", "keypad", "K-0001", "boxes, bets closed, a decision, undo, the stub", _keypad),
    Scene("tdp-reader", "tdp", "reader", "R-0311", "an answer, and none", _reader),
    Scene(
        "map-shuffler", "map:../../config/maps/counting-shuffler.toml", "shuffler", "F-0007", "as tdp-shuffler",
        _mapped_shuffler,
    ),
    Scene(
        "map-shoe", "map:../../config/maps/bar-code-shoe.toml", "shoe", "S-2001", "drawn past the cutting card",
        _mapped_shoe,
    ),
    Scene(
        "scan-shoe", "scan:../../config/codes/coded-shoe.toml", "shoe", "S-2002",
        "drawn past the cutting card; a long code, a bad scan, no read, another symbology", _scanner,
    ),
)  # fmt: skip
