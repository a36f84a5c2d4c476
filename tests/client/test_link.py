"""A consumer's link: what it receives and sends, and that it comes back by itself from whatever ends it."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import pytest

from pitwarden_client.mqtt.connection import ConsumerConnection
from pitwarden_client.mqtt.errors import (
    AccessRefusedError,
    BusError,
    LinkDownError,
    ProtocolViolationError,
    PublishRefusedError,
    TakenOverError,
)
from pitwarden_client.mqtt.link import ConsumerLink
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.clients import connection, login, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.consumers.consumer_link import Received, consumer_connection, consumer_link

pytestmark = pytest.mark.broker

CONNACK = bytes.fromhex("2003000000")
TLS = Path(__file__).parents[1] / "bus" / "tls"
CERT, KEY = TLS / "tests-only.crt", TLS / "tests-only.key"


@asynccontextmanager
async def server(answer: bytes, to_subscribe: bytes | None = None) -> AsyncIterator[BrokerSettings]:
    """Something that answers a connection, then if `to_subscribe` is given a SUBSCRIBE, and closes it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        while to_subscribe is not None and (await reader.read(1)) not in {b"\x82", b""}:
            pass
        writer.write(to_subscribe or b"")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        yield settings(listening.sockets[0].getsockname()[1])


def sockets_to(port: int) -> list[socket.socket]:
    """Our open sockets to this port: there is no public way to the library's."""
    found = []
    for each in gc.get_objects():
        if isinstance(each, socket.socket) and each.fileno() >= 0:
            try:
                peer = each.getpeername()
            except OSError:
                continue
            if peer[:2] == ("127.0.0.1", port):
                found.append(each)
    return found


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_it_receives_in_order_and_publishes_without_delay(
    broker: MosquittoBroker, protocol: Literal["5", "3.1.1"]
) -> None:
    us = replace(settings(broker.port), protocol=protocol)
    async with connection(settings(broker.port), "table", ("b",)) as (table, heard):
        await table.send("a/kept", b"kept", retain=True)
        async with consumer_link(us) as (link, got):
            await got.until(lambda: bool(got.messages) and link.up)
            for number in range(300):
                table.send("a/b", b"%d" % number)
            await got.until(lambda: len(got.messages) == 301)
            assert got.messages == [("a/kept", b"kept"), *(("a/b", b"%d" % number) for number in range(300))]
            await link.publish("b", b"first")
            link.post("b", b"second")
            await heard.until(lambda: len(heard.messages) == 2)
            assert heard.payloads("b") == [b"first", b"second"]
            await link.subscribe(["c", "a/#"])
            await table.send("c", b"x")
            await got.until(lambda: got.messages[-1] == ("c", b"x"))
            options = [sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for sock in sockets_to(broker.port)]
            assert len(options) == 2  # the table's and ours
            assert all(options)
            assert (got.ups, got.downs) == (1, [])


async def test_it_comes_back_by_itself_with_all_that_it_subscribed_to(broker: MosquittoBroker) -> None:
    us = settings(broker.port)
    async with consumer_link(us) as (link, got):
        for rounds in (1, 2, 3):
            await got.up_again(rounds)
            if rounds == 1:
                await link.subscribe(["c"])
            async with connection(us, "table") as (table, _):
                await table.send("a/b", b"%d" % rounds)
                await table.send("c", b"%d" % rounds)
            await got.has(2 * rounds)
            broker.kill()
            await got.until(lambda: not link.up)
            with pytest.raises(LinkDownError):
                await link.publish("a", b"x")
            with pytest.raises(LinkDownError):
                await link.subscribe(["c"])
            link.post("a", b"x")
            broker.start()
        assert {type(down) for down in got.downs} == {LinkDownError}


async def test_it_starts_before_the_broker_does(tmp_path: Path) -> None:
    broker = MosquittoBroker(tmp_path / "b")
    async with consumer_link(settings(broker.port)) as (link, got):
        await got.until(lambda: len(got.downs) == 3)
        with broker:
            await got.until(lambda: link.up)
    assert (got.retry.successes, got.retry.refusals) == (1, 0)


