import asyncio
import socket
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import aiomqtt
import paho.mqtt.client
import pytest

from broker import Broker
from bus_people import Notes, connection, login, settings
from pitwarden.bus.client import MAX_PENDING, PAHO_PRIVATE_NAMES, PRIVATE_NAMES, Connection
from pitwarden.bus.faults import (
    AccessRefusedError,
    LinkDownError,
    OverloadedError,
    PublishRefusedError,
    TakenOverError,
)
from pitwarden.bus.message import Message

pytestmark = pytest.mark.broker


async def test_the_private_names_are_those_of_the_pinned_library(broker: Broker) -> None:
    assert (version("aiomqtt"), version("paho-mqtt")) == ("2.5.1", "2.2.0")
    plain = aiomqtt.Client("127.0.0.1", broker.port)
    assert [name for name in PRIVATE_NAMES if not hasattr(plain, name)] == []
    assert [name for name in PAHO_PRIVATE_NAMES if not hasattr(paho.mqtt.client.Client, name)] == []
    own = {name for name in vars(Connection) if name.startswith("_on_")}
    assert own <= set(PRIVATE_NAMES)


async def test_what_is_sent_is_heard_in_order_without_delay(broker: Broker) -> None:
    async with (
        connection(settings(broker.port), "one") as (one, _),
        connection(settings(broker.port), "two", ("a/#",)) as (two, notes),
    ):
        assert not two.session_present
        for number in range(50):
            await one.send("a/b", b"%d" % number)
        await notes.until(lambda: len(notes.messages) == 50)
        assert notes.payloads("a/b") == [b"%d" % number for number in range(50)]
        sock = one._client.socket()  # noqa: SLF001  no public way to the socket's options
        assert isinstance(sock, socket.socket)
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_retained_messages_say_so_and_live_ones_do_not(broker: Broker) -> None:
    async with connection(settings(broker.port), "one", ("a",)) as (one, live):
        await one.send("a", b"x", retain=True)
        await live.until(lambda: bool(live.messages))
        async with connection(settings(broker.port), "two", ("a",)) as (_, late):
            await late.until(lambda: bool(late.messages))
            assert [m.retained for m in (*live.messages, *late.messages)] == [False, True]
            assert "b'x'" not in repr(live.messages)


async def test_an_unacknowledged_message_stays_with_the_broker(tmp_path: Path) -> None:
    config = ("allow_anonymous true", "max_inflight_messages 1")
    with Broker(tmp_path / "b", config) as broker:
        slow = Notes()

        def keep(message: Message) -> None:
            slow.messages.append(message)
            slow.news.set()

        hold = Connection(settings(broker.port), "hold", keep)
        await hold.open()
        await hold.listen(["a"])
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
def guarded(tmp_path: Path) -> Broker:
    """Not started: two logins without passwords, of which `weak` may write nothing but `free`."""
    folder = tmp_path / "guarded"
    folder.mkdir()
    (folder / "acl").write_text("user strong\ntopic #\nuser weak\ntopic read #\ntopic free\n")
    return Broker(folder, ("allow_anonymous true", f"acl_file {folder / 'acl'}"))


async def test_a_publish_that_the_acl_forbids_is_an_error_and_the_link_stays(guarded: Broker) -> None:
    with guarded:
        async with connection(login(settings(guarded.port), "weak"), "weak") as (weak, _):
            await weak.send("free", b"x")
            with pytest.raises(PublishRefusedError, match="Not authorized"):
                await weak.send("table/2", b"x")
            await weak.send("free", b"y")


async def test_a_second_client_with_our_id_ends_the_first(broker: Broker) -> None:
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
async def test_the_reason_of_an_end_is_told_apart_and_hostile_bytes_are_just_an_end(
    answer: bytes, fault: type[Exception]
) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        await one.open()
        assert type(await asyncio.wait_for(one.lost, 5)) is fault
        await one.dropped()


@pytest.mark.parametrize(
    ("code", "fault"), [("86", AccessRefusedError), ("87", AccessRefusedError), ("88", LinkDownError)]
)
async def test_the_reason_of_a_refused_connection_is_told_apart(code: str, fault: type[Exception]) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes.fromhex(f"200300{code}00"))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        with pytest.raises(fault):
            await one.open()
        await one.dropped()


async def test_a_wrong_password_is_a_refusal_and_the_file_is_read_anew(tmp_path: Path) -> None:
    secret, folder = tmp_path / "password", tmp_path / "b"
    secret.write_text("wrong\n")
    folder.mkdir()
    (folder / "acl").write_text("topic #\n")
    with Broker(folder, ("allow_anonymous false",)) as broker:
        us = replace(settings(broker.port), username="field", password_file=secret)
        refused = Connection(us, "field", lambda _: None)
        with pytest.raises(AccessRefusedError, match=f"127.0.0.1:{broker.port} does not let us in") as error:
            await refused.open()
        assert "wrong" not in str(error.value)
        await refused.dropped()
        secret.unlink()
        with pytest.raises(AccessRefusedError, match="password cannot be read"):
            Connection(us, "field", lambda _: None)


async def test_pending_publishes_fail_at_once_when_the_broker_dies(broker: Broker) -> None:
    async with connection(settings(broker.port), "one") as (one, _):
        broker.freeze()
        pending = [one.send("a", b"x") for _ in range(20)]
        broker.kill()
        outcomes = await asyncio.wait_for(asyncio.gather(*pending, return_exceptions=True), 5)
        assert {type(outcome) for outcome in outcomes} == {LinkDownError}
        assert isinstance(one.lost.result(), LinkDownError)


