"""Tables over one connection: each is read whole, and keyed for with a login of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden_client import BrokerSettings, BusError, ConsumerConfig, LogItem, TableClient, TerminalInput, connect_all
from pitwarden_client.events.floor import FtTableOpen
from pitwarden_client.mqtt.connection import ConsumerConnection
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

TABLES = ("cb-auto", "tab-shielded")
OPEN = TerminalInput(id="i1", person="f1", as_of=None, act=FtTableOpen())


@pytest.fixture
def nights() -> dict[str, tuple[PublishedMessage, ...]]:
    """Return a night of each table; they are played where no loop runs."""
    return {
        "cb-auto": published_night("cb-auto", "1", 3, "shoe_jam"),
        "tab-shielded": published_night("tab-shielded", "2", 2),
    }


@pytest.fixture
def guarded(tmp_path: Path) -> MosquittoBroker:
    """Return a broker, not started, where the board reads, the floor keys, and neither may do what the other does."""
    folder = tmp_path / "guarded"
    folder.mkdir()
    (folder / "acl").write_text(
        "topic #\n"
        "user board\ntopic read pitwarden/#\ntopic write pitwarden/v1/silent/+/replay/board/request\n"
        "user floor\ntopic write pitwarden/v1/silent/+/inputs/floor/pad\n"
        "topic read pitwarden/v1/silent/+/inputs/floor/pad/replies\n"
    )
    return MosquittoBroker(folder, ("allow_anonymous true", f"acl_file {folder / 'acl'}"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str | None]:
    """Count the connections that clients open, by login."""
    counted: Counter[str | None] = Counter()

    class Counted(ConsumerConnection):
        def __init__(self, broker: BrokerSettings, client_id: str, on_message: Callable[[str, bytes], None]) -> None:
            counted[broker.username] += 1
            super().__init__(broker, client_id, on_message)

    monkeypatch.setattr("pitwarden_client.mqtt.link.ConsumerConnection", Counted)
    return counted


async def rows_of(table: TableClient) -> list[bytes]:
    return [item.body async for item in table if isinstance(item, LogItem)]


@pytest.mark.broker
async def test_tables_share_a_connection_and_inputs_have_their_own(
    guarded: MosquittoBroker,
    tmp_path: Path,
    nights: dict[str, tuple[PublishedMessage, ...]],
    opened: Counter[str | None],
) -> None:
    settings = BrokerSettings("127.0.0.1", guarded.port, username="board")
    keying = replace(settings, username="floor")
    consumers = [ConsumerConfig(settings, "silent", name, "board", follow=False, keying=keying) for name in TABLES]
    for name in TABLES:
        (tmp_path / name).mkdir()
    with guarded:
        async with (
            replayed_table(TABLES[0], nights[TABLES[0]], guarded.port, tmp_path / TABLES[0]) as first,
            replayed_table(TABLES[1], nights[TABLES[1]], guarded.port, tmp_path / TABLES[1]) as second,
        ):
            await asyncio.gather(first.publish_next(), second.publish_next())
            async with connect_all(consumers) as tables:
                assert [table.keying_fault for table in tables] == ["not connected to the broker yet"] * 2
                assert await asyncio.gather(*map(rows_of, tables)) == [first.rows, second.rows]
                await until(lambda: not any(table.keying_fault for table in tables), pause=0.01)
                replies = await asyncio.gather(*(table.key("floor", "pad", OPEN) for table in tables))
                assert [reply.accepted for reply in replies] == [True, True]
                assert [[each.id for _, each in table.keyed] for table in (first, second)] == [["i1"], ["i1"]]
                guarded.kill()
                await until(lambda: all(table.keying_fault and table.now.link_fault for table in tables), pause=0.01)
                with pytest.raises(BusError):
                    await tables[0].key("floor", "pad", OPEN)
    assert opened["board"] >= 1
    assert opened.keys() == {"board", "floor"}


@pytest.mark.broker
async def test_a_group_opens_one_connection_whatever_its_size(
    broker: MosquittoBroker, opened: Counter[str | None]
) -> None:
    settings = BrokerSettings("127.0.0.1", broker.port)
    consumers = [ConsumerConfig(settings, "silent", f"t{number}", "board") for number in range(107)]
    async with connect_all(consumers) as tables:
        await until(lambda: not any(table.now.link_fault or table.keying_fault for table in tables), pause=0.01)
    assert opened == {None: 1}


async def test_tables_that_cannot_share_a_connection_are_refused() -> None:
    one = ConsumerConfig(BrokerSettings("127.0.0.1"), "silent", "t1", "board")
    for others, reason in (
        ((), "one broker, one name"),
        ((one, replace(one, table="t2", name="wall")), "one broker, one name"),
        ((one, replace(one, table="t2", keying=BrokerSettings("elsewhere"))), "one login for inputs"),
        ((one, one), "occurs twice"),
        ((one, replace(one, table="t/2")), "no identifier"),
    ):
        with pytest.raises(ValueError, match=reason):
            async with connect_all(others):
                pass
