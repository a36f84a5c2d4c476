"""Broker nodes of the experiment: one mosquitto, or two behind a bridge."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from pitwarden_client.mqtt.addresses import BrokerAddress
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.campaign.broker import Broker

_OPEN = "allow_anonymous true"


class BrokerNodes:
    """`count` brokers, 1 or 2. The second has the bridge, which connects again by itself."""

    def __init__(self, mosquitto: str, folder: Path, count: int) -> None:
        first = Broker(mosquitto, folder / "first", (_OPEN,))
        self.nodes = [first]
        if count > 1:
            bridge = (
                "connection pair", f"address 127.0.0.1:{first.port}", "topic # both 1", "cleansession true",
                "bridge_protocol_version mqttv50", "restart_timeout 1", "notifications false",
            )  # fmt: skip
            self.nodes.append(Broker(mosquitto, folder / "second", (_OPEN, *bridge)))
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for node in self.nodes:
            self._stack.enter_context(node)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def ports(self) -> list[int]:
        """Ports of all nodes."""
        return [node.port for node in self.nodes]

    @property
    def settings(self) -> BrokerSettings:
        """Settings of a client of all nodes, which begins at the first."""
        first, *further = (BrokerAddress("127.0.0.1", port) for port in self.ports)
        return BrokerSettings(first.host, first.port, further=tuple(further))
