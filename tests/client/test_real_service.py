"""The client on the real service: the whole log by replay, every reveal proved, and over a kill into the next epoch."""

import asyncio
from pathlib import Path

import pytest

from pitwarden_client import BrokerSettings, ChainBreak, ConsumerConfig, Cursor, LogItem, OutputItem, connect
from pitwarden_simulators.table.setup import TABLES
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.live_table import table


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_the_log_of_a_real_table_is_read_whole_and_on_into_the_next_epoch(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    def consumer(cursor: Cursor, *, follow: bool) -> ConsumerConfig:
        settings = BrokerSettings("127.0.0.1", broker.port)
        return ConsumerConfig(settings, "rig", "cb-auto", "historian", cursor, follow=follow)

    async with table(TABLES["cb-auto"], broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(2)
        live = dict(rig.recorder.rows)
        async with connect(consumer(Cursor(), follow=False)) as events:
            items = [item async for item in events]
            assert events.stale() == ()
        rows = {(item.at.epoch, item.at.number): item.body for item in items if isinstance(item, LogItem)}
        reveals = [item for item in items if isinstance(item, OutputItem) and b'"blind":' in item.body]
        assert rows.items() >= live.items(), "all that was live before the replay"
        assert [number for _, number in rows] == list(range(1, len(rows) + 1))
        assert len(reveals) > 10
        assert all(item.proved for item in reveals)
        await rig.kill()
        await rig.start()
        async with asyncio.timeout(60), connect(consumer(items[-1].cursor, follow=True)) as events:
            async for item in events:
                assert not isinstance(item, ChainBreak)
                assert not isinstance(item, LogItem) or item.body not in rows.values()
                if isinstance(item, LogItem) and (item.at.epoch, 1) not in rows:
                    assert item.at.number == 1
                    break
            else:
                pytest.fail("the stream ended before the new epoch began")
