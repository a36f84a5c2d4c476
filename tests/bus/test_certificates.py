"""An expired certificate lets nobody in and says so; a renewed one is enough, without a restart of ours (B34)."""

import gc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from pitwarden_client.mqtt.errors import LinkDownError
from testkit.brokers.clients import link_client
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import Site


@pytest.mark.broker
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # paho leaves a socket whose handshake failed to the collector
async def test_a_renewed_certificate_is_enough(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    site = Site(folder, trustme.CA())
    cert, key = site.certificate("controller", expires=datetime.now(UTC) - timedelta(days=1))
    files = (f"certfile {cert}", f"keyfile {key}", f"cafile {site.ca}")
    config = ("allow_anonymous true", *files, "require_certificate true")
    with MosquittoBroker(tmp_path / "b", config) as broker:
        async with link_client(site.client("ta01", broker.port)) as us:
            await us.until(downs=2)
            assert not us.notes.ups
            assert all(isinstance(fault, LinkDownError) for fault in us.notes.downs)
            assert "certificate has expired" in str(us.notes.downs[0])
            site.certificate("controller")
            broker.kill()
            broker.start()
            await us.is_up()
            us.notes.downs.clear()  # their tracebacks hold the sockets
            gc.collect()