async def test_a_frozen_broker_is_noticed_by_what_it_owes(broker: Broker) -> None:
    async with connection(settings(broker.port, keepalive=2), "one") as (one, notes):
        broker.freeze()
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(LinkDownError, match="owes an acknowledgement for 2 s"):
            await one.send("a", b"x")
        assert loop.time() - began < 1.5 * 2
        await notes.until(one.lost.done)


@pytest.mark.slow
async def test_a_frozen_broker_is_noticed_by_an_idle_connection_too(broker: Broker) -> None:
    async with connection(settings(broker.port, keepalive=2), "one") as (one, _):
        broker.freeze()
        assert isinstance(await asyncio.wait_for(one.lost, 8), LinkDownError)


async def test_what_waits_for_the_broker_is_bounded(broker: Broker) -> None:
    async with connection(settings(broker.port), "one") as (one, _):
        broker.freeze()
        pending = [one.send("a", b"x") for _ in range(MAX_PENDING)]
        with pytest.raises(OverloadedError):
            await one.send("a", b"x")
        assert not any(each.done() for each in pending)
        broker.thaw()
        await asyncio.wait_for(asyncio.gather(*pending), 20)


async def test_no_broker_no_name_and_a_deaf_listener_are_all_just_down() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        closed = Connection(settings(deaf.getsockname()[1]), "one", lambda _: None)
        with pytest.raises(LinkDownError, match="refused"):
            await closed.open()
        await closed.dropped()
        deaf.listen()
        silent = Connection(settings(deaf.getsockname()[1]), "one", lambda _: None)
        with pytest.raises(LinkDownError, match="no answer in time"):
            await silent.open()
        await silent.dropped()
    nameless = Connection(replace(settings(1883), host="no.such.host.invalid"), "one", lambda _: None)
    with pytest.raises(LinkDownError, match=r"no connection to no\.such\.host"):
        await nameless.open()
    await nameless.dropped()


async def test_an_attempt_that_is_cancelled_leaves_nothing_behind() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        one = Connection(settings(deaf.getsockname()[1]), "one", lambda _: None)
        attempt = asyncio.create_task(one.open(), name="attempt")
        await asyncio.sleep(0)
        attempt.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attempt
        await one.dropped()
        peer, _ = deaf.accept()
        with peer:
            peer.settimeout(5)
            assert peer.recv(100) == b""


@pytest.mark.parametrize("gone", ["before", "after"])
async def test_a_thread_that_connects_after_everybody_left_finds_nothing_to_do(gone: str) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        one = Connection(settings(deaf.getsockname()[1]), "one", lambda _: None)
        if gone == "before":
            one.drop()
            with pytest.raises(OSError, match="given up"):
                one._client_connect()  # noqa: SLF001  what the thread does
        else:
            one._client_connect()  # noqa: SLF001  what the thread does
            one.drop()
        await one.dropped()
        peer, _ = deaf.accept()
        with peer:
            peer.settimeout(5)
            assert peer.recv(100) == b""


async def test_nothing_is_sent_or_subscribed_on_a_connection_that_is_not_there(broker: Broker) -> None:
    one = Connection(settings(broker.port), "one", lambda _: None)
    with pytest.raises(LinkDownError, match="not there yet"):
        await one.send("a", b"ghost")
    await one.open()
    one.drop()
    await one.dropped()
    with pytest.raises(LinkDownError, match="not there yet"):
        await one.send("a", b"x")
    with pytest.raises(LinkDownError, match="before subscribing"):
        await one.listen(["a"])


async def test_a_connection_that_ends_instead_of_a_suback_is_down() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK)
        while (await reader.read(1)) not in (b"\x82", b""):
            pass
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        await one.open()
        with pytest.raises(LinkDownError, match="no answer to a subscription"):
            await one.listen(["a"])
        one.drop()
        await one.dropped()


async def test_a_refused_subscription_is_named() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CONNACK)
        while (await reader.read(1)) != b"\x82":
            pass
        writer.write(bytes.fromhex("9005") + (await reader.read(3))[1:] + bytes.fromhex("000187"))
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        await one.open()
        with pytest.raises(PublishRefusedError, match="refuses the subscription to table/2"):
            await one.listen(["table/1", "table/2"])
        one.drop()
        await one.dropped()


async def test_a_caller_that_no_longer_waits_is_let_be(broker: Broker) -> None:
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


async def test_the_will_speaks_when_we_are_dropped_and_is_silent_after_a_goodbye(broker: Broker) -> None:
    async with connection(settings(broker.port), "watch", ("will",)) as (_, notes):
        async with connection(settings(broker.port), "polite", will=("will", b"polite")) as (polite, _):
            await polite.goodbye()
        async with connection(settings(broker.port), "gone", will=("will", b"gone")):
            pass
        await notes.until(lambda: bool(notes.messages))
        assert notes.payloads("will") == [b"gone"]


async def test_a_bug_in_our_callback_ends_the_connection_and_is_told(broker: Broker) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("a bug")

    one = Connection(settings(broker.port), "one", broken)
    await one.open()
    await one.listen(["a"])
    one.send("a", b"x")
    assert isinstance(await asyncio.wait_for(one.lost, 5), ZeroDivisionError)
    await one.dropped()