@pytest.mark.parametrize(
    ("code", "fault", "says"),
    [
        ("84", AccessRefusedError, 'write protocol = "3.1.1"'),
        ("86", AccessRefusedError, "does not let us in"),
        ("87", AccessRefusedError, "does not let us in"),
        ("88", LinkDownError, "refused the connection"),
    ],
)
async def test_the_reason_of_a_refused_connection_is_told_apart(code: str, fault: type[Exception], says: str) -> None:
    async with server(bytes.fromhex(f"200300{code}00")) as us:
        one = ConsumerConnection(us, "one", lambda _topic, _payload: None)
        with pytest.raises(fault, match=says):
            await one.open()
        await one.close()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("e0018e", TakenOverError),
        ("e0028e00", TakenOverError),
        ("e00187", AccessRefusedError),
        ("e0018b", LinkDownError),
        ("e000", LinkDownError),
        ("", LinkDownError),
    ],
)
async def test_the_reason_of_an_end_is_told_apart(answer: str, fault: type[Exception]) -> None:
    if version("paho-mqtt").startswith("2.1."):  # the client's lower bound does not tell why the broker ended it
        fault = LinkDownError
    async with server(CONNACK, bytes.fromhex(answer)) as us, consumer_link(us) as (_, got):
        await got.until(lambda: bool(got.downs))
        assert type(got.downs[0]) is fault
        assert (got.retry.failures, got.retry.refusals) == ((1, 0) if fault is LinkDownError else (0, 1))


@pytest.mark.parametrize(
    ("hostile", "expected"),
    [
        ("30060002fffe0041", ProtocolViolationError),  # a topic that is not UTF-8
        ("3006000223620041", ProtocolViolationError),  # a topic with a wildcard
        ("300600ff6162630041", BusError),  # lengths that do not fit: newer versions of paho just end the connection
        ("ff05ffffffffff", BusError),
        ("4001", BusError),
    ],
)
async def test_hostile_bytes_end_the_connection_and_nothing_is_left_after_two_keepalives(
    hostile: str, expected: type[BusError]
) -> None:
    before = len(asyncio.all_tasks())
    async with server(CONNACK, bytes.fromhex(hostile)) as us:
        async with consumer_link(replace(us, keepalive=1)) as (_, got):
            await got.until(lambda: bool(got.downs))
            assert isinstance(got.downs[0], expected)
            assert got.retry.refusals == isinstance(got.downs[0], ProtocolViolationError)
        await until(lambda: len(asyncio.all_tasks()) <= before, pause=0.05)


async def test_a_wrong_password_is_a_refusal_and_the_file_is_read_again(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("wrong\n")
    with MosquittoBroker(tmp_path / "b", ("allow_anonymous false",)) as broker:
        us = replace(settings(broker.port), username="pit", password_file=secret)
        async with consumer_link(us) as (_, got):
            await got.until(lambda: bool(got.downs))
            assert isinstance(got.downs[0], AccessRefusedError)
            assert "wrong" not in str(got.downs[0])
            secret.unlink()
            await got.until(lambda: "password cannot be read" in str(got.downs[-1]))
            broker.kill()
            broker.start(("allow_anonymous true",))
            secret.write_text("right\n")
            await got.until(lambda: got.ups == 1)


async def test_no_broker_no_name_and_a_deaf_listener_are_all_just_down() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        us = replace(settings(deaf.getsockname()[1]), answer_seconds=0.1)
        async with consumer_link(us) as (_, got):
            await got.until(lambda: bool(got.downs))
            assert "refused" in str(got.downs[0])
        deaf.listen()
        async with consumer_link(us) as (_, got):
            await got.until(lambda: bool(got.downs))
            assert "timed out" in str(got.downs[0])
        peer, _ = deaf.accept()
        with peer:
            peer.settimeout(PATIENCE_S)
            while peer.recv(100):  # what was asked, and then that nothing is left of the attempt
                pass
    async with consumer_link(replace(settings(1883), host="no.such.host.invalid")) as (_, got):
        await got.until(lambda: bool(got.downs))
        assert "no connection to no.such.host" in str(got.downs[0])


async def test_an_attempt_that_is_cancelled_leaves_nothing_behind() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        async with consumer_link(replace(settings(deaf.getsockname()[1]), answer_seconds=0.1)):
            await asyncio.sleep(0)
        peer, _ = deaf.accept()
        with peer:
            peer.settimeout(PATIENCE_S)
            while peer.recv(100):
                pass


async def test_a_refused_subscription_is_named() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK)
        while (await reader.read(1)) != b"\x82":
            pass
        writer.write(bytes.fromhex("9004") + (await reader.read(3))[1:] + bytes.fromhex("0087"))
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        us = settings(listening.sockets[0].getsockname()[1])
        async with consumer_link(us, ("table/2",)) as (_, got):
            await got.until(lambda: bool(got.downs))
            assert isinstance(got.downs[0], PublishRefusedError)
            assert "refuses the subscription to table/2" in str(got.downs[0])
            assert got.retry.refusals == 1


