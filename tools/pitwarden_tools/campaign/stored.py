"""Record of a night: both journals, and the results of the auditor's commands on them."""

import asyncio
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_tools.campaign.rig import Rig


@dataclass(frozen=True, slots=True)
class Stored:
    """Both journals of a night, read after the service has stopped."""

    rows: tuple[LogEvent, ...]
    bodies: tuple[bytes, ...]
    outputs: tuple[OutputEvent, ...]
    output_bodies: tuple[bytes, ...]


def read(rig: Rig) -> Stored:
    """Return the content of the journals."""
    journals = rig.folder / "journals"
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
