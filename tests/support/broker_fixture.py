"""The fixture `broker`: one running mosquitto for one test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from broker import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A running broker that lets everybody do everything."""
    with Broker(tmp_path / "mosquitto") as running:
        yield running
