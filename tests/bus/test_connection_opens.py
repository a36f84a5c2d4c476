"""How a connection is made, or refused."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError, PublishRefusedError
from testkit.brokers.clients import settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

pytestmark = pytest.mark.broker


CONNACK = bytes.fromhex("2003000000")


@pytest.mark.parametrize(
    ("code", "fault"), [("86", AccessRefusedError), ("87", AccessRefusedError), ("88", LinkDownError)]
)
async def test_the_reasons_of_a_refused_connection_differ(code: str, fault: type[Exception]) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes.fromhex(f"200300{code}00"))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = Connection(settings(server.sockets[0].getsockname()[1]), "one", lambda _: None)
        with pytest.raises(fault):
            await one.open()
        await one.dropped()


async def test_a_wrong_password_is_a_refusal_and_the_file_is_read_again(tmp_path: Path) -> None:
    secret, folder = tmp_path / "password", tmp_path / "b"
    secret.write_text("wrong\n")
    folder.mkdir()
    (folder / "acl").write_text("topic #\n")
    with MosquittoBroker(folder, ("allow_anonymous false",)) as broker:
        us = replace(settings(broker.port), username="field", password_file=secret)
        refused = Connection(us, "field", lambda _: None)
        with pytest.raises(AccessRefusedError, match=f"127.0.0.1:{broker.port} does not let us in") as error:
            await refused.open()
        assert "wrong" not in str(error.value)
        await refused.dropped()
        secret.unlink()
        with pytest.raises(AccessRefusedError, match="password cannot be read"):
            Connection(us, "field", lambda _: None)


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
            peer.settimeout(PATIENCE_S)
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
            peer.settimeout(PATIENCE_S)
            assert peer.recv(100) == b""


async def test_nothing_is_sent_or_subscribed_on_a_connection_that_is_not_there(broker: MosquittoBroker) -> None:
    one = Connection(settings(broker.port), "one", lambda _: None)
    with pytest.raises(LinkDownError, match="not there yet"):
        await one.send("a", b"ghost")
    await one.open()
    one.drop()
    await one.dropped()
    with pytest.raises(LinkDownError, match="not there yet"):
        await one.send("a", b"x")
    with pytest.raises(LinkDownError, match="before subscribing"):
        await one.subscribe_all(["a"])


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
            await one.subscribe_all(["a"])
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
            await one.subscribe_all(["table/1", "table/2"])
        one.drop()
        await one.dropped()
