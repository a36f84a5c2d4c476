"""How a connection ends, and that nothing outlives it."""

import asyncio
import socket

import pytest

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError, TakenOverError
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

pytestmark = pytest.mark.broker


async def test_a_second_client_with_our_id_ends_the_first(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "same") as (first, notes):
        await first.send("a", b"x")
        async with connection(settings(broker.port), "same"):
            await notes.until(first.lost.done)
            assert isinstance(first.lost.result(), LinkDownError | TakenOverError)  # mosquitto says why from 2.0.12 on
            with pytest.raises(LinkDownError, match="connection is lost"):
                await first.send("a", b"x")


CONNACK = bytes.fromhex("2003000000")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (CONNACK + bytes.fromhex("e0018e"), TakenOverError),
        (CONNACK + bytes.fromhex("e0028e00"), TakenOverError),
        (CONNACK + bytes.fromhex("e00187"), AccessRefusedError),
        (CONNACK + bytes.fromhex("e0018b"), LinkDownError),
        (CONNACK + bytes.fromhex("e000"), LinkDownError),
        (CONNACK + bytes.fromhex("ff05ffffffffff"), LinkDownError),
        (CONNACK + bytes.fromhex("4001"), LinkDownError),
        (CONNACK + bytes.fromhex("300600ff6162630041"), LinkDownError),
        (CONNACK + bytes.fromhex("30060002fffe0041"), LinkDownError),
        (CONNACK, LinkDownError),
    ],
)
async def test_the_reasons_of_an_end_differ_and_hostile_bytes_end_the_connection(
    answer: bytes, fault: type[Exception]
) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        await one.open()
        assert type(await asyncio.wait_for(one.lost, PATIENCE_S)) is fault
        await one.dropped()


async def test_pending_publishes_fail_at_once_when_the_broker_dies(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "one") as (one, _):
        broker.freeze()
        pending = [one.send("a", b"x") for _ in range(20)]
        broker.kill()
        outcomes = await asyncio.wait_for(asyncio.gather(*pending, return_exceptions=True), PATIENCE_S)
        assert {type(outcome) for outcome in outcomes} == {LinkDownError}
        assert isinstance(one.lost.result(), LinkDownError)


async def test_a_frozen_broker_is_noticed_by_what_it_owes(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port, keepalive=2), "one") as (one, notes):
        broker.freeze()
        with pytest.raises(LinkDownError, match="owes an acknowledgement for 2 s"):
            await one.send("a", b"x")
        await notes.until(one.lost.done)


@pytest.mark.slow
async def test_a_frozen_broker_is_noticed_by_an_idle_connection_too(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port, keepalive=2), "one") as (one, _):
        broker.freeze()
        assert isinstance(await asyncio.wait_for(one.lost, PATIENCE_S), LinkDownError)


async def test_a_caller_that_no_longer_waits_is_let_be(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "one") as (one, _):
        for _ in range(2):
            left, waiting = one.send("a", b"x"), one.send("a", b"y")
            left.cancel()
            await waiting
        broker.freeze()
        left, waiting = one.send("a", b"x"), one.send("a", b"y")
        left.cancel()
        one.drop()
        with pytest.raises(LinkDownError):
            await waiting


async def test_the_will_speaks_when_we_are_dropped_and_is_silent_after_a_goodbye(broker: MosquittoBroker) -> None:
    async with connection(settings(broker.port), "watch", ("will",)) as (_, notes):
        async with connection(settings(broker.port), "polite", will=("will", b"polite")) as (polite, _):
            await polite.disconnect()
        async with connection(settings(broker.port), "gone", will=("will", b"gone")):
            pass
        await notes.until(lambda: bool(notes.messages))
        assert notes.payloads("will") == [b"gone"]


async def test_a_bug_in_our_callback_ends_the_connection_and_is_reported(broker: MosquittoBroker) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("a bug")

    one = Connection(settings(broker.port), "one", broken)
    await one.open()
    await one.subscribe_all(["a"])
    one.send("a", b"x")
    assert isinstance(await asyncio.wait_for(one.lost, PATIENCE_S), ZeroDivisionError)
    await one.dropped()


async def test_a_write_that_fails_during_a_message_ends_the_connection_and_not_the_loop() -> None:
    sent: list[asyncio.Future[None]] = []

    def heard(_: InboundMessage) -> None:
        peer = one.paho.socket()  # it is gone at the very worst moment
        assert isinstance(peer, socket.socket)
        peer.shutdown(socket.SHUT_RDWR)
        sent.append(one.send("answer", b"x"))

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK)
        await connected.wait()
        writer.write(bytes.fromhex("320700016100010041"))  # a message on topic "a"
        await writer.drain()
        await one.lost
        writer.close()

    connected = asyncio.Event()
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", heard)
        await one.open()
        connected.set()
        assert type(await asyncio.wait_for(one.lost, PATIENCE_S)) is LinkDownError
        await one.dropped()
    with pytest.raises(LinkDownError, match="not acknowledged"):
        await sent[0]
