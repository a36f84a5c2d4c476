"""Signed heads that a consumer kept from the bus prove what the table's own files cannot: that they are the newest."""

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(180)]


async def verify(folder: Path, *witness: str) -> tuple[int | None, str]:
    """Return exit code and words of `pitwarden journal verify` on the table's own files."""
    words = ["journal", "verify", "--config", str(folder / "table.toml"), *witness]
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pitwarden.cli", *words, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await made.communicate()
    return made.returncode, said.decode()


def told_of_the_newest_epoch(rig: LiveTable) -> bool:
    topics, epoch = rig.recorder.topics, rig.recorder.epochs[-1].encode()
    told = {topic for topic, payload in rig.recorder.raw if epoch in payload}
    return {topics.head, topics.record} <= told


def keep(rig: LiveTable, file: Path) -> list[str]:
    """Append what `mosquitto_sub -t head -t record` prints; return the arguments for it."""
    topics = rig.recorder.topics
    file.write_bytes(b"".join(p + b"\n" for topic, p in rig.recorder.raw if topic in {topics.head, topics.record}))
    return ["--witness", str(file)]


def journals(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.sqlite") if path.parent.name != "earlier")


def copy(folder: Path) -> dict[Path, Path]:
    """Copy the journals of a stopped table; return the copy of each."""
    (folder / "earlier").mkdir()
    return {path: Path(shutil.copy(path, folder / "earlier")) for path in journals(folder)}


async def test_a_rollback_of_both_journals_is_seen_by_what_a_consumer_kept(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(1)
        assert await rig.stop() == 0
        earlier = copy(tmp_path)
        await rig.start()
        await rig.ready(2)
        await rig.recorder.until(lambda: told_of_the_newest_epoch(rig), PATIENCE_S, "the heads of the second epoch")
        assert await rig.stop() == 0
        witness = keep(rig, tmp_path / "ta01.heads")
        code, said = await verify(tmp_path, *witness)
        assert code == 0, said
        assert " signed heads; " in said
        assert " signed ends of the record; " in said
        for path, kept in earlier.items():
            shutil.copy(kept, path)
        code, said = await verify(tmp_path)
        assert code == 0, said
        code, said = await verify(tmp_path, *witness)
        assert code == 1
        assert "older_copy at log: " in said
        assert "older_copy at judge: " in said
