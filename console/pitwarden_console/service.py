"""The running console: a reader for each table, the sender of live parts, and the HTTP server."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Protocol

import uvicorn

from pitwarden_client import ConsumerConfig
from pitwarden_client.events.base import Role
from pitwarden_console.acts.input_link import RoleInputLink
from pitwarden_console.acts.keying import Keying
from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.caller_link import CallerLink
from pitwarden_console.alarms.escalation import CallStep
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.clock import ConsoleClock, MachineClock
from pitwarden_console.errors import ConsoleError
from pitwarden_console.ingest.feed import TableFeed, TableKey
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.demo_accounts import make_demo_accounts, refuse_demo_accounts
from pitwarden_console.people.pseudonyms import Pseudonyms, PseudonymTask
from pitwarden_console.priorities import load_priorities
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.settings.sections import TableEntry
from pitwarden_console.store.calls import CallBook
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.recent import restore_activity
from pitwarden_console.store.shelves import ShelfBook
from pitwarden_console.store.writer import TableWriter, open_progress
from pitwarden_console.web.application import ConsoleApplication, ConsoleParts
from pitwarden_console.web.hub import LiveHub

_FAREWELL_S: Final = 2  # streams end at their next beat
_LOG: Final = logging.getLogger("pitwarden_console")


class _Server(uvicorn.Server):
    """HTTP server whose end is requested by `should_exit` alone: the service handles the signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the service."""
        yield


async def serve(settings: ConsoleSettings, *, demo: bool = False) -> None:
    """Run until SIGTERM or SIGINT. A `demo` has accounts whose password everyone knows.

    Raises:
        ConsoleError: The store cannot be opened, the address is in use, or demo accounts are where no demo is.
    """
    clock = MachineClock()
    priorities = load_priorities()
    async with open_database(settings.store_url) as database:
        if demo:
            await make_demo_accounts(settings, database, clock.utc_ms())
        else:
            await refuse_demo_accounts(database)
        shelves = ShelfBook()
        await shelves.load(database)
        board = PitBoard(clock, priorities, shelves)
        hub = LiveHub(board)
        watch = AlarmWatch(database, board, clock, hub.mark)
        link, desk = _calls(settings, database, board, watch, clock)
        feeds = [await _feed(entry, settings, database, clock, hub) for entry in settings.file.table]
        for feed in feeds:
            board.add(feed)
        audit = Audit(database, clock)
        links = _input_links(settings)
        keying = Keying(links, audit, clock)
        await keying.resume()
        app = ConsoleApplication(settings, ConsoleParts(database, board, hub, clock, audit, keying, watch, desk))
        web = settings.file.web
        server = _Server(
            uvicorn.Config(
                app.asgi(), host=web.host, port=web.port, lifespan="off", log_config=None, access_log=False,
                server_header=False, proxy_headers=False, timeout_graceful_shutdown=_FAREWELL_S,
            )
        )  # fmt: skip
        calling: list[_Runner] = [] if link is None or desk is None else [link, desk]
        async with _running([*feeds, hub, watch, *calling, *links.values(), *_timed(settings, database, clock)]):
            try:
                await _serve_until_signal(server, hub, f"{web.host}:{web.port}")
            finally:
                await keying.close()


async def _serve_until_signal(server: uvicorn.Server, hub: LiveHub, address: str) -> None:
    def stop() -> None:
        hub.close()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        _LOG.info("console started address=http://%s", address)
        await server.serve()
    except SystemExit:
        raise ConsoleError(f"the pages cannot be served at {address}: the address is in use, or is not ours") from None
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _feed(
    entry: TableEntry, settings: ConsoleSettings, database: HistoryDatabase, clock: ConsoleClock, hub: LiveHub
) -> TableFeed:
    site = settings.file.site.name
    key = TableKey(entry.pit, site, entry.name)
    progress = await open_progress(database, site, entry.name)
    activity = await restore_activity(database, progress.table_id)
    consumer = ConsumerConfig(
        settings.broker, site, entry.name, settings.file.broker.name, progress.cursor, trusted=entry.trusted
    )
    writer = TableWriter(database, progress, settings.time, clock, load_priorities())
    return TableFeed(key, consumer, writer, activity, lambda: hub.mark(key))


def _input_links(settings: ConsoleSettings) -> Mapping[Role, RoleInputLink]:
    section = settings.file.keying
    if section is None:
        return {}
    names = [entry.name for entry in settings.file.table]
    site = settings.file.site.name
    return {
        role: RoleInputLink(broker, role, section.terminal, site, names)
        for role, broker in settings.input_brokers().items()
    }


def _calls(
    settings: ConsoleSettings, database: HistoryDatabase, board: PitBoard, watch: AlarmWatch, clock: ConsoleClock
) -> tuple[CallerLink, CallDesk] | tuple[None, None]:
    """Return the way to the caller and the `CallDesk`; None where the console file has no calls."""
    section, socket = settings.file.calls, settings.caller_socket
    if section is None or socket is None:
        return None, None
    steps = [
        CallStep(one.to, {1: one.stop_s * 1_000} | ({} if one.soon_s is None else {2: one.soon_s * 1_000}))
        for one in section.step
    ]
    link = CallerLink(socket)
    book = CallBook(database)
    return link, CallDesk(book, board, watch.floods, link, clock, time=settings.time, steps=steps)


def _timed(settings: ConsoleSettings, database: HistoryDatabase, clock: ConsoleClock) -> Sequence["_Runner"]:
    key, section = settings.pseudonym_key(), settings.file.retention
    if key is None or section is None:
        return ()
    return (PseudonymTask(database, Pseudonyms(key), section.person_days, clock),)


class _Runner(Protocol):
    async def run(self) -> None: ...


@asynccontextmanager
async def _running(runners: Sequence[_Runner]) -> AsyncIterator[None]:
    """Run everything while the block runs. A bug in one ends the console: it must not seem to run."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each.run(), name=type(each).__name__) for each in runners]
        yield
        for task in tasks:
            task.cancel()
