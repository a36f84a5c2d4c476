"""A service with two brokers in its table file: one is killed, and what the service says of its link afterwards."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.metrics.families import LINK_ADDRESS
from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import PartStatus
from testkit.brokers.bridged_pair import BridgedPair, bridged_pair
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.metrics_samples import samples_at
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.examined_table import found
from testkit.tables.table_file import small_table

pytestmark = [pytest.mark.broker, pytest.mark.slow]

METRICS = '\n[metrics]\nsocket = "metrics"\n'
STATUSES = "pitwarden/v1/harbor/ta01/status/+"


def table_with(folder: Path, pair: BridgedPair) -> Path:
    """Return a table file with both addresses."""
    file = small_table(folder, broker=pair.line, more=METRICS)
    file.write_text(file.read_text().replace("port = 1\n", "", 1))
    return file


async def statuses(at: MosquittoBroker) -> set[str]:
    """Return the address at which each half of the running service reports its link."""
    async with connection(settings(at.port), "watch", (STATUSES,)) as (_, watch):

        def said() -> list[PartStatus]:
            newest = {message.topic: message.payload for message in watch.messages}
            return [decode(PartStatus, payload) for payload in newest.values()]

        await watch.until(lambda: len([part for part in said() if part.online]) == 2)
        return {part.broker for part in said()}


async def test_the_address_in_use_is_in_the_status_the_metrics_and_the_examination(tmp_path: Path) -> None:
    with bridged_pair(tmp_path / "pair") as pair:
        file = table_with(tmp_path, pair)
        assert main(["keys", str(file)]) == 0
        first, second = map(str, pair.settings.addresses)
        async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=2) as manager:
            for lost, here, broker in (("", first, pair.first), (first, second, pair.second)):
                if lost:
                    pair.first.kill()
                await manager.until(lambda said: said.get("STATUS", "").count(f"broker linked ({here})") == 2)  # noqa: B023  within this turn
                assert await statuses(broker) == {here}
                samples = await samples_at(tmp_path / "metrics")
                assert samples.values(LINK_ADDRESS) == {
                    frozenset({"harbor/ta01", half, address}): float(address == here)
                    for half in ("field", "judge")
                    for address in (first, second)
                }
            findings = await found(file)
            [dead] = [one for one in findings if one.subject == "broker" and one.level != "ok"]
            assert (dead.level, dead.what.partition(":")[0]) == ("warning", first.partition(":")[0])
            assert "goes on at its other addresses" in dead.why
            linked = {one.subject: one.what for one in findings if one.what.startswith("is linked to")}
            assert linked == dict.fromkeys(("field half", "judge half"), f"is linked to {second}")
            assert await stop_twice(manager) == 0


async def test_without_any_of_its_brokers_the_examination_is_bad(tmp_path: Path) -> None:
    with bridged_pair(tmp_path / "pair") as pair:
        file = table_with(tmp_path, pair)
        assert main(["keys", str(file)]) == 0
    findings = await found(file)
    assert [one.level for one in findings if one.subject == "broker"] == ["bad", "bad"]
