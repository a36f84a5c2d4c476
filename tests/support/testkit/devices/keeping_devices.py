"""Mapped devices that keep a message until it is acknowledged, each on its line and identified."""

from pathlib import Path

from pitwarden_client.events import device as ev
from pitwarden_client.events.card_faces import face_name
from pitwarden_drivers.api import PlainCard, Said
from testkit.devices.keeping_line import KeepingLine
from testkit.devices.map_sessions import MAPS
from testkit.devices.serial_protocols import FramedShoe, PolledShuffler

FRAMED, POLLED = MAPS / "framed-shoe.toml", MAPS / "polled-shuffler.toml"


def card(said: Said) -> str:
    """Return what a test calls an event of the shoe: its card."""
    assert isinstance(said, PlainCard)
    return face_name(said.face.value)


def meter(said: Said) -> int:
    """Return what a test calls an event of the shuffler: the value of its meter."""
    assert isinstance(said, ev.DeviceMeter)
    return said.value


def framed(file: Path = FRAMED) -> tuple[KeepingLine, FramedShoe]:
    device = FramedShoe()
    line = KeepingLine(file, device)
    line.run(500)
    assert line.session.identified
    return line, device


def polled() -> tuple[KeepingLine, PolledShuffler]:
    device = PolledShuffler()
    line = KeepingLine(POLLED, device)
    line.run(3_000)
    assert line.session.identified
    return line, device
