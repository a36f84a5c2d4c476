"""A tty and a USB bus for the tests of ports."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testkit.ports.pseudo_terminal import Pty
from testkit.ports.usb_bus import MakeBus, MemoryBus


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


@pytest.fixture
def make_bus(tmp_path: Path) -> MakeBus:
    return lambda *plugged: MemoryBus(tmp_path, *plugged)
