"""Published nights as items of the client, and stores that hold them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import time
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from pitwarden_client import Cursor, Item
from pitwarden_client.follower import Follower
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.priorities import load_priorities
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.writer import TableWriter, open_progress
from pitwarden_tools.simulation.halves import SITE
from testkit.consumers.published_night import published_night

HARBOR = SiteTime(ZoneInfo("America/New_York"), time(6))


class SteppedClock:
    """ConsoleClock of a console that tests set. It starts within the published nights."""

    def __init__(self, utc_ms: int = 1_772_474_460_000) -> None:
        self.utc = utc_ms
        self.monotonic = 5_000

    def utc_ms(self) -> int:
        return self.utc

    def monotonic_ms(self) -> int:
        return self.monotonic

    def step(self, ms: int) -> None:
        self.utc += ms
        self.monotonic += ms


@cache
def night_items(table: str, seed: str, rounds: int, *faults: str) -> tuple[Item, ...]:
    """Return what the client makes of a published night."""
    follower = Follower(f"/{SITE}/{table}/", Cursor(), "now", lambda: "request")
    follower.link(up=True)
    items: list[Item] = []
    for message in published_night(table, seed, rounds, *faults):
        if message.channel.name == "events":
            follower.row(message.payload, 0)
        elif message.channel.name in {"irregularities", "reveals"}:
            follower.output(message.payload, 0)
        while follower.items:
            items.append(follower.items.popleft())
    return tuple(items)


def sqlite_url(folder: Path) -> str:
    """Return the address of a store in `folder`."""
    return f"sqlite+aiosqlite:///{folder / 'console.sqlite'}"


@asynccontextmanager
async def writer_of(url: str, table: str, clock: ConsoleClock) -> AsyncIterator[tuple[HistoryDatabase, TableWriter]]:
    """Yield the store at `url`, and the writer of a table that continues from its committed position."""
    async with open_database(url) as database:
        progress = await open_progress(database, SITE, table)
        yield database, TableWriter(database, progress, HARBOR, clock, load_priorities())


async def store_night(url: str, table: str, items: Sequence[Item], batch: int = 500) -> None:
    """Store a night."""
    async with writer_of(url, table, SteppedClock()) as (_, writer):
        for first in range(0, len(items), batch):
            await writer.store(items[first : first + batch])
