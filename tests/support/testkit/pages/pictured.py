"""A pit whose pages are the same at each run: stored nights, tables in all states, and a clock that stands still."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pitwarden_client import Cursor, Item
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import open_database
from pitwarden_console.store.projection import rebuild
from pitwarden_console.store.shelves import Shelf
from pitwarden_console.store.writer import TableProgress, open_progress
from pitwarden_console.web.hub import LiveHub
from testkit.pages.application import application
from testkit.pages.fed_tables import FedTable
from testkit.pages.served import served
from testkit.pages.stored_tables import HARBOR, SteppedClock, sqlite_url, store_night

_FILE = """
[site]
name = "silent"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
shifts = ["06:00", "14:00", "22:00"]
[broker]
host = "127.0.0.1"
[web]
sign_in = false
"""
NAMES = ("tab-shielded", "cb-manual", "bj-03", "bj-04", "bj-05", "bj-06")


@asynccontextmanager
async def pictured_pit(
    folder: Path, nights: dict[str, tuple[Item, ...]], states: dict[str, TableState]
) -> AsyncIterator[str]:
    """Yield the address of the pages.

    Args:
        folder: Where the store and the console file are.
        nights: What is stored, by table.
        states: Last state of each table that is live; the others of `NAMES` were never received.
    """
    url, clock = sqlite_url(folder), SteppedClock()
    for table, items in nights.items():
        await store_night(url, table, items)
    file = folder / "console.toml"
    file.write_text(_FILE + "".join(f'[[table]]\nname = "{name}"\npit = "Pit A"\n' for name in NAMES))
    async with open_database(url) as database:
        for name in NAMES:
            await open_progress(database, "silent", name)
        await rebuild(database, load_priorities(), HARBOR)
        board = PitBoard(clock, load_priorities())
        for number, name in enumerate(NAMES, start=1):
            fed = FedTable(TableKey("Pit A", "silent", name), TableProgress(number, Cursor(), 0, simulated=False))
            fed.view.state = states.get(name)
            fed.reasons = () if name in states else ("this table has never been received",)
            board.add(fed)
        hub = LiveHub(board)
        watch = AlarmWatch(database, board, clock, hub.mark)
        aside = board.snapshots[TableKey("Pit A", "silent", "bj-03")].open[:1]
        for item in aside:
            made = Shelf(0, 3, item.ref, "f17", "the technician is on the way", clock.utc, clock.utc + 900_000)
            await board.shelves.put(database, made)
        for key in list(board.snapshots):
            board.mark(key)
        board.refresh()
        async with served(application(file, database, board, hub, clock, watch=watch)) as address:
            yield address
