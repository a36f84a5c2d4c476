"""Old and new schema versions side by side: a client of version 1 goes on while it is spoken, else it says why not."""

import json
from pathlib import Path

import pytest

from pitwarden_client import BrokerSettings, ConsumerConfig, LogItem, TableClient, UnsupportedVersionError, connect
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import Topics
from pitwarden_client.state import VersionMonitor
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

pytestmark = pytest.mark.broker
NEXT_STATUS = "pitwarden/v2/silent/cb-auto/status/field"
NEXT_EVENTS = "pitwarden/v2/silent/cb-auto/events/shoe/shoe_card"


@pytest.fixture
def messages() -> tuple[PublishedMessage, ...]:
    return published_night("cb-auto", "1", 3, "shoe_jam")


def consumer(broker: MosquittoBroker, *, follow: bool = True) -> ConsumerConfig:
    return ConsumerConfig(BrokerSettings("127.0.0.1", broker.port), "silent", "cb-auto", "old", follow=follow)


async def speak_two(table: ReplayedTable) -> None:
    """Publish as a daemon of version 2, whose messages a client of version 1 could not read."""
    await table.publish(NEXT_STATUS, b'{"online":true,"spoken":["2"],"since":"today"}', retain=True)
    await table.publish(NEXT_EVENTS, b'{"schemaversion":"2"}')


async def read_on(events: TableClient) -> None:
    async for _ in events:
        pass


async def test_a_table_that_speaks_both_is_read_by_the_old_client(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        await table.publish_next(150)
        await speak_two(table)
        async with connect(consumer(broker, follow=False)) as events:
            read = [item.body async for item in events if isinstance(item, LogItem)]
        assert read == table.rows


async def test_a_table_that_speaks_the_new_one_alone_is_refused_with_the_reason(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        await table.publish_next(20)
        gone = encode(PartStatus(online=False, run="told"))
        await table.publish(table.topics.status("field"), gone, retain=True)
        await speak_two(table)
        async with connect(consumer(broker)) as events:
            with pytest.raises(
                UnsupportedVersionError, match=r"speaks schema version 2; this client knows version 1 alone"
            ):
                await read_on(events)


async def test_additions_of_a_later_minor_version_are_passed_on_in_their_place(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        await table.publish_next(until=lambda said: said.channel.name == "events")
        later = json.loads(next(said.payload for said in table.left if said.channel.name == "events"))
        later["data"] = {"kind": "shoe.warmed", "degrees": 31}
        grown = json.dumps(later).encode()
        async with connect(consumer(broker)) as events:
            first = await anext(events)
            await table.publish(table.topics.event("shoe", "shoe.warmed"), grown)
            second = await anext(events)
    assert isinstance(first, LogItem)
    assert isinstance(second, LogItem)
    assert first.event is not None
    assert (second.event, second.body, second.at.number) == (None, grown, 2)
    assert "union_tag_invalid" in second.reason


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ([], False),
        ([("v1", b'{"online":true,"run":"a","faults":[]}')], False),
        ([("v2", b'{"online":true}')], True),
        ([("v2", b'{"online":false}')], False),
        ([("v2", b'{"online":true}'), ("v1", b'{"online":true,"run":"a","faults":[]}')], False),
        ([("v1", b'{"online":false,"run":"a","faults":[]}'), ("v2", b'{"online":true}')], True),
        ([("v2", b'{"online":true}'), ("v1", b"no status")], True),
    ],
)
def test_what_decides_is_which_versions_are_online(said: list[tuple[str, bytes]], refused: bool) -> None:  # noqa: FBT001
    versions = VersionMonitor(Topics("silent", "cb-auto"))
    for version, payload in said:
        versions.on_status(f"pitwarden/{version}/silent/cb-auto/status/field", payload)
        versions.on_status(f"pitwarden/{version}/silent/cb-auto/status/judge", b'{"online":true}')
    assert bool(versions.refused) is refused
