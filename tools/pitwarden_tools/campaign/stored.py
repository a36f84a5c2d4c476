"""Record of a night: both journals, and the results of the auditor's commands on them."""

import asyncio
import sqlite3
import sys
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pitwarden.seal.sealing import Opener
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.table.table_builder import Built
from pitwarden_tools.campaign.rig import Rig, Truth


class NightRecord(Protocol):
    """Record of a night: what truly happened, and every message on the bus."""

    topics: Topics
    built: Built
    truth: Truth
    state: TableState | None
    accepted: dict[str, str]
    """Ids of accepted inputs, and their act."""

    def opener(self) -> Opener:
        """Return what opens the seals of the table."""
        ...

    @property
    def heard(self) -> Collection[tuple[str, bytes]]:
        """Every message, each once, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """Both journals of a night, read after the service has stopped."""

    rows: tuple[LogEvent, ...]
    bodies: tuple[bytes, ...]
    outputs: tuple[OutputEvent, ...]
    output_bodies: tuple[bytes, ...]


def read(journals: Path) -> Stored:
    """Return the content of the journals in a folder."""
    with closing(sqlite3.connect(journals / "field.sqlite")) as sql:
        bodies = tuple(body for (body,) in sql.execute("SELECT body FROM row ORDER BY place"))
    with closing(sqlite3.connect(journals / "judge.sqlite")) as sql:
        outputs = tuple(body for (body,) in sql.execute("SELECT body FROM output ORDER BY seq"))
    return Stored(
        tuple(decode(LogEvent, body) for body in bodies),
        bodies,
        tuple(decode(OutputEvent, body) for body in outputs),
        outputs,
    )


async def audited(rig: Rig) -> list[str]:
    """Return the complaints of `pitwarden journal verify` and `replay` about the night's journals.

    Empty when they agree.
    """
    said = []
    for action in ("verify", "replay"):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pitwarden.cli", "journal", action, "--config", str(rig.folder / "table.toml"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await process.communicate()
        if process.returncode:
            said.append(f"journal {action}: {out.decode()[:2_000]}")
    return said
