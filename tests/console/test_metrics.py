"""Metrics of the console: only where they are switched on, one value a line, and nothing of a card or a person."""

import re
from pathlib import Path

from pitwarden_client.events.outputs import TableState
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import open_database
from pitwarden_console.web.hub import LiveHub
from testkit.pages.application import application
from testkit.pages.asgi import request
from testkit.pages.fed_tables import FedTable
from testkit.pages.people import FILE
from testkit.pages.stored_tables import SteppedClock, sqlite_url

LINE = re.compile(
    r"# (?:HELP|TYPE) pitwarden_console_\w+ .+|pitwarden_console_\w+(?:\{(?:\w+=\"[a-z0-9-]+\",?)+\})? \d+"
)


async def answer(folder: Path, state: TableState, settings: str) -> tuple[int, str]:
    file = folder / "console.toml"
    file.write_text(FILE.format(site="silent", host="127.0.0.1").replace("[web]\n", f"[web]\n{settings}"))
    clock = SteppedClock()
    board = PitBoard(clock, load_priorities())
    table = FedTable(TableKey("Pit A", "silent", "tab-shielded"))
    table.view.state = state
    board.add(table)
    async with open_database(sqlite_url(folder)) as database:
        made = await request(application(file, database, board, LiveHub(board), clock), "/metrics")
    return made.status, made.text


async def test_the_metrics_count_tables_and_alarms(tmp_path: Path, ten: TableState) -> None:
    status, text = await answer(tmp_path, ten, "metrics = true\n")
    assert status == 200
    assert [line for line in text.splitlines() if not LINE.fullmatch(line)] == []
    assert 'pitwarden_console_tables{live="yes"} 1' in text
    assert 'pitwarden_console_alarms{priority="1",state="unacknowledged",simulated="yes"} 1' in text
    assert "pitwarden_console_sounding 1" in text
    assert "TAB-37" not in text


async def test_without_the_setting_there_are_none(tmp_path: Path, ten: TableState) -> None:
    status, text = await answer(tmp_path, ten, "")
    assert status == 404
    assert "pitwarden_console_tables" not in text
