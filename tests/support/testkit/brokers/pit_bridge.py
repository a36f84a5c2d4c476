"""Controller's broker with the shipped bridge, and the pit's broker at the other end: both real, TLS between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import SHIPPED, SiteBroker, site_broker

_SHIPPED_PLACES = ("pit.example:8883", "/etc/mosquitto/certs/site-ca.crt", "/etc/mosquitto/certs/controller.crt",
                   "/etc/mosquitto/certs/controller.key")  # fmt: skip


@dataclass(frozen=True)
class BridgedPit:
    """Both brokers. `controller` has the bridge; `broker` is the pit's, where every certificate may do everything."""

    controller: SiteBroker
    broker: MosquittoBroker
    port: FreePort

    def person(self, name: str) -> BrokerSettings:
        """Return the login of `name` at the pit's broker."""
        return self.controller.site.client(name, self.port.number)


@contextmanager
def bridged(folder: Path) -> Iterator[BridgedPit]:
    """Yield both brokers running; the bridge connects by itself."""
    folder.mkdir()
    port = FreePort()
    bridge = (SHIPPED / "pit-bridge.conf").read_text()
    site = site_broker(
        folder / "controller", lambda site: _placed(bridge, port.number, site.ca, *site.certificate("ta01-bridge"))
    )
    cert, key = site.site.certificate("pit")
    pit = MosquittoBroker(folder / "pit", [
        "allow_anonymous false", f"listener {port.number} 127.0.0.1", f"cafile {site.site.ca}", f"certfile {cert}",
        f"keyfile {key}", "require_certificate true", "use_identity_as_username true",
    ])  # fmt: skip
    with pit, site.broker:
        yield BridgedPit(site, pit, port)


def _placed(text: str, port: int, ca: Path, cert: Path, key: Path) -> list[str]:
    for shipped, here in zip(_SHIPPED_PLACES, (f"127.0.0.1:{port}", ca, cert, key), strict=True):
        if shipped not in text:
            raise ValueError(f"pit-bridge.conf has no {shipped!r} any more")
        text = text.replace(shipped, str(here))
    return text.splitlines()
