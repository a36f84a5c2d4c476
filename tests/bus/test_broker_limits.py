"""Limits that a broker announces, and ours: messages under way, and the length of one message."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pitwarden.bus.connection import LONGEST_PACKET, Connection
from pitwarden.bus.paho_loop import NO_LIMIT
from pitwarden_client.events.codec import MAX_BYTES
from pitwarden_client.mqtt.errors import LinkDownError, MessageTooLargeError
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

MAXIMUM = 3
LATE_S = 0.02


@dataclass
class StrictBroker:
    """A listener with a Receive Maximum of `MAXIMUM`: it acknowledges late, and ends a connection that exceeds it."""

    port: int = 0
    most: int = 0
    exceeded: bool = False
    deaf: bool = False
    topics: list[bytes] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        unacknowledged: list[bytes] = []
        reading = asyncio.create_task(_packet(reader))
        while not self.exceeded:
            done, _ = await asyncio.wait({reading}, timeout=LATE_S)
            if not done:
                if unacknowledged and not self.deaf:
                    writer.write(b"\x40\x02" + unacknowledged.pop(0))
                continue
            kind, body = reading.result()
            if kind == 0:
                break
            reading = asyncio.create_task(_packet(reader))
            if kind == 0x10:
                writer.write(bytes([0x20, 6, 0, 0, 3, 0x21, 0, MAXIMUM]))
            elif kind & 0xF0 == 0x30:
                end = 2 + int.from_bytes(body[:2])
                self.topics.append(body[2:end])
                unacknowledged.append(body[end : end + 2])
                self.most = max(self.most, len(unacknowledged))
                self.exceeded = len(unacknowledged) > MAXIMUM
        reading.cancel()
        writer.close()
        self.ended.set()


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the first byte and the body of the next packet; zero and nothing at the end."""
    try:
        kind = (await reader.readexactly(1))[0]
        length = shift = 0
        while True:
            digit = (await reader.readexactly(1))[0]
            length |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                return kind, await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return 0, b""


@asynccontextmanager
async def strict_broker() -> AsyncIterator[StrictBroker]:
    """Run one on a free port."""
    made = StrictBroker()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as server:
        made.port = server.sockets[0].getsockname()[1]
        yield made
        await asyncio.wait_for(made.ended.wait(), PATIENCE_S)


async def test_no_more_is_under_way_than_the_broker_lets() -> None:
    async with strict_broker() as broker, connection(settings(broker.port), "one") as (one, _):
        sent = [one.send(f"a/{number}", b"x") for number in range(40)]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*sent)
        assert (broker.most, broker.exceeded) == (MAXIMUM, False)
        assert broker.topics == [b"a/%d" % number for number in range(40)]
        assert not one.lost.done()


async def test_what_waits_for_its_turn_fails_with_the_connection() -> None:
    async with strict_broker() as broker, connection(settings(broker.port), "one") as (one, _):
        broker.deaf = True
        sent = [one.send("a", b"x") for _ in range(10)]
        sent[-1].cancel()
        one.drop()
        found = await asyncio.wait_for(asyncio.gather(*sent, return_exceptions=True), PATIENCE_S)
        assert {type(each) for each in found} == {LinkDownError, asyncio.CancelledError}
        assert broker.most <= MAXIMUM


@pytest.mark.broker
async def test_a_message_over_the_broker_s_limit_is_named_and_not_sent(tmp_path: Path) -> None:
    with MosquittoBroker(tmp_path / "b", ("allow_anonymous true", "max_packet_size 1200")) as broker:
        async with connection(settings(broker.port), "one", ("a",)) as (one, notes):
            assert one.packet_limit == 1_200
            with pytest.raises(MessageTooLargeError, match="a: a message of 2065 bytes, and this broker takes 1200"):
                await one.send("a", b"x" * 2_000)
            await one.send("a", b"y" * 1_000)
            await notes.until(lambda: bool(notes.messages))
            assert not one.lost.done()


@pytest.mark.broker
async def test_a_broker_without_limits_gets_what_a_row_needs_and_sends_no_more_than_that(
    broker: MosquittoBroker,
) -> None:
    async with (
        connection(settings(broker.port), "stranger") as (stranger, _),
        connection(settings(broker.port), "one", ("a/b",)) as (one, notes),
    ):
        assert one.packet_limit == NO_LIMIT
        await stranger.send("a/b", bytes(MAX_BYTES))
        await stranger.send("a/b", bytes(2 * LONGEST_PACKET))
        await stranger.send("a/b", b"after it")
        await notes.until(lambda: len(notes.messages) == 2)
        assert [len(payload) for payload in notes.payloads("a/b")] == [MAX_BYTES, 8]


def test_a_connection_that_is_not_open_has_the_limits_of_the_standard() -> None:
    async def made() -> tuple[int, int]:
        one = Connection(settings(1), "one", lambda _: None)
        return one.receive_maximum, one.packet_limit

    assert asyncio.run(made()) == (65_535, NO_LIMIT)
