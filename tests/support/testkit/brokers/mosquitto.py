"""Real mosquitto on a free loopback port, which can be killed, frozen and started again; and the fixture `broker`."""

import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from pitwarden_tools.campaign.broker import Broker as CampaignBroker

_GET = Path(__file__).parents[3] / "get_mosquitto.sh"


@cache
def _got() -> subprocess.CompletedProcess[str]:
    return subprocess.run([_GET], check=False, capture_output=True, text=True)


def missing_mosquitto() -> str:
    """Return why there is no mosquitto here, and none could be fetched; empty when there is one."""
    return f"no mosquitto: {_got().stderr.strip()[-200:]}" if _got().returncode else ""


def mosquitto() -> str:
    """Return the path of a mosquitto, fetched when there is none.

    Raises:
        CalledProcessError: None can be fetched.
    """
    _got().check_returncode()
    return _got().stdout.strip()


class MosquittoBroker(CampaignBroker):
    """The campaign's broker with the tests' mosquitto."""

    def __init__(self, folder: Path, config: Sequence[str] = ("allow_anonymous true",)) -> None:
        super().__init__(mosquitto(), folder, config)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[MosquittoBroker]:
    """Yield a running broker at which each client may publish and subscribe to each topic."""
    with MosquittoBroker(tmp_path / "mosquitto") as running:
        yield running
