"""Tables that this process serves, and how a reload changes the set: each new, removed or changed table by itself."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from pitwarden.config.models import TableFile
from pitwarden.pit.table_supervisor import SharedResources, TableSupervisor, table_name
from pitwarden.service.reload import FIXED_BROKER_KEYS
from pitwarden.system.tasks import Probe

if TYPE_CHECKING:
    from pitwarden.judge_group.group import JudgeGroup

_NAMED: Final = 3

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TableFileResult:
    """Table file as read; `file` is None when it was refused and its problems were printed."""

    path: Path
    file: TableFile | None


Reread = Callable[[], Sequence[TableFileResult]]
"""Function that lists the table files again and reads each of them."""


class TableRegistry:
    """Tables of one process. Their supervisors run in `group`."""

    def __init__(self, shared: SharedResources, group: asyncio.TaskGroup) -> None:
        self._shared, self._group = shared, group
        self._served: dict[str, TableSupervisor] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._refused: list[Path] = []

    @property
    def group(self) -> "JudgeGroup | None":
        """Group of judges that this process is a member of, or None."""
        return self._shared.group

    @property
    def count(self) -> int:
        """Number of tables."""
        return len(self._served)

    def start(self, path: Path, file: TableFile) -> None:
        """Serve one more table."""
        served = self._served[table_name(file)] = TableSupervisor(path, file, self._shared)
        self._running[served.name] = self._group.create_task(served.run(), name=f"table {served.name}")

    async def end(self, names: Sequence[str]) -> None:
        """Stop these tables in order, and return once they have ended."""
        for name in names:
            self._served[name].end()
        gone = [self._running.pop(name) for name in names]
        if gone:
            await asyncio.wait(gone)
        for name in names:
            del self._served[name]

    async def end_all(self) -> None:
        """Stop every table in order."""
        await self.end(list(self._served))

    def probes(self) -> list[Probe]:
        """Return the watchdog's probes of every table that is judged."""
        return [part for served in self._served.values() for part in served.probes]

    def status_line(self) -> str:
        """Return one line for a person."""
        tables = list(self._served.values())
        judged = sum(table.judged for table in tables)
        lost = [f"{table.name} ({table.failure})" for table in tables if table.failure]
        return "; ".join([
            f"{judged} of {len(tables)} tables judged", *_named("FALLEN", lost),
            *_named("RELOAD REFUSED, see the log", [path.name for path in self._refused]),
        ])  # fmt: skip

    async def reload(self, given: Sequence[TableFileResult]) -> None:
        """Serve the tables that the files now describe. A table whose file is refused continues unchanged."""
        given = [self._of_the_group(one) for one in given]
        self._refused = [one.path for one in given if one.file is None]
        wanted = {table_name(one.file): (one.path, one.file) for one in given if one.file is not None}
        kept = {table.name for table in self._served.values() if table.path in self._refused}
        gone = [name for name in self._served if name not in wanted and name not in kept]
        changed = [name for name, (_, file) in wanted.items() if self._needs_restart(name, file)]
        new = [name for name in wanted if name not in self._served]
        same = [name for name in self._served if name not in gone and name not in changed]
        # These end first: a table must never have two judges.
        await self.end([*gone, *changed])
        for name in gone:
            self._shared.meter.remove(name)
        for name in (*changed, *new):
            self.start(*wanted[name])
        for name in same:
            served = self._served[name]
            served.reconnect(*wanted.get(name, (served.path, served.file)))
        _log.info(
            "reloaded", new=_list(new), gone=_list(gone), changed=_list(changed), reconnected=len(same),
            refused=_list([str(path) for path in self._refused]),
        )  # fmt: skip

    def _of_the_group(self, given: TableFileResult) -> TableFileResult:
        """Return the result, refused if it names another group of judges: a process changes that only at its start."""
        section = None if self.group is None else self.group.section
        if given.file is None or given.file.judge_group == section:
            return given
        _log.error("reload refused", file=str(given.path), reason="[judge_group] changed: restart the process")
        return TableFileResult(given.path, None)

    def _needs_restart(self, name: str, file: TableFile) -> bool:
        """Return whether more of a served table changed than the broker's address and credentials."""
        if name not in self._served:
            return False
        running = self._served[name].file
        fixed = {key: getattr(running.broker, key) for key in FIXED_BROKER_KEYS}
        broker = file.broker.model_copy(update=fixed)
        return file.model_copy(update={"broker": broker}) != running.model_copy(update={"broker": broker})


def _named(what: str, names: Sequence[str]) -> list[str]:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"{what}: {', '.join(names[:_NAMED])}{more}"] if names else []


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
