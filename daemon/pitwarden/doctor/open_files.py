"""Examination of the number of files that the table's services may open.

The limit of the examination's own process says nothing about a unit: the service manager is asked, which knows the
unit's drop-ins also before its first start.
"""

import asyncio
import resource
import shutil
from collections.abc import Sequence
from typing import Final

from pitwarden.config.halves import is_apart
from pitwarden.config.models import TableFile
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.system.process import open_files_needed
from pitwarden_client.events.topics import HALVES, Half

# Seconds for an answer of the service manager. The examination is shown without it.
_ASK_S: Final = 3.0
_SUBJECT: Final = "open files"
_WHY: Final = "where no more files can be opened, ports and the broker are not found again after a fault"


async def check_open_files(name: str, table: TableFile, only: Half | None = None) -> list[DoctorFinding]:
    """Return a finding for each unit of the table, or for that of `only` one half.

    Without systemd, or where it does not know the unit, the finding is about a process that is started from here.

    Args:
        name: Name of the table file without its suffix, which is the instance of the unit.
        table: Table that is examined.
        only: Half to examine; None for both.
    """
    needed = open_files_needed(1, len(table.devices))
    units = [f"pitwarden-{part}@{name}.service" for part in _parts(table, only)]
    allowed = await _limits_of_units(units)
    if not allowed:
        return [_finding("a process started from here", resource.getrlimit(resource.RLIMIT_NOFILE)[1], needed)]
    return [_finding(unit, limit, needed) for unit, limit in allowed.items()]


def _parts(table: TableFile, only: Half | None) -> Sequence[str]:
    """Return the first names of the units: of one half, of both, or the one that they share."""
    if only is not None:
        return (only,)
    return HALVES if is_apart(table) else ("table",)


async def _limits_of_units(units: Sequence[str]) -> dict[str, int]:
    """Return the limit of each unit that the service manager knows; empty without one that answers in time."""
    program = shutil.which("systemctl")
    if program is None:
        return {}
    asked = await asyncio.create_subprocess_exec(
        program, "show", *units, "-p", "Id,LoadState,LimitNOFILE", "--no-pager",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_ASK_S):
            answer, _ = await asked.communicate()
    except TimeoutError:
        asked.kill()
        await asked.wait()
        return {}
    blocks = (dict(line.split("=", 1) for line in block.splitlines()) for block in answer.decode().split("\n\n"))
    return {
        said["Id"]: resource.RLIM_INFINITY if said["LimitNOFILE"] == "infinity" else int(said["LimitNOFILE"])
        for said in blocks
        if said.get("LoadState") == "loaded"
    }


def _finding(who: str, limit: int, needed: int) -> DoctorFinding:
    if limit == resource.RLIM_INFINITY:
        return passed(_SUBJECT, f"{who} may open any number, and needs {needed} at most")
    said = f"{who} may open {limit}, and needs {needed} at most"
    if limit >= needed:
        return passed(_SUBJECT, said)
    return DoctorFinding(
        "bad", _SUBJECT, said, _WHY,
        f"set LimitNOFILE={needed} or more (systemctl edit {who}; the unit as delivered has 65536), then restart it",
    )  # fmt: skip
