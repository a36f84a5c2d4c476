"""One half of the service as a process: it is started, stopped, killed between any two of its steps, and restarted.

A killed process leaves its files as they are at that moment, and what it still does has no effect: its connections,
cables and files are dead before its tasks are cancelled. A power cut also takes away what was not synced.
"""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Protocol

from pitwarden.field.half import FieldHalf
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden_tools.simulation.faults import ArmedFaults, Half
from pitwarden_tools.simulation.files import (
    LIED,
    OK,
    SHORT_WRITE,
    SYNC_FAILED,
    WRITE_FAILED,
    FileFaults,
    SimulatedFiles,
)

PROCESS: ContextVar["SimulatedProcess"] = ContextVar("PROCESS")
"""Process whose code runs."""

# How long a call of a journal takes on a good disk, in seconds.
DISK_S: Final = (0.000_1, 0.003)
RESTART_S: Final = 2.0
"""After how long systemd starts a process that ended with an error."""


class ClosableFile(Protocol):
    """File that is open in this process."""

    def close(self) -> None:
        """Close it."""
        ...


class Closable(Protocol):
    """Connection or cable that a dead process no longer holds."""

    def broken(self, why: str) -> None:
        """End it from outside."""
        ...


Starter = Callable[["SimulatedProcess", str], Awaitable[FieldHalf | JudgeHalf]]


@dataclass
class SimulatedProcess:
    """One half of the service. `start_half` opens its journal, sets `journal`, and returns the half."""

    half: Half
    path: Path
    files: SimulatedFiles
    faults: ArmedFaults
    random: Random
    start_half: Starter
    leave_cables: Callable[[], None]
    dead: bool = True
    starts: int = 0
    slow_s: float = 0.0
    """Seconds that each call of the journal takes longer."""
    disk_error: int = OK
    """Code with which SQLite's writes end now."""
    disk_lies: bool = False
    """True while the disk claims to have synced, and has not."""
    connections: list[Closable] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    journal: FieldJournal | JudgeJournal | None = None
    databases: list[ClosableFile] = field(default_factory=list)
    """Open files of this process."""
    _starting: bool = False
    _refused: bool = False
    """True once the disk has refused a write since the last start."""
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the process is started, stopped or buried: faults that come at once wait for each other."""
    _task: asyncio.Task[None] | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _files: FileFaults | None = None
    _left: dict[Path, bytes | None] = field(default_factory=dict)

    def disk_seconds(self) -> float:
        """Return how long a call of the journal takes."""
        return self.random.uniform(*DISK_S) + self.slow_s

    async def start(self) -> None:
        """Start the process, if it does not run; return once it began to start."""
        async with self._turns:
            await self._begin()

    async def _begin(self) -> None:
        if self._task is not None:
            return
        self.dead, self._stop = False, asyncio.Event()
        self._files = self.files.watch(self.path)
        self._files.on_write, self._files.on_sync = self._written, self._synced
        self._task = asyncio.create_task(self._life(), name=f"simulated {self.half}")
        await asyncio.sleep(0)

    async def stop(self) -> None:
        """Stop the process as `systemctl stop` does."""
        async with self._turns:
            self._stop.set()
            if self._task is not None:
                await asyncio.wait({self._task})  # another fault may kill it meanwhile
            await self._buried()

    async def kill(self) -> None:
        """Kill the process, if it runs, and wait until nothing of it is left."""
        self.die()
        async with self._turns:
            await self._buried()

    def die(self, *, power: bool = False) -> None:
        """Kill the process now, in the middle of whatever it does. `power`: what was not synced is lost in part."""
        if self.dead:
            return
        self.dead = True
        self._left = {path: _content(path) for path in self._paths()}
        if power and self._files is not None:
            self._lose_unsynced(self._files)
        for connection in self.connections:
            connection.broken("the process was killed")
        self.connections.clear()
        self.leave_cables()
        if self._task is not None:
            self._task.cancel()

    def _paths(self) -> list[Path]:
        return [self.path.with_name(self.path.name + end) for end in ("", "-wal")]

    def _lose_unsynced(self, files: FileFaults) -> None:
        """Undo the writes that no sync covers: all from some point on, and any of those before it."""
        cut = self.random.randint(0, len(files.unsynced))
        for index, (name, at, before, size) in reversed(list(enumerate(files.unsynced))):
            content = self._left.get(Path(name))
            if content is None or (index < cut and self.random.random() < 0.7):  # noqa: PLR2004  most of those stay
                continue
            content = content[:at] + before + content[at + len(before) :]
            self._left[Path(name)] = content[:size] if index >= cut else content

    async def _buried(self) -> None:
        """Wait until the tasks have ended, and leave the files as they were when the process died."""
        task, self._task = self._task, None
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
        for database in self.databases:
            database.close()
        self.databases.clear()
        if self._files is not None:
            self.files.forget(self._files)
            self._files = None
        left, self._left = self._left, {}
        for path, content in left.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        if left:
            self.path.with_name(self.path.name + "-shm").unlink(missing_ok=True)
        self.dead = True

    async def _life(self) -> None:
        """Run the half until it is stopped or killed; start it again after an error, as systemd does."""
        PROCESS.set(self)
        while not self._stop.is_set() and not self.dead:
            self._refused = False
            try:
                await self._run_once()
            except Exception as error:  # noqa: BLE001  whatever a half ends with is judged
                self._ended_with(error)
            except asyncio.CancelledError:
                if self.is_alive():
                    raise
            if not self._stop.is_set():
                await asyncio.sleep(RESTART_S)

    def is_alive(self) -> bool:
        """Return whether what the process does has an effect."""
        return not self.dead

    def _ended_with(self, error: Exception) -> None:
        """Judge the end of a half: while it starts a disk may refuse it, and else it must live on."""
        starting = self._starting and self._refused and isinstance(error, TEMPORARY_ERRORS)
        if self.is_alive() and not starting:
            self.wrong.append(f"the {self.half} half ended: {''.join(traceback.format_exception(error))}")

    async def _run_once(self) -> None:
        self.starts += 1
        self._starting = True
        try:
            half = await self.start_half(self, f"{self.half}-{self.starts}")
            self._starting = False
            await half.run(self._stop)
        finally:
            journal, self.journal = self.journal, None
            if journal is not None and self.is_alive():
                await journal.close()

    def _written(self, _name: str) -> int:
        if self.dead:
            return WRITE_FAILED
        fault = self.faults.take("write", self.half)
        if fault is None:
            result = self.disk_error
        elif fault.what.startswith("killed"):
            self.die(power=fault.what.endswith("power"))
            result = WRITE_FAILED
        else:
            result = SHORT_WRITE if fault.what == "short_write" else WRITE_FAILED
        self._refused |= result != OK
        return result

    def _synced(self, _name: str) -> int:
        if self.dead:
            return SYNC_FAILED
        fault = self.faults.take("sync", self.half)
        if fault is None:
            return LIED if self.disk_lies else OK
        if fault.what.startswith("killed"):
            self.die(power=fault.what.endswith("power"))
        self._refused = True
        return SYNC_FAILED


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
