"""Brokers that speak MQTT 3.1.1 only."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError, PublishRefusedError
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.clients import connection, login, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

pytestmark = pytest.mark.broker


@pytest.fixture
def old(tmp_path: Path) -> MosquittoBroker:
    """Not started: a broker where `weak` may write `free` alone; asked in 3.1.1, it answers as an old one does."""
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "acl").write_text("user strong\ntopic #\nuser weak\ntopic read #\ntopic free\n")
    return MosquittoBroker(folder, ("allow_anonymous true", f"acl_file {folder / 'acl'}"))


def plain(broker: MosquittoBroker) -> BrokerSettings:
    return replace(settings(broker.port), protocol="3.1.1")


async def test_messages_are_received_in_order_and_retained_ones_are_marked(old: MosquittoBroker) -> None:
    with old:
        async with connection(login(plain(old), "strong"), "one", ("a/#",)) as (one, notes):
            for number in range(50):
                await one.send("a/b", b"%d" % number)
            await one.send("a/kept", b"x", retain=True)
            await notes.until(lambda: len(notes.messages) == 51)
            assert notes.payloads("a/b") == [b"%d" % number for number in range(50)]
            async with connection(login(plain(old), "strong"), "two", ("a/kept",)) as (_, late):
                await late.until(lambda: bool(late.messages))
                assert late.messages[0].retained


async def test_a_refused_message_is_acknowledged_all_the_same_and_never_arrives(old: MosquittoBroker) -> None:
    with old:
        async with (
            connection(login(plain(old), "strong"), "ear", ("#",)) as (_, ear),
            connection(login(plain(old), "weak"), "weak") as (weak, _),
        ):
            await weak.send("table/2", b"x")
            await weak.send("free", b"y")
            await ear.until(lambda: bool(ear.messages))
            assert [message.topic for message in ear.messages] == ["free"]


async def test_the_will_and_a_lost_broker_are_as_with_mqtt_5(old: MosquittoBroker) -> None:
    with old:
        async with connection(login(plain(old), "strong"), "ear", ("w",)) as (ear, notes):
            going = Connection(login(plain(old), "strong"), "going", lambda _: None, ("w", b"gone"))
            await going.open()
            going.drop()
            await going.dropped()
            await notes.until(lambda: notes.payloads("w") == [b"gone"])
            old.kill()
            assert isinstance(await asyncio.wait_for(ear.lost, PATIENCE_S), LinkDownError)


@asynccontextmanager
async def answering(*answers: str) -> AsyncIterator[int]:
    """Yield a listener that sends `answers`, in hex, one to each packet; `MM` is the packet's own number."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            packet = await reader.read(1_000)
            writer.write(bytes.fromhex(answer.replace("MM", packet[2:4].hex())))
        await reader.read(1_000)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_a_refused_subscription_is_named() -> None:
    async with answering("20020000", "9003MM80") as port:
        made = Connection(replace(settings(port), protocol="3.1.1"), "one", lambda _: None)
        await made.open()
        with pytest.raises(PublishRefusedError, match="subscription to a/#"):
            await made.subscribe_all(["a/#"])
        await made.disconnect()
        await made.dropped()


async def test_a_broker_without_mqtt_5_refuses_it_and_the_remedy_is_named() -> None:
    async with answering("20020001") as port:
        tried = Connection(settings(port), "new", lambda _: None)
        with pytest.raises(AccessRefusedError, match=r'protocol = "3\.1\.1"'):
            await tried.open()
        await tried.dropped()
