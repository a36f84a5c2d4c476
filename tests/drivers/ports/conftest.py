"""A tty and a USB bus for the tests of ports."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testkit.ports.pseudo_terminal import PseudoTerminal
from testkit.ports.usb_bus import MakeBus, MemoryUsbBus


@pytest.fixture
def pty() -> Iterator[PseudoTerminal]:
    made = PseudoTerminal()
    yield made
    made.close()


@pytest.fixture
def make_bus(tmp_path: Path) -> MakeBus:
    return lambda *plugged: MemoryUsbBus(tmp_path, *plugged)
