"""A night whose devices are on USB, under the real pyusb and the real libusb: also pulled in mid-transfer."""

import subprocess
import sys

import pytest

from pitwarden_simulators.usb.sysfs import preloadable

pytestmark = [
    pytest.mark.usb,
    pytest.mark.full,
    pytest.mark.timeout(200),
    pytest.mark.skipif(not preloadable(), reason="needs Debian's umockdev and libusb-1.0-0: apt-get install them"),
]


def test_a_night_on_usb_finds_what_was_injected() -> None:
    words = ("--rounds", "1", "--seed", "4", "--game", "triple-attack-blackjack", "--usb", "reader,shoe,shuffler")
    played = subprocess.run(
        [sys.executable, "-m", "pitwarden.cli", "demo", *words], capture_output=True, text=True, check=False
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert "unplug" in played.stdout
    assert ", 0 not: all is well" in played.stdout
