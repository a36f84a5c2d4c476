"""A link with several addresses: two real brokers behind a bridge that are killed, frozen, and refuse the login."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.addresses import BrokerAddress
from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError, SubscriptionFailedError
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.bridged_pair import BridgedPair, bridged_pair
from testkit.brokers.clients import LinkClient, connection, link_client, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.consumer_link import consumer_link

pytestmark = pytest.mark.broker

STATUS = "field/status"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[BridgedPair]:
    with bridged_pair(tmp_path / "pair") as made:
        yield made


def listed(*ports: int, keepalive: int = 5) -> BrokerSettings:
    """Return settings for these ports of loopback, in this order."""
    first, *further = (BrokerAddress("127.0.0.1", port) for port in ports)
    return BrokerSettings(first.host, first.port, further=tuple(further), keepalive=keepalive)


async def linked_at(client: LinkClient, broker: MosquittoBroker) -> None:
    await client.notes.until(lambda: client.link.address == f"127.0.0.1:{broker.port}")


async def test_a_killed_broker_costs_one_attempt_and_both_halves_meet_at_the_other(pair: BridgedPair) -> None:
    async with link_client(pair.settings) as field, link_client(pair.settings, "judge", ("rows",)) as judge:
        await linked_at(field, pair.first)
        await linked_at(judge, pair.first)
        pair.first.kill()
        for client in (field, judge):
            await linked_at(client, pair.second)
            assert [type(down) for down in client.notes.downs] == [LinkDownError]
            assert (client.retry.failures, client.retry.refusals) == (0, 0)
        await field.link.publish("rows", b"1")
        await judge.until(messages=1)
        # They stay where they are when the first is back: a second loss of the log's way would serve nobody.
        pair.first.start()
        await field.link.publish("rows", b"2")
        await judge.until(messages=2)
        assert judge.link.address == field.link.address == f"127.0.0.1:{pair.second.port}"
        pair.second.kill()
        for client in (field, judge):
            await linked_at(client, pair.first)
        await field.link.publish("rows", b"3")
        await judge.until(messages=3)
    assert field.link.address == ""


async def test_halves_at_different_brokers_meet_over_the_bridge(pair: BridgedPair) -> None:
    there = pair.settings
    async with (
        link_client(there.at(there.addresses[0])) as field,
        link_client(there.at(there.addresses[1]), "judge", ("rows/#", STATUS)) as judge,
    ):
        await field.is_up()
        await judge.is_up()
        # The bridge comes up by itself, after either of them: what is retained crosses then.
        await field.link.publish("rows/kept", b"1", retain=True)
        await judge.notes.until(lambda: b"1" in judge.notes.payloads("rows/kept"))
        await judge.notes.until(lambda: b"online" in judge.notes.payloads(STATUS))
        await field.link.publish("rows", b"2")
        await judge.notes.until(lambda: judge.notes.payloads("rows") == [b"2"])


async def test_a_frozen_broker_is_left_for_the_other(tmp_path: Path, broker: MosquittoBroker) -> None:
    with MosquittoBroker(tmp_path / "other") as other:
        async with link_client(listed(broker.port, other.port, keepalive=2)) as field:
            await linked_at(field, broker)
            broker.freeze()
            field.link.publish("rows", b"owed")
            await linked_at(field, other)
            assert field.retry.failures == 0


async def test_the_first_is_dead_the_second_refuses_and_the_third_takes_us(
    tmp_path: Path, broker: MosquittoBroker
) -> None:
    with MosquittoBroker(tmp_path / "closed", ("allow_anonymous false",)) as closed:
        async with link_client(listed(1, closed.port, broker.port)) as field:
            await linked_at(field, broker)
            assert [type(down) for down in field.notes.downs] == [LinkDownError, AccessRefusedError]
            broker.kill()
            await field.notes.until(lambda: len(field.notes.downs) >= 12)
            broker.start()
            await linked_at(field, broker)
    refused = [isinstance(down, AccessRefusedError) for down in field.notes.downs]
    assert field.retry.refusals == sum(refused)
    assert not any(one and following for one, following in pairwise(refused))


async def test_all_dead_ones_are_tried_in_turn_until_one_is_back(tmp_path: Path) -> None:
    late = MosquittoBroker(tmp_path / "late")
    async with link_client(listed(1, 2, late.port)) as field:
        await field.notes.until(lambda: len(field.notes.downs) == 7)
        tried = [str(down).split()[3].rstrip(":") for down in field.notes.downs]
        assert tried == [f"127.0.0.1:{port}" for port in (1, 2, late.port) * 2 + (1,)]
        assert field.retry.failures == 2
        with late:
            await linked_at(field, late)
            await field.link.close_gracefully()


async def test_a_changed_list_is_applied_at_once(tmp_path: Path, broker: MosquittoBroker) -> None:
    with MosquittoBroker(tmp_path / "other") as other:
        async with link_client(listed(broker.port, 1)) as field:
            await linked_at(field, broker)
            field.link.reconnect(listed(other.port, broker.port))
            await linked_at(field, other)
            assert (field.retry.failures, field.retry.refusals) == (0, 0)


async def test_a_consumer_goes_on_at_the_next_address_too(pair: BridgedPair) -> None:
    async with consumer_link(pair.settings) as (_, got):
        await got.up_again(1)
        pair.first.kill()
        await got.up_again(2)
        async with connection(settings(pair.second.port), "table") as (table, _):
            await table.send("a/b", b"1")
            await got.has(1)
        assert [type(down) for down in got.downs] == [LinkDownError]


async def test_subscriptions_at_qos_0_receive_and_owe_no_acknowledgement(broker: MosquittoBroker) -> None:
    us = replace(settings(broker.port), subscribe_qos=0)
    for protocol in ("5", "3.1.1"):
        at_most_once = replace(us, protocol="5" if protocol == "5" else "3.1.1")
        async with connection(at_most_once, "one", ("a",)) as (one, notes):
            for number in range(100):
                await one.send("a", b"%d" % number)
            await notes.until(lambda: len(notes.messages) == 100)
            assert notes.payloads("a") == [b"%d" % number for number in range(100)]


@asynccontextmanager
async def electing(elections: int) -> AsyncIterator[tuple[int, list[int]]]:
    """Yield port and count of a 3.1.1 listener that fails this many subscriptions with 0x80 before it accepts."""
    failed = [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while packet := await reader.read(1_000):
            kind = packet[0] & 0xF0
            if kind == 0x10:
                writer.write(b"\x20\x02\x00\x00")
            elif kind == 0x80:
                code = b"\x80" if failed[0] < elections else b"\x00"
                failed[0] += code == b"\x80"
                writer.write(b"\x90\x04" + packet[2:4] + code * 2)
            elif kind == 0x30:
                (length,) = packet[3:4]
                writer.write(b"\x40\x02" + packet[4 + length : 6 + length])
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], failed


async def test_a_subscription_that_fails_in_an_election_is_tried_again_soon() -> None:
    async with electing(2) as (port, failed):
        us = replace(settings(port), protocol="3.1.1", subscribe_qos=0)
        async with link_client(us, filters=("rows",)) as field:
            await field.is_up()
            assert [type(down) for down in field.notes.downs] == [SubscriptionFailedError] * 2
            assert (field.retry.failures, field.retry.refusals, failed) == (2, 0, [2])


async def test_the_third_failed_subscription_in_a_row_is_a_refusal() -> None:
    async with (
        electing(4) as (port, _),
        link_client(replace(settings(port), protocol="3.1.1"), filters=("rows",)) as field,
    ):
        await field.is_up()
        assert (field.retry.failures, field.retry.refusals) == (2, 2)


async def test_a_broker_that_is_slow_with_its_answer_is_waited_for_as_long_as_it_is_told() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1_000)
        await answer.wait()
        writer.write(b"\x20\x02\x00\x00")
        await reader.read()
        writer.close()

    answer = asyncio.Event()
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        hasty = Connection(replace(settings(port), protocol="3.1.1", answer_seconds=0.2), "hasty", lambda _: None)
        with pytest.raises(LinkDownError, match="no answer in time"):
            await hasty.open()
        await hasty.dropped()
        patient = Connection(replace(settings(port), protocol="3.1.1", answer_seconds=30), "patient", lambda _: None)
        opening = asyncio.create_task(patient.open())
        answer.set()
        await opening
        patient.drop()
        await patient.dropped()
