"""Supervisor of one table's judge, which restarts it after a failure, and the resources that tables share."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from pitwarden.bus.link import may_always_publish
from pitwarden.bus.reachability import broker_answers
from pitwarden.config.models import JudgeGroupSection, TableFile
from pitwarden.journal.errors import JournalError, JournalFencedError
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.judge.intake import FairShare
from pitwarden.metrics.meter import Meter
from pitwarden.pit.group import new_seat, open_group
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import key_paths
from pitwarden.service.build import build_judge_half
from pitwarden.service.judge_startup import RecoveryProgress, cancel_on_stop
from pitwarden.service.reload import broker_settings
from pitwarden.system.process import freeze_gc
from pitwarden.system.tasks import Probe
from pitwarden_client.backoff import LinkBackoff

if TYPE_CHECKING:
    from pitwarden.judge.half import JudgeHalf
    from pitwarden.judge_group.group import JudgeGroup
    from pitwarden.judge_group.seat import TableSeat


# Tables that fold at the same time. The processor limits them: more at once would all be late together.
AT_ONCE: Final = 4


class SharedResources:
    """Resources of one process: journals, meter, fair share, start limit. `close` them after the last table."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.fair_share = FairShare()
        self.starting = asyncio.Semaphore(AT_ONCE)
        self.group: JudgeGroup | None = None
        self._journals: dict[Path, JudgeJournal] = {}
        self._opening = asyncio.Lock()
        self._stack = contextlib.AsyncExitStack()

    async def join_group(self, section: JudgeGroupSection) -> None:
        """Become a member of the group of judges whose database the tables of this process name.

        Raises:
            JournalError: The database cannot be used, or its library is not installed.
        """
        self.group = open_group(section)
        self._stack.push_async_callback(self.group.close)
        await self.group.open()

    async def journal(self, file: TableFile) -> JudgeRecord:
        """Return the record of a table. Tables whose files name the same folder share one, and its commits.

        Raises:
            JournalError: It cannot be opened.
        """
        if self.group is not None:
            return self.group.record
        place: Path = (file.storage.journals / "judge.sqlite").resolve()
        async with self._opening:
            if place not in self._journals:
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                opened = self._journals[place] = await JudgeJournal.open(place)
                self._stack.push_async_callback(opened.close)
        return self._journals[place]

    async def close(self) -> None:
        """Commit what waits, and close every journal."""
        await self._stack.aclose()


_log = structlog.get_logger()


class TableSupervisor:
    """Supervisor of the table whose file is at `path`. `failure` names what ended its judge, until it runs again."""

    def __init__(self, path: Path, file: TableFile, shared: SharedResources) -> None:
        self.path, self.file, self._shared = path, file, shared
        self.name = table_name(file)
        self.failure = ""
        self.probes: tuple[Probe, ...] = ()
        """Probes for the watchdog."""
        self._half: JudgeHalf | None = None
        self._stop = asyncio.Event()
        self._has_run = False
        self._seat: TableSeat | None = None

    @property
    def judged(self) -> bool:
        """True while its judge runs."""
        return self._half is not None

    def reconnect(self, path: Path, file: TableFile) -> None:
        """Connect again to the broker of `file`, with certificates and passwords as they are now."""
        self.path, self.file = path, file
        if self._half is not None:
            self._half.link.reconnect(broker_settings(file))

    def end(self) -> None:
        """Let `run` stop the judge in order and return."""
        self._stop.set()
        if self._seat is not None:
            self._seat.ending.set()

    async def run(self) -> None:
        """Judge the table until `end` is called. After each failure the judge recovers from the journal."""
        retry = LinkBackoff()
        while not self._stop.is_set():
            try:
                await (self._once(self._stop) if self._shared.group is None else self._once_owned(self._shared.group))
            except Exception as error:  # noqa: BLE001  any failure is this table's own: the others continue
                cause = _cause(error)
                if isinstance(cause, JournalFencedError):
                    _log.warning("table lost", table=self.name, reason=str(cause))
                    self._rest()
                    continue
                self._half, self.probes, self.failure = None, (), type(cause).__name__
                self._shared.meter.forget(self.name)
                _log.error("table fell", table=self.name, error=self.failure, reason=_publishable_reason(cause))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), retry.after_failure())
        self._rest()
        if self._shared.group is not None and self._seat is not None:
            self._shared.group.member.retire(self._seat)

    def _rest(self) -> None:
        self._half, self.probes = None, ()
        self._shared.meter.forget(self.name)

    async def _once_owned(self, group: "JudgeGroup") -> None:
        """Judge the table as long as this process owns it."""
        if self._seat is None:
            self._seat = new_seat(self.file, lambda: broker_answers(broker_settings(self.file)))
            group.member.join(self._seat)
        seat, owned = self._seat, group
        try:
            claim = await cancel_on_stop(owned.member.own(seat), self._stop)
            if claim is None:
                return
            if self._stop.is_set():
                seat.ending.set()
            await self._once(seat.ending, lambda: owned.book.may_speak(claim))
            await owned.record.finish(claim)
        finally:
            self._rest()
            await owned.member.give_back(seat)

    async def _once(self, ending: asyncio.Event, may_publish: Callable[[], bool] = may_always_publish) -> None:
        shared, fold = self._shared, RecoveryProgress()
        # Without a limit, all tables of a large pit would recover slowly together, instead of some of them early.
        async with shared.starting:
            file = self.file
            making = build_judge_half(
                file, key_paths(file.storage.keys), shared.meter, await shared.journal(file),
                fair_share=shared.fair_share, may_publish=may_publish, on_folded=fold.count_row,
            )  # fmt: skip
            self._watch(fold.probe())
            half = await cancel_on_stop(making, ending)
        if half is None:
            return
        half.link.reconnect(broker_settings(self.file))  # a reload may have arrived during the recovery
        self._half, self.failure = half, ""
        if not self._has_run:
            self._has_run = True
            # After the first recovery most objects that live long exist.
            freeze_gc()
        self._watch(*half.probes())
        if self._seat is not None:
            self._seat.is_linked, self._seat.is_idle = lambda: half.link.up, half.is_between_rounds
            self._seat.resumed = half.speak_again
        await half.run(ending)

    def _watch(self, *parts: Probe) -> None:
        self.probes = tuple(replace(one, name=f"{self.name} {one.name}") for one in parts)


def table_name(file: TableFile) -> str:
    """Return the name of a table, for the journal and for people."""
    return f"{file.table.site}/{file.table.table}"


def _cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _publishable_reason(error: BaseException) -> str:
    """Return the sentence of an error that names only files and numbers; empty for others, which might quote a row."""
    return str(error) if isinstance(error, KeyFileError | JournalError) else ""
