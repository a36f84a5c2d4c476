"""The screen's program without a terminal: what it shows as it stands, and whose faults it does not swallow."""

import asyncio

from textual.widgets import Static

from pitwarden.cli.acts import parse_act
from pitwarden.watch.app import WatchApp
from pitwarden.watch.session import Operator, WatchedTable
from pitwarden.watch.view_model import TableViewModel
from pitwarden_client import BrokerSettings, ConsumerConfig, connect
from pitwarden_client.events.floor import FtTableOpen
from testkit.clocks.waiting import PATIENCE_S

NOWHERE = ConsumerConfig(BrokerSettings("127.0.0.1", 1), "silent", "cb-auto", "watch")


async def test_brackets_in_what_is_said_are_shown_and_not_read_as_markup() -> None:
    async with connect(NOWHERE) as table:
        app = WatchApp([WatchedTable("cb-auto", table, TableViewModel())], None, parse_act)
        async with app.run_test() as pilot:
            app._set_sentence("'[/bold]' is no act")  # noqa: SLF001  as every fault is told
            await pilot.pause()
            assert "[/bold]" in str(app.query_one("#said", Static).render())


async def test_nothing_is_keyed_on_what_is_stale() -> None:
    async with connect(NOWHERE) as table:
        app = WatchApp([WatchedTable("cb-auto", table, TableViewModel())], Operator("floor", "f1", "pad"), parse_act)
        async with app.run_test() as pilot:
            app._send(FtTableOpen())  # noqa: SLF001  a line that was opened before the link went
            await pilot.pause()
            assert "nothing is keyed on it" in str(app.query_one("#said", Static).render())


async def test_a_bug_in_the_client_ends_the_screen_and_says_so() -> None:
    def broken() -> None:
        raise LookupError("a bug")

    async with connect(NOWHERE, broken) as table, asyncio.timeout(PATIENCE_S):
        app = WatchApp([WatchedTable("cb-auto", table, TableViewModel())], None, parse_act)
        await app.run_async(headless=True)
    assert app.return_code == 1
