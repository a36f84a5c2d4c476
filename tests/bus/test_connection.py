"""What is sent and heard on one connection."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from typing import Literal

import aiomqtt
import pytest

from pitwarden.bus.connection import MAX_PENDING, Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import OverloadedError, PublishRefusedError
from testkit.brokers.clients import ClientNotes, connection, login, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

pytestmark = pytest.mark.broker


async def test_messages_are_received_in_order_without_delay(broker: MosquittoBroker) -> None:
    async with (
        connection(settings(broker.port), "one") as (one, _),
        connection(settings(broker.port), "two", ("a/#",)) as (two, notes),
    ):
        assert not two.session_present
        for number in range(50):
            await one.send("a/b", b"%d" % number)
        await notes.until(lambda: len(notes.messages) == 50)
        assert notes.payloads("a/b") == [b"%d" % number for number in range(50)]
        sock = one.paho.socket()
        assert isinstance(sock, socket.socket)
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_retained_messages_say_so_and_live_ones_do_not(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "one", ("a",)) as (one, live):
        await one.send("a", b"x", retain=True)
        await live.until(lambda: bool(live.messages))
        async with connection(settings(broker.port), "two", ("a",)) as (_, late):
            await late.until(lambda: bool(late.messages))
            assert [m.retained for m in (*live.messages, *late.messages)] == [False, True]
            assert "b'x'" not in repr(live.messages)


async def test_an_unacknowledged_message_stays_with_the_broker(tmp_path: Path) -> None:
    config = ("allow_anonymous true", "max_inflight_messages 1")
    with MosquittoBroker(tmp_path / "b", config) as broker:
        slow = ClientNotes()

        def keep(message: InboundMessage) -> None:
            slow.messages.append(message)
            slow.news.set()

        hold = Connection(settings(broker.port), "hold", keep)
        await hold.open()
        await hold.subscribe_all(["a"])
        async with connection(settings(broker.port), "one", ("a",)) as (one, notes):
            await one.send("a", b"1")
            await one.send("a", b"2")
            await notes.until(lambda: len(notes.messages) == 2)
            assert slow.payloads("a") == [b"1"]
            slow.messages[0].ack()
            await slow.until(lambda: slow.payloads("a") == [b"1", b"2"])
        hold.drop()
        await hold.dropped()
        slow.messages[1].ack()


@pytest.fixture
def guarded(tmp_path: Path) -> MosquittoBroker:
    """Not started: two logins without passwords, of which `weak` may write nothing but `free`."""
    folder = tmp_path / "guarded"
    folder.mkdir()
    (folder / "acl").write_text("user strong\ntopic #\nuser weak\ntopic read #\ntopic free\n")
    return MosquittoBroker(folder, ("allow_anonymous true", f"acl_file {folder / 'acl'}"))


async def test_a_publish_that_the_acl_forbids_is_an_error_and_the_link_stays(guarded: MosquittoBroker) -> None:
    with guarded:
        async with connection(login(settings(guarded.port), "weak"), "weak") as (weak, _):
            await weak.send("free", b"x")
            with pytest.raises(PublishRefusedError, match="Not authorized"):
                await weak.send("table/2", b"x")
            await weak.send("free", b"y")


async def test_what_waits_for_the_broker_is_bounded(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port, keepalive=60), "one") as (one, _):
        broker.freeze()
        pending = [one.send("a", b"x") for _ in range(MAX_PENDING)]
        with pytest.raises(OverloadedError):
            await one.send("a", b"x")
        assert not any(each.done() for each in pending)
        broker.thaw()
        await asyncio.wait_for(asyncio.gather(*pending), PATIENCE_S)


async def test_what_was_written_at_once_leaves_nothing_for_the_loop_to_do(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "one", ("a",)) as (one, notes):
        await one.send("a", b"x")
        await notes.until(lambda: bool(notes.messages))
        sock = one.paho.socket()
        assert isinstance(sock, socket.socket)
        notes.messages[0].ack()  # leaves in the loop's next round, unless what is sent now takes it along
        await one.send("a", b"y")
        await asyncio.sleep(0)
        assert not asyncio.get_running_loop().remove_writer(sock.fileno())


async def test_bytes_that_the_socket_refused_are_written_later_and_then_no_writer_waits(
    broker: MosquittoBroker,
) -> None:
    async with connection(settings(broker.port, keepalive=60), "one") as (one, _):
        sock = one.paho.socket()
        assert isinstance(sock, socket.socket)
        broker.freeze()
        pending = [one.send("a", bytes(100_000)) for _ in range(100)]
        broker.thaw()
        await asyncio.wait_for(asyncio.gather(*pending), PATIENCE_S)
        assert not asyncio.get_running_loop().remove_writer(sock.fileno())


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_a_cloudevent_says_so_in_mqtt_5(broker: MosquittoBroker, protocol: Literal["5", "3.1.1"]) -> None:
    topics = Topics("ac1", "t4")
    sent = (topics.event("shoe", "shoe.card"), topics.reveals, topics.replay("x", "outputs"), topics.state)
    async with (
        aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as reader,
        connection(replace(settings(broker.port), protocol=protocol), "field") as (field, _),
    ):
        await reader.subscribe("#")
        for topic in sent:
            await field.send(topic, b"{}")
        heard = {}
        async for message in reader.messages:
            heard[message.topic.value] = getattr(message.properties, "ContentType", None)
            if len(heard) == len(sent):
                break
    says = "application/cloudevents+json" if protocol == "5" else None
    assert heard == {sent[0]: says, sent[1]: says, sent[2]: says, sent[3]: None}
