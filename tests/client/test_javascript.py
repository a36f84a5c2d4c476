"""A consumer in JavaScript, written from the contract alone, agrees with the typed client on every round of a night."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from pitwarden_client import BrokerSettings, ConsumerConfig, Item, connect
from pitwarden_client.contract.asyncapi import asyncapi_document
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.consumers.round_record import rounds_of
from testkit.installation.node import Js

NIGHTS = [("cb-auto", "1", 5, "shoe_jam"), ("tab-shielded", "2", 3, "stray_ten", "reader_failure")]


@pytest.fixture(params=NIGHTS, ids=[played[0] for played in NIGHTS])
def messages(request: pytest.FixtureRequest) -> tuple[str, tuple[PublishedMessage, ...]]:
    """Yield a table and its night."""
    return request.param[0], published_night(*request.param)


async def read(port: int, table: str) -> list[Item]:
    """Return the night as the typed client reads it afterwards."""
    consumer = ConsumerConfig(BrokerSettings("127.0.0.1", port), "silent", table, "ours", follow=False)
    async with connect(consumer) as events:
        return [item async for item in events]


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(180)  # the first time, the packages come from the registry
async def test_a_javascript_consumer_agrees_on_every_round(
    broker: MosquittoBroker, tmp_path: Path, js: Js, messages: tuple[str, tuple[PublishedMessage, ...]]
) -> None:
    table, said = messages
    (tmp_path / "contract.json").write_text(json.dumps(asyncapi_document()))
    words = js.command(
        "consumer.mjs", f"mqtt://127.0.0.1:{broker.port}", str(tmp_path / "contract.json"), "silent", table, "7"
    )
    async with replayed_table(table, said, broker.port, tmp_path) as telling:
        await telling.publish_next(len(telling.left) // 3)
        theirs = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        assert theirs.stdout is not None
        assert await theirs.stdout.readline() == b"ready\n"
        await telling.publish_next()
        known = json.loads(await theirs.stdout.read())
        assert await theirs.wait() == 0
        ours = rounds_of(await read(broker.port, table))
    assert known["rounds"] == [asdict(each) for each in ours]
    assert (known["rows"], known["outputs"]) == (len(telling.rows), len(telling.outputs))
    assert known["replays"] > 5, "nothing was lost on the way"
    assert sum(each.ended for each in ours) > 2
    assert sum(each.proved for each in ours) > 20
    assert any(each.said for each in ours)
