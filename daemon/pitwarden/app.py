"""The service for one table: builds the halves that the table file asks for, runs them, and stops them in order."""

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

import structlog

from pitwarden.config.models import TableFile
from pitwarden.field.half import FieldHalf
from pitwarden.halves import field_half, judge_half
from pitwarden.journal.faults import JournalUnwritableError
from pitwarden.journal.field import FieldJournal
from pitwarden.journal.judge import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden.metrics.exporter import Exporter
from pitwarden.metrics.meter import Meter
from pitwarden.notify import Notifier
from pitwarden.reloads import Reloads, Reread
from pitwarden.seal.key_files import KeyFiles, key_files, private_keys, trusted_keys
from pitwarden.seal.keys import load_public, load_signing, public_path
from pitwarden.starting import Folded, started
from pitwarden.stopping import STOP_S, signals
from pitwarden.watchdog import Watchdog

_log = structlog.get_logger()

Half = Literal["field", "judge"]


async def run(
    file: TableFile,
    *,
    only: Half | None,
    keys: KeyFiles | None = None,
    notifier: Notifier | None = None,
    reread: Reread | None = None,
    meter: Meter | None = None,
) -> int:
    """Runs until SIGTERM or SIGINT; the exit code. KeyFileError before anything is opened.

    `keys` stand elsewhere than the table file says when systemd hands them over; SIGHUP asks `reread` for the file.
    """
    keys = keys or key_files(file.storage.keys)
    _load(keys, only)
    stop, hangup = asyncio.Event(), asyncio.Event()
    with signals({signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: hangup}):
        try:
            async with asyncio.timeout(None) as limit, contextlib.AsyncExitStack() as stack:
                service = Service(file, notifier or Notifier(), reread, stop, hangup, only, meter or Meter())
                folded = Folded()
                halves = await started(_halves(service, keys, folded, stack), stop, service.notifier, folded)
                if halves is not None:
                    await _serve(halves, service, limit)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("stopped at the deadline", seconds=STOP_S)
    return 0


def _load(keys: KeyFiles, only: Half | None) -> None:
    """Reads every key once: the log of a service that cannot judge shall not even begin an epoch."""
    if only != "judge":
        load_signing(keys.field), load_public(public_path(keys.judge))
    if only != "field":
        private_keys(keys.judge), trusted_keys(keys.field)


@dataclass(frozen=True, slots=True)
class Service:
    """What one run is asked and told by the outside."""

    file: TableFile
    notifier: Notifier
    reread: Reread | None
    stop: asyncio.Event
    hangup: asyncio.Event
    only: Half | None
    meter: Meter


async def _serve(halves: Sequence[FieldHalf | JudgeHalf], service: Service, limit: asyncio.Timeout) -> None:
    """READY, then work, then an ordered stop that `limit` bounds."""
    name = f"{service.file.table.site}/{service.file.table.table}"
    exporter = Exporter(service.file.metrics, service.only, service.meter)
    links = [half.link for half in halves]
    reloads = Reloads(service.file, service.notifier, service.reread, links, exporter.reopen)

    def shown() -> str:
        return f"{name}: {'; '.join([*(half.shown() for half in halves), *reloads.shown(), *exporter.shown()])}"

    parts = [each for half in halves for each in half.parts()]
    watchdog = Watchdog(service.notifier, lambda: parts, shown)
    async with asyncio.TaskGroup() as group:
        ours = [
            group.create_task(watchdog.run(), name="watchdog"),
            group.create_task(reloads.run(service.hangup, shown), name="reloads"),
            group.create_task(exporter.run(), name="metrics"),
        ]
        working = [group.create_task(half.run(service.stop), name=type(half).__name__) for half in halves]
        _log.info("running", table=name, only=service.only or "both", version=version("pitwarden"))
        await asyncio.sleep(0)  # READY says that the loop runs: every task has had its first turn
        service.notifier.ready(shown())
        await service.stop.wait()
        limit.reschedule(asyncio.get_running_loop().time() + STOP_S)
        service.notifier.stopping()
        await asyncio.wait(working)
        for task in ours:
            task.cancel()
    _log.info("stopped")


async def _halves(
    service: Service, keys: KeyFiles, folded: Folded, stack: contextlib.AsyncExitStack
) -> list[FieldHalf | JudgeHalf]:
    file, only, meter = service.file, service.only, service.meter
    halves: list[FieldHalf | JudgeHalf] = []
    try:
        file.storage.journals.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{file.storage.journals}: {error.strerror}. Make it a folder of this account's"
        raise JournalUnwritableError(reason) from None
    if only != "judge":
        field = await FieldJournal.open(file.storage.journals / "field.sqlite")
        stack.push_async_callback(field.close)
        halves.append(await field_half(file, keys, meter, field))
    if only != "field":
        judge = await JudgeJournal.open(file.storage.journals / "judge.sqlite")
        stack.push_async_callback(judge.close)
        halves.append(await judge_half(file, keys, meter, judge, on_folded=folded.one))
    return halves
