"""Faults of the disk, and hostile or repeated messages on the bus."""

import asyncio
import contextlib
import sqlite3
from random import Random
from typing import Final, Literal

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.dealer_play import KpDeal
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.mqtt.errors import BusError
from pitwarden_tools.campaign.fault_kind import Do, Kind
from pitwarden_tools.campaign.rig import Rig

Half = Literal["field", "judge"]
HOSTILE: Final = "hostile-"
"""Prefix of the ids of inputs that must never be accepted."""


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


async def _junk(rig: Rig, random: Random) -> None:
    root = rig.topics.root
    topics = [
        f"{root}/events/shoe/shoe_card", f"{root}/what/is/this", rig.topics.input("dealer", "dealer-1"),
        rig.topics.state, rig.topics.position("judge"), rig.topics.replay_request("pit"), rig.topics.head,
    ]  # fmt: skip
    bodies = [b"", b"\x00\xff", b'{"n":NaN}', b"[" * 5_000, b'{"a":1,"a":2}', b"9" * 5_000, random.randbytes(300)]
    for _ in range(20):
        await _say(rig, random.choice(topics), random.choice(bodies))


async def _oversize(rig: Rig, random: Random) -> None:
    for topic in (f"{rig.topics.root}/events/shoe/shoe_card", rig.topics.input("floor", "floor-1")):
        await _say(rig, topic, random.randbytes(300_000))


async def _rows_again(rig: Rig, random: Random) -> None:
    end = rig.view.end()
    places = [random.randint(1, end.place) for _ in range(20)] if end else []
    for topic, body in rig.view.some(places):
        await _say(rig, topic, body)


async def _input_again(rig: Rig, random: Random) -> None:
    """Send a recorded input of a terminal once more."""
    sent = [message for message in rig.heard if "/inputs/" in message[0] and not message[0].endswith("/replies")]
    for topic, payload in random.sample(sent, min(10, len(sent))):
        await _say(rig, topic, payload)


async def _stale_input(rig: Rig, random: Random) -> None:
    await _say(rig, rig.topics.input("dealer", "dealer-1"), _stale(random))


async def _retained_input(rig: Rig, random: Random) -> None:
    """Leave a retained input at the broker for a field half that starts."""
    topic, part = rig.topics.input("dealer", "dealer-9"), rig.processes.part("field")
    await rig.processes.stop(part)
    await _say(rig, topic, _stale(random), retain=True)
    await rig.processes.start(part)
    await asyncio.sleep(1.5)
    await _say(rig, topic, b"", retain=True)


def _stale(random: Random) -> bytes:
    elsewhere = Position(epoch="elsewhere", number=random.randint(1, 99))
    act = TerminalInput(id=f"{HOSTILE}{random.getrandbits(40)}", person="x", as_of=elsewhere, act=KpDeal())
    return encode(act)


async def _say(rig: Rig, topic: str, payload: bytes, *, retain: bool = False) -> None:
    with contextlib.suppress(BusError):
        await rig.publish(topic, payload, retain=retain)


KINDS: Final = (
    Kind("field_locked", "another process holds the field journal's write lock for up to 3 s", _locked("field")),
    Kind("judge_locked", "another process holds the judge journal's write lock for up to 3 s", _locked("judge")),
    Kind("field_disk", "the field journal cannot grow for up to 2.5 s", _refuses("field")),
    Kind("judge_disk", "the judge journal cannot grow for up to 2.5 s", _refuses("judge")),
    Kind("junk", "20 junk messages on the table's topics", _junk),
    Kind("oversize", "messages of 300 kB", _oversize),
    Kind("rows_again", "20 old rows of the log are published again", _rows_again),
    Kind("input_again", "recorded inputs are sent again", _input_again),
    Kind("input_stale", "an input that acted on another epoch", _stale_input),
    Kind("input_retained", "a retained input waits for the field half's start", _retained_input),
)
