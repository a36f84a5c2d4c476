"""Process of a pit, from its first table to SIGTERM.

Threat: one table. Its bug, its flood or its damaged rows must not delay another table's verdict. So each half runs
under a supervisor of its own, and after a failure it recovers from the journal with a delay.
"""

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from pitwarden.config.models import MetricsSection
from pitwarden.metrics.meter import Meter
from pitwarden.metrics.server import MetricsExporter
from pitwarden.pit.group_report import group_line, group_probe, group_samples
from pitwarden.pit.registry import Reread, TableFileResult, TableRegistry
from pitwarden.pit.table_supervisor import SharedResources
from pitwarden.seal.keys import key_paths, load_private_keys, load_trusted_keys
from pitwarden.system.process import STOP_S, install_stop_signals, tune_gc
from pitwarden.system.service_manager import SystemdNotifier, Watchdog
from pitwarden.system.tasks import Probe
from pitwarden.system.version import VERSION

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PitContext:
    """Inputs of a pit's process. `metrics` is where the metrics are served, None for nowhere."""

    reread: Reread
    notifier: SystemdNotifier
    meter: Meter
    metrics: MetricsSection | None = None


async def run_pit(given: Sequence[TableFileResult], outside: PitContext) -> int:
    """Judge all tables until SIGTERM or SIGINT.

    Returns:
        The exit code.

    Raises:
        KeyFileError: A key cannot be used. Nothing was opened.
        JournalError: A journal cannot be opened.
    """
    tune_gc()
    stop, hangup = asyncio.Event(), asyncio.Event()
    files = [(one.path, one.file) for one in given if one.file is not None]
    for _, file in files:
        keys = key_paths(file.storage.keys)
        # The keys of every table before any journal is opened: a pit must not start with some of its tables.
        load_private_keys(keys.judge), load_trusted_keys(keys.field)
    with install_stop_signals({signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: hangup}):
        try:
            async with asyncio.timeout(None) as limit, contextlib.AsyncExitStack() as stack:
                shared = SharedResources(outside.meter)
                stack.push_async_callback(shared.close)
                section = next((file.judge_group for _, file in files if file.judge_group is not None), None)
                if section is not None:
                    await shared.join_group(section)
                for _, file in files:
                    await shared.journal(file)
                async with asyncio.TaskGroup() as group:
                    tables = TableRegistry(shared, group)
                    for path, file in files:
                        tables.start(path, file)
                    ours = _ours(tables, outside, group, hangup)
                    # Apart from those: the lease must last until every table was given back.
                    membership = [] if shared.group is None else [group.create_task(shared.group.member.run())]
                    await asyncio.sleep(0)  # READY means that the loop runs: every task has had its first turn
                    outside.notifier.ready(_status_line(tables))
                    await stop.wait()
                    limit.reschedule(asyncio.get_running_loop().time() + STOP_S)
                    outside.notifier.stopping()
                    for task in ours:
                        task.cancel()
                    await asyncio.wait(ours)
                    await tables.end_all()
                    for task in membership:
                        task.cancel()
                    _log.info("stopped")
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("stopped at the deadline", seconds=STOP_S)
    return 0


def _status_line(tables: TableRegistry) -> str:
    return "; ".join([tables.status_line(), *([] if tables.group is None else [group_line(tables.group)])])


def _ours(
    tables: TableRegistry, outside: PitContext, group: asyncio.TaskGroup, hangup: asyncio.Event
) -> list[asyncio.Task[None]]:
    """Start the tasks that run in addition to the tables."""
    exporter = MetricsExporter(outside.metrics, "judge", outside.meter)

    group_of_judges = tables.group

    def shown() -> str:
        return "; ".join([_status_line(tables), *exporter.status_lines()])

    def probes() -> list[Probe]:
        return tables.probes() + ([] if group_of_judges is None else [group_probe(group_of_judges)])

    if group_of_judges is not None:
        outside.meter.watch(partial(group_samples, group_of_judges))

    async def reloads() -> None:
        while True:
            await hangup.wait()
            hangup.clear()
            outside.notifier.reloading(round(asyncio.get_running_loop().time() * 1_000_000))
            await tables.reload(await asyncio.to_thread(outside.reread))
            exporter.reopen()
            outside.notifier.ready(shown())

    _log.info("running", tables=tables.count, only="judge", version=VERSION)
    watchdog = Watchdog(outside.notifier, probes, shown)
    return [
        group.create_task(watchdog.run(), name="watchdog"),
        group.create_task(watchdog.show_changes(), name="status line"),
        group.create_task(reloads(), name="reloads"),
        group.create_task(exporter.run(), name="metrics"),
    ]
