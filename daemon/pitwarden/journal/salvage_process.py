"""Salvage of a quarantined journal in a process of its own, started by the service.

The service never reads a damaged file's raw pages itself. It runs `pitwarden journal salvage --json`, which reads them,
and takes the result from one line of JSON and the exit code.

Threat: a file that makes its reader fail, hang or take all memory. It costs the salvage, not the table.
"""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

# Time for one salvage. A year's 26 GB at 5 MB/s take 87 minutes; a medium that retries each bad sector for half a
# minute takes longer than that. An ended salvage can be repeated by hand, without a limit.
MOST_S: Final = 7_200.0
# A report holds a sentence and four numbers. More than this is not a report, and is not read.
MOST_REPORT_BYTES: Final = 65_536
# How long the kernel may take to end a killed process before its folder is abandoned: a read of a failing medium
# cannot be interrupted, and a stop must not wait for it.
KILL_S: Final = 2.0
# What the child gets of the environment: where Python and its packages are, and how names of files are encoded. Not the
# folder of the credentials, nor the socket of the service manager.
ENVIRONMENT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LC_CTYPE")
FOUND, NOTHING_FOUND = 0, 1

_log = structlog.get_logger()


class SalvageReport(BaseModel):
    """Line that `pitwarden journal salvage --json` prints."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    summary: Annotated[str, Field(min_length=1, max_length=8_000)]
    """Result of the salvage, or why nothing could be salvaged, as a sentence."""
    rows: Annotated[int, Field(ge=0)] = 0
    """Number of rows of a field half's log."""
    received: Annotated[int, Field(ge=0)] = 0
    """Number of rows that a judge had received."""
    outputs: Annotated[int, Field(ge=0)] = 0
    """Number of outputs of a judge."""
    unreadable: Annotated[int, Field(ge=0)] = 0
    """Number of pages that the medium did not return."""


class SalvageFailedError(Exception):
    """The child process returned no report.

    Policy: the evidence stays as it is, and the status reports that it was not salvaged.

    Example: the kernel ended the child because the machine had no memory left.
    """


def salvage_folder(damaged: Path) -> Path:
    """Return the folder for the rows of the quarantined journal `damaged`. It does not exist yet."""
    free = (damaged.with_name(f"{damaged.name}.salvage{n or ''}") for n in range(1_000))
    return next(folder for folder in free if not folder.exists())


async def salvage_in_child(damaged: Path, most_s: float = MOST_S) -> str:
    """Salvage a quarantined journal in a child process, and return the result as a sentence.

    After a cancelled, killed or late child only the evidence remains.
    """
    folder = salvage_folder(damaged)
    try:
        found = (await _report(_command(damaged, folder), folder, most_s)).summary
    except (OSError, SalvageFailedError) as error:
        found = f"its rows could not be salvaged: {error}"
    _log.warning("journal salvaged", damaged=str(damaged), found=found)
    return found


def _command(damaged: Path, folder: Path) -> list[str]:
    # -P: the working directory is not searched for modules.
    program = [sys.executable, "-P", "-m", "pitwarden.cli", "journal", "salvage", "--json"]
    return [*program, "--from", str(damaged), "--out", str(folder)]


async def _report(command: Sequence[str], folder: Path, most_s: float) -> SalvageReport:
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    # Its standard error is the service's: a traceback of the child goes to the system journal.
    child = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, env=environment)
    complete = False
    try:
        async with asyncio.timeout(most_s):
            printed = await _printed(child)
            code = await child.wait()
        report = _read(printed, code)
        complete = True
    except TimeoutError:
        raise SalvageFailedError(f"it took longer than {most_s:g} s and was ended") from None
    finally:
        if not complete:
            await _end(child, folder)
    return report


async def _printed(child: Process) -> bytes:
    printed = b""
    while child.stdout is not None and len(printed) <= MOST_REPORT_BYTES:
        part = await child.stdout.read(MOST_REPORT_BYTES)
        if not part:
            return printed
        printed += part
    raise SalvageFailedError("its report does not end")


def _read(printed: bytes, code: int) -> SalvageReport:
    if code < 0:
        raise SalvageFailedError(f"it was ended by signal {-code}")
    try:
        report = SalvageReport.model_validate_json(printed)
    except ValidationError:
        raise SalvageFailedError(f"it ended with exit code {code} and no report") from None
    if code not in {FOUND, NOTHING_FOUND}:
        raise SalvageFailedError(report.summary)
    return report


async def _end(child: Process, folder: Path) -> None:
    """Kill the child and delete its incomplete result, even while the caller is being cancelled."""
    with suppress(ProcessLookupError):
        child.kill()
    try:
        async with asyncio.timeout(KILL_S):
            await child.wait()
    except TimeoutError:
        _log.warning("salvage does not end", folder=str(folder))
        return
    with suppress(OSError):  # there might be no folder, and an incomplete one does no harm
        shutil.rmtree(folder)
