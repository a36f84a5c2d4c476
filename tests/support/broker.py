"""A real mosquitto on a free loopback port, to be killed, frozen and started again."""

import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pitwarden_simulators.campaign import broker

_GET = Path(__file__).parent.parent / "get_mosquitto.sh"


@cache
def mosquitto() -> str:
    """The path of a mosquitto, brought here when there is none."""
    return subprocess.run([_GET], check=True, capture_output=True, text=True).stdout.strip()


class Broker(broker.Broker):
    """The campaign's broker with the tests' mosquitto."""

    def __init__(self, folder: Path, config: Sequence[str] = ("allow_anonymous true",)) -> None:
        super().__init__(mosquitto(), folder, config)
