"""A TDP device on the bench line, and the cards that it draws."""

from bench_device import BenchDevice
from bench_line import Bench
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_drivers.tdp.wire import Frame, encode

AS, KH, SEVEN = PlainCard(Secret(39)), PlainCard(Secret(38)), PlainCard(Secret(19))


def bench(**device: object) -> Bench:
    made = BenchDevice()
    for name, value in device.items():
        setattr(made, name, value)
    return Bench(made)


def say(line: Bench, *frames: Frame) -> None:
    """The device, or something like it, sends these frames."""
    line.heard(encode(*frames))
