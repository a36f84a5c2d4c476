"""Two real mosquittos behind a bridge: what is published at one of them is heard at both, retained messages too."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.mosquitto import MosquittoBroker

_OPEN = "allow_anonymous true"


@dataclass(frozen=True)
class BridgedPair:
    """`second` has the bridge, which connects again by itself."""

    first: MosquittoBroker
    second: MosquittoBroker

    @property
    def settings(self) -> BrokerSettings:
        """A client of both, which begins at the first."""
        first, second = (BrokerSettings("127.0.0.1", broker.port) for broker in (self.first, self.second))
        return BrokerSettings(first.host, first.port, further=(second.address,))

    @property
    def line(self) -> str:
        """The addresses as a line of a table file."""
        return "addresses = [{}]\n".format(", ".join(f'"{address}"' for address in self.settings.addresses))


@contextmanager
def bridged_pair(folder: Path) -> Iterator[BridgedPair]:
    """Run both."""
    first = MosquittoBroker(folder / "first", (_OPEN,))
    bridge = [
        "connection pair", f"address 127.0.0.1:{first.port}", "topic # both 1", "cleansession true",
        "bridge_protocol_version mqttv50", "restart_timeout 1", "notifications false",
    ]  # fmt: skip
    second = MosquittoBroker(folder / "second", (_OPEN, *bridge))
    with first, second:
        yield BridgedPair(first, second)
