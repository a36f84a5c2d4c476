"""Faults of the disk, and hostile or repeated messages on the bus."""

import asyncio
import contextlib
import sqlite3
from random import Random
from typing import Final, Literal

from pitwarden_tools.campaign.fault_kind import Do, Kind
from pitwarden_tools.campaign.hostile import (
    say,
    send_input_again,
    send_junk,
    send_oversize,
    send_rows_again,
    send_stale_input,
    stale_input,
)
from pitwarden_tools.campaign.rig import Rig

Half = Literal["field", "judge"]


def _locked(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        path = rig.folder / "journals" / f"{half}.sqlite"
        with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(sqlite3.connect(path, timeout=0.2)) as sql:
            sql.isolation_level = None
            sql.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(random.uniform(0.2, 3))
            sql.execute("ROLLBACK")

    return do


def _refuses(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        part = rig.processes.part(half)
        wal = rig.folder / "journals" / f"{half}.sqlite-wal"
        rig.processes.limit_files(part, wal.stat().st_size if wal.exists() else 4_096)
        await asyncio.sleep(random.uniform(0.3, 2.5))
        rig.processes.limit_files(part, None)

    return do


async def _retained_input(rig: Rig, random: Random) -> None:
    """Leave a retained input at the broker for a field half that starts."""
    topic, part = rig.topics.input("dealer", "dealer-9"), rig.processes.part("field")
    await rig.processes.stop(part)
    await say(rig, topic, stale_input(random), retain=True)
    await rig.processes.start(part)
    await asyncio.sleep(1.5)
    await say(rig, topic, b"", retain=True)


KINDS: Final = (
    Kind("field_locked", "another process holds the field journal's write lock for up to 3 s", _locked("field")),
    Kind("judge_locked", "another process holds the judge journal's write lock for up to 3 s", _locked("judge")),
    Kind("field_disk", "the field journal cannot grow for up to 2.5 s", _refuses("field")),
    Kind("judge_disk", "the judge journal cannot grow for up to 2.5 s", _refuses("judge")),
    Kind("junk", "20 junk messages on the table's topics", send_junk),
    Kind("oversize", "messages of 300 kB", send_oversize),
    Kind("rows_again", "20 old rows of the log are published again", send_rows_again),
    Kind("input_again", "recorded inputs are sent again", send_input_again),
    Kind("input_stale", "an input that acted on another epoch", send_stale_input),
    Kind("input_retained", "a retained input waits for the field half's start", _retained_input),
)
