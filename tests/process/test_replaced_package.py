"""An upgrade replaces the package under the running service: what it says of itself needs no file of the package."""

import signal
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.metrics_samples import samples_at
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.table_file import small_table

pytestmark = [pytest.mark.broker, pytest.mark.slow]

# The metadata of this environment is every test's: on SIGUSR1 this one process finds none any more.
WITHOUT_METADATA = """
import importlib.metadata, signal, sys
from pitwarden.cli.main import main

def vanish(*_):
    importlib.metadata.MetadataPathFinder.find_distributions = classmethod(lambda cls, context=None: iter(()))
    try:
        importlib.metadata.version("pitwarden")
    except importlib.metadata.PackageNotFoundError:
        print("gone", flush=True)

signal.signal(signal.SIGUSR1, vanish)
sys.exit(main(sys.argv[1:]))
"""


async def test_a_service_without_its_package_s_metadata_links_again_and_is_measured(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    file = small_table(tmp_path, port=broker.port, more='\n[metrics]\nsocket = "metrics"\n')
    assert main(["keys", str(file)]) == 0
    async with managed(tmp_path, ["-c", WITHOUT_METADATA, "run", "--config", str(file)], watchdog_s=2) as manager:
        assert manager.process is not None
        await manager.until(lambda said: said.get("STATUS", "").count("broker linked") == 2)
        manager.process.send_signal(signal.SIGUSR1)
        since = len(manager.heard)
        broker.kill()
        await manager.until(lambda said: said.get("STATUS", "").count("BROKER LOST") == 2, since=since)
        broker.start()
        since = len(manager.heard)
        await manager.until(lambda said: said.get("STATUS", "").count("broker linked") == 2, since=since)
        async with connection(settings(broker.port), "watch", ("pitwarden/v1/harbor/ta01/status/+",)) as (_, watch):
            await watch.until(lambda: len({message.topic for message in watch.messages}) == 2)
        assert (await samples_at(tmp_path / "metrics")).of("pitwarden_link_up", "harbor/ta01", "field") == 1
        assert "gone" in (tmp_path / "service.log").read_text()
        assert await stop_twice(manager) == 0
