"""One judge process for a pit: a judge half for each table, its own connections and state, journals that are shared.

The adversary is one table: its bug, its flood or its damaged rows may not delay another's verdict. So each half runs
under a supervisor of its own, and one that falls is folded again from the journal after a while.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from pitwarden.bus.retry import LinkRetry
from pitwarden.config.models import TableFile
from pitwarden.halves import judge_half
from pitwarden.journal.judge import JudgeJournal
from pitwarden.metrics.meter import Meter
from pitwarden.notify import Notifier
from pitwarden.reloads import settings_of
from pitwarden.seal.key_files import key_files, private_keys, trusted_keys
from pitwarden.stopping import STOP_S, signals
from pitwarden.watchdog import Watchdog

if TYPE_CHECKING:
    from pitwarden.judge.half import JudgeHalf

AT_ONCE: Final = 16  # tables that fold at the same time
_NAMED: Final = 3

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pit:
    """What the tables of one process share."""

    journals: dict[Path, JudgeJournal]
    starting: asyncio.Semaphore
    stop: asyncio.Event
    meter: Meter


class Served:
    """One table of the pit under its supervisor."""

    def __init__(self, file: TableFile, pit: Pit) -> None:
        self.file, self._pit = file, pit
        self.name = f"{file.table.site}/{file.table.table}"
        self.half: JudgeHalf | None = None
        self.fallen = ""

    async def run(self) -> None:
        """Judges the table until the pit stops, from the journal again after each fall."""
        retry = LinkRetry()
        while not self._pit.stop.is_set():
            try:
                await self._once()
            except Exception as error:  # noqa: BLE001  whatever falls here is this table's own: the others judge on
                self.half, self.fallen = None, type(error).__name__
                _log.error("table fell", table=self.name, error=self.fallen)  # no text: it may quote a row
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._pit.stop.wait(), retry.after_failure())

    async def _once(self) -> None:
        pit, storage = self._pit, self.file.storage
        async with pit.starting:
            half = await judge_half(self.file, key_files(storage.keys), pit.meter, pit.journals[_place(self.file)])
        self.half, self.fallen = half, ""
        await half.run(pit.stop)


async def run_pit(files: Sequence[TableFile], *, notifier: Notifier | None = None, meter: Meter | None = None) -> int:
    """Judges all tables until SIGTERM or SIGINT; the exit code. KeyFileError before anything is opened."""
    notifier, stop = notifier or Notifier(), asyncio.Event()
    for file in files:
        keys = key_files(file.storage.keys)
        private_keys(keys.judge), trusted_keys(keys.field)
    hangup = asyncio.Event()
    with signals({signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: hangup}):
        try:
            async with asyncio.timeout(None) as limit, contextlib.AsyncExitStack() as stack:
                journals = await _journals(files, stack)
                pit = Pit(journals, asyncio.Semaphore(AT_ONCE), stop, meter or Meter())
                await _serve([Served(file, pit) for file in files], pit, notifier, hangup, limit)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("stopped at the deadline", seconds=STOP_S)
    return 0


async def _serve(
    tables: Sequence[Served], pit: Pit, notifier: Notifier, hangup: asyncio.Event, limit: asyncio.Timeout
) -> None:
    def shown() -> str:
        fallen = [f"{table.name} ({table.fallen})" for table in tables if table.fallen]
        judged = sum(table.half is not None for table in tables)
        lost = f"; FALLEN: {', '.join(fallen[:_NAMED])}{' and more' if len(fallen) > _NAMED else ''}" if fallen else ""
        return f"{judged} of {len(tables)} tables judged{lost}"

    async with asyncio.TaskGroup() as group:
        watchdog = group.create_task(Watchdog(notifier, (), shown).run(), name="watchdog")
        reloads = group.create_task(_reloads(tables, notifier, hangup, shown), name="reloads")
        working = [group.create_task(table.run(), name=f"table {table.name}") for table in tables]
        _log.info("running", tables=len(tables), only="judge", version=version("pitwarden"))
        await asyncio.sleep(0)  # READY says that the loop runs: every task has had its first turn
        notifier.ready(shown())
        await pit.stop.wait()
        limit.reschedule(asyncio.get_running_loop().time() + STOP_S)
        notifier.stopping()
        await asyncio.wait(working)
        watchdog.cancel()
        reloads.cancel()
    _log.info("stopped")


async def _reloads(
    tables: Sequence[Served], notifier: Notifier, hangup: asyncio.Event, shown: Callable[[], str]
) -> None:
    """Connects every table again when asked to, with certificates and passwords as they are now."""
    while True:
        await hangup.wait()
        hangup.clear()
        notifier.reloading(round(asyncio.get_running_loop().time() * 1_000_000))
        for table in tables:
            if table.half is not None:
                table.half.link.reconnect(settings_of(table.file))
        notifier.ready(shown())


async def _journals(files: Sequence[TableFile], stack: contextlib.AsyncExitStack) -> dict[Path, JudgeJournal]:
    opened: dict[Path, JudgeJournal] = {}
    for file in files:
        place = _place(file)
        if place not in opened:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened[place] = await JudgeJournal.open(place)
            stack.push_async_callback(opened[place].close)
    return opened


def _place(file: TableFile) -> Path:
    """Tables whose files name the same folder share a journal, and so its commits."""
    return (file.storage.journals / "judge.sqlite").resolve()
