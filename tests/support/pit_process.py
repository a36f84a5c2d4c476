"""What the rest of the machine does to the judge process of a pit, and what can be seen of it from there."""

import asyncio
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fake_manager import FakeManager
from samples import Samples

METRICS = '\n[metrics]\nsocket = "metrics"\n'


@contextmanager
def frozen(manager: FakeManager) -> Iterator[None]:
    """The process does nothing for a while, and its connections stay: keep it shorter than a keepalive."""
    assert manager.process is not None
    manager.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        manager.process.send_signal(signal.SIGCONT)


@contextmanager
def busy_disk(folder: Path) -> Iterator[None]:
    """Nothing is committed for a while, at most 15 s: another process has the judge's journal locked."""
    with closing(journal_of(folder)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def journal_of(folder: Path) -> sqlite3.Connection:
    """The judge's journal of all tables, as another process opens it."""
    return sqlite3.connect(folder / "journals" / "judge.sqlite", isolation_level=None)


async def samples(folder: Path) -> Samples:
    """What the process measures, if its files say `METRICS`."""
    reader, writer = await asyncio.open_unix_connection(folder / "tables" / "metrics.judge")
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return Samples(answer.decode().split("\r\n\r\n", 1)[1])
