"""Service of one table: builds the halves that the table file requires, runs them, and stops them in order."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

import structlog

from pitwarden.config.models import TableFile
from pitwarden.field.half import FieldHalf
from pitwarden.journal.errors import JournalError, JournalUnwritableError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden.metrics.meter import Meter
from pitwarden.metrics.server import MetricsExporter
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import (
    KeyPaths,
    key_paths,
    load_private_keys,
    load_public,
    load_signing,
    load_trusted_keys,
    public_path,
)
from pitwarden.service.build import build_field_half, build_judge_half
from pitwarden.service.judge_startup import DeferredJudge, cancel_on_stop
from pitwarden.service.reload import ReloadHandler, Reread
from pitwarden.system.process import STOP_S, freeze_gc, install_stop_signals, tune_gc
from pitwarden.system.service_manager import SystemdNotifier, Watchdog
from pitwarden.system.version import VERSION
from pitwarden_client.events.topics import Half

_log = structlog.get_logger()


async def run_service(
    file: TableFile,
    *,
    only: Half | None,
    keys: KeyPaths | None = None,
    notifier: SystemdNotifier | None = None,
    reread: Reread | None = None,
    meter: Meter | None = None,
) -> int:
    """Run until SIGTERM or SIGINT.

    Args:
        file: Table file.
        only: Half to run; None for both.
        keys: Key files, when systemd passes them; None for those of the table file.
        notifier: Client of the service manager.
        reread: Reads the table file again, on SIGHUP.
        meter: Metrics of the process.

    Returns:
        The exit code.

    Raises:
        KeyFileError: A key cannot be used. Nothing was opened.
        JournalError: A journal cannot be opened or used.
    """
    keys = keys or key_paths(file.storage.keys)
    tune_gc()
    _load(keys, only)
    service = ServiceContext(file, keys, notifier or SystemdNotifier(), reread, only, meter or Meter())
    with install_stop_signals(
        {signal.SIGTERM: service.stop, signal.SIGINT: service.stop, signal.SIGHUP: service.hangup}
    ):
        try:
            async with asyncio.timeout(None) as limit, contextlib.AsyncExitStack() as stack:
                await _serve(service, stack, limit)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("stopped at the deadline", seconds=STOP_S)
    if service.fault is not None:
        raise service.fault
    return 0


def _load(keys: KeyPaths, only: Half | None) -> None:
    """Read every key once: without its judge, the service must not even open an epoch in the log."""
    if only != "judge":
        load_signing(keys.field), load_public(public_path(keys.judge))
    if only != "field":
        load_private_keys(keys.judge), load_trusted_keys(keys.field)


@dataclass(slots=True)
class ServiceContext:
    """Inputs and signals of one run. `fault`: why a judge could not start, which stops the rest."""

    file: TableFile
    keys: KeyPaths
    notifier: SystemdNotifier
    reread: Reread | None
    only: Half | None
    meter: Meter
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    hangup: asyncio.Event = field(default_factory=asyncio.Event)
    fault: JournalError | KeyFileError | None = None

    def failed(self, fault: JournalError | KeyFileError) -> None:
        """Record that the judge cannot start. The field half stops in order, then `fault` is raised."""
        self.fault = fault
        self.stop.set()


async def _serve(service: ServiceContext, stack: contextlib.AsyncExitStack, limit: asyncio.Timeout) -> None:
    """Open the journals, report READY, run, and stop in order. `limit` bounds the stop."""
    name = f"{service.file.table.site}/{service.file.table.table}"
    exporter = MetricsExporter(service.file.metrics, service.only, service.meter)
    reloads = ReloadHandler(service.file, service.notifier, service.reread, exporter.reopen)
    halves = await cancel_on_stop(_opened(service, reloads, stack), service.stop)
    if halves is None:
        return

    def shown() -> str:
        lines = (*(half.status_line() for half in halves), *reloads.status_lines(), *exporter.status_lines())
        simulated = "SIMULATED: " if service.file.table.simulated else ""
        return f"{simulated}{name}: {'; '.join(lines)}"

    watchdog = Watchdog(service.notifier, lambda: [each for half in halves for each in half.probes()], shown)
    async with asyncio.TaskGroup() as group:
        ours = [
            group.create_task(watchdog.run(), name="watchdog"),
            group.create_task(watchdog.show_changes(), name="status line"),
            group.create_task(reloads.run(service.hangup, shown), name="reloads"),
            group.create_task(exporter.run(), name="metrics"),
        ]
        working = [group.create_task(half.run(service.stop), name=type(half).__name__) for half in halves]
        _log.info("running", table=name, only=service.only or "both", version=VERSION)
        await asyncio.sleep(0)  # READY means that the loop runs: every task has had its first turn
        freeze_gc()  # what a start has built stays; it delays no card as a search, and no stop
        service.notifier.ready(shown())
        await service.stop.wait()
        limit.reschedule(asyncio.get_running_loop().time() + STOP_S)
        service.notifier.stopping()
        # The halves end first: the watchdog and the status line must still work while they commit and disconnect.
        await asyncio.wait(working)
        for task in ours:
            task.cancel()
    _log.info("stopped")


async def _opened(
    service: ServiceContext, reloads: ReloadHandler, stack: contextlib.AsyncExitStack
) -> list[FieldHalf | DeferredJudge]:
    """Return the halves on their opened journals. No row is logged when the judge's journal is refused."""
    file, keys, meter = service.file, service.keys, service.meter
    halves: list[FieldHalf | DeferredJudge] = []
    try:
        file.storage.journals.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{file.storage.journals}: {error.strerror}. Make it a folder of this account's"
        raise JournalUnwritableError(reason) from None
    if service.only != "judge":
        log = await FieldJournal.open(file.storage.journals / "field.sqlite")
        stack.push_async_callback(log.close)
        half = await build_field_half(file, keys, meter, log)
        reloads.add(half.link)
        halves.append(half)
    if service.only != "field":
        record = await JudgeJournal.open(file.storage.journals / "judge.sqlite")
        stack.push_async_callback(record.close)

        def fold(on_folded: Callable[[], None]) -> Coroutine[object, object, JudgeHalf]:
            return build_judge_half(file, keys, meter, record, on_folded=on_folded)

        halves.append(DeferredJudge(fold, reloads.add, service.failed))
    return halves