async def test_a_connection_that_ends_as_soon_as_it_is_made_is_down_and_the_link_does_not_hang() -> None:
    """The library forgets an end that comes together with the CONNACK: the reason is lost, not the fact."""
    async with server(CONNACK + bytes.fromhex("e0018e")) as us, consumer_link(us) as (_, got):
        await got.until(lambda: len(got.downs) > 1)
        assert all(isinstance(each, LinkDownError | TakenOverError) for each in got.downs)


async def test_calls_fail_at_once_when_the_broker_dies(broker: MosquittoBroker) -> None:
    async with consumer_connection(settings(broker.port)) as (one, receiving):
        broker.freeze()
        calls = [asyncio.create_task(one.publish("a", b"x"), name="call") for _ in range(5)]
        calls.append(asyncio.create_task(one.subscribe(["b"]), name="call"))
        await asyncio.sleep(0)
        broker.kill()
        outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), PATIENCE_S)
        assert {type(outcome) for outcome in outcomes} == {LinkDownError}
        assert "before the broker answered" in str(outcomes[0])
        with pytest.raises(LinkDownError):
            await receiving


async def test_a_frozen_broker_owes_an_answer_for_a_short_time_only(
    broker: MosquittoBroker,
) -> None:
    async with consumer_connection(replace(settings(broker.port, keepalive=60), answer_seconds=0.2)) as (one, _):
        broker.freeze()
        with pytest.raises(LinkDownError, match="did not answer"):
            await one.publish("a", b"x")
        broker.thaw()


@pytest.mark.slow
async def test_a_frozen_broker_is_noticed_by_an_idle_connection_too(broker: MosquittoBroker) -> None:
    async with consumer_connection(settings(broker.port, keepalive=2)) as (_, receiving):
        broker.freeze()
        with pytest.raises(LinkDownError):
            await asyncio.wait_for(receiving, PATIENCE_S)


async def test_a_bug_of_the_consumer_ends_the_link_and_is_told(broker: MosquittoBroker) -> None:
    def broken(_topic: str, _payload: bytes) -> None:
        raise ZeroDivisionError("a bug")

    got = Received()
    link = ConsumerLink(
        settings(broker.port), "one", ["a"], on_message=broken, on_up=got.up, on_down=got.down, retry=got.retry
    )  # fmt: skip
    async with connection(settings(broker.port), "table") as (table, _):
        await table.send("a", b"x", retain=True)  # it comes before the subscription is answered
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(link.run(), PATIENCE_S)
        assert not link.up


async def test_a_connection_over_tls_with_certificates_on_both_sides(tmp_path: Path) -> None:
    config = (
        "allow_anonymous true",
        f"certfile {CERT}",
        f"keyfile {KEY}",
        f"cafile {CERT}",
        "require_certificate true",
    )
    with MosquittoBroker(tmp_path / "b", config) as broker:
        us = replace(settings(broker.port), ca=CERT, cert=CERT, key=KEY)
        async with connection(us, "table") as (table, _), consumer_link(us) as (_, got):
            await got.until(lambda: got.ups == 1)
            for _ in range(300):
                table.send("a/b", b"x" * 2_000)
            await got.until(lambda: len(got.messages) == 300)
        for broken in (replace(us, cert=None, key=None), settings(broker.port)):
            async with consumer_link(broken) as (_, got):
                await got.until(lambda: bool(got.downs))
                assert isinstance(got.downs[0], LinkDownError)


async def test_a_publish_that_the_acl_forbids_costs_nothing_but_the_answer(tmp_path: Path) -> None:
    folder = tmp_path / "guarded"
    folder.mkdir()
    (folder / "acl").write_text("user weak\ntopic read #\ntopic free\n")
    with MosquittoBroker(folder, ("allow_anonymous true", f"acl_file {folder / 'acl'}")) as broker:
        async with consumer_link(login(settings(broker.port), "weak"), ("free",)) as (link, got):
            await got.until(lambda: link.up)
            await link.publish("table/2", b"x")
            await link.publish("free", b"y")
            await got.until(lambda: got.messages == [("free", b"y")])
            assert got.downs == []
