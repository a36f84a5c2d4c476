"""What the real service leaves on disk, in logs and on the bus holds no sealing key and no blind of a hidden card."""

import asyncio
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import Process
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, SimulatedTableSetup
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.live_table import LiveTable, table
from testkit.secrecy.secret_search import files_of, holds, opened

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(120)]

OTHER_GROUP = 31_337
CRASHES = {TAB_SHIELDED.table: (40,), CB_AUTO.table: ()}
"""Before which actions of the people the service dies."""


class Service:
    """The service at its most talkative, in a group that is not root's where we may choose."""

    process: Process

    def __init__(self, rig: LiveTable) -> None:
        self._rig = rig

    async def start(self) -> None:
        with (self._rig.folder / "service.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "pitwarden.cli", "run", "--config", str(self._rig.folder / "table.toml"),
                "--log-level", "debug", stdout=log, stderr=log, group=group_of_choice(), cwd=self._rig.folder,
            )  # fmt: skip

    async def crash(self) -> None:
        """Dies of a fault of its own, as it stands, in a round; then starts again."""
        self.process.send_signal(signal.SIGSEGV)
        assert await self.process.wait() == -signal.SIGSEGV
        self._rig.recorder.state = None
        await self.start()
        await self._rig.ready(len(self._rig.recorder.epochs) + 1)
        self._rig.people.forget()


@asynccontextmanager
async def service(rig: LiveTable) -> AsyncIterator[Service]:
    """Yield while the service runs."""
    made = Service(rig)
    await made.start()
    try:
        yield made
    finally:
        if made.process.returncode is None:
            made.process.kill()
            await made.process.wait()


def group_of_choice() -> int | None:
    return OTHER_GROUP if os.geteuid() == 0 else None


@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO], ids=lambda setup: setup.table)
async def test_raw_files_and_messages_hold_no_hidden_secret(
    setup: SimulatedTableSetup, broker: MosquittoBroker, tmp_path: Path
) -> None:
    async with table(setup, broker, tmp_path) as rig, service(rig) as running:
        await rig.ready()
        rig.people.interruptions = dict.fromkeys(CRASHES[setup.table], running.crash)
        await rig.play(2)
        assert not rig.people.interruptions
        on_disk = files_of(tmp_path)
        check_no_dump(running.process.pid)
        running.process.terminate()
        assert await running.process.wait() == 0
        raw = {f"{name} at rest": data for name, data in files_of(tmp_path).items()}
        raw |= {f"{name} while it ran": data for name, data in on_disk.items()}
        raw["messages"] = b"\n".join(payload for _, payload in rig.recorder.raw)
        assert any(name.endswith("-wal while it ran") for name in raw)
        assert not [name for name in raw if Path(name).name.startswith("core")]
        assert raw["service.log at rest"].count(b"\n") > 2
        with closing(sqlite3.connect(tmp_path / "journals" / "field.sqlite")) as sql:
            bodies = [body for (body,) in sql.execute("SELECT body FROM row ORDER BY place")]
        secrets = opened(bodies, tmp_path / "keys", "rig", setup.table)
        told = {place for output in rig.recorder.said() for place in revealed(output.data)}
    hidden = [blind for place, blind in secrets.blinds.items() if place not in told]
    public = [blind for place, blind in secrets.blinds.items() if place in told]
    assert len(hidden) >= 1
    assert len(public) > 10
    assert len(secrets.keys) == 1 + len(CRASHES[setup.table])
    found = [name for name, data in raw.items() for secret in (*hidden, *secrets.keys) if holds(data, secret)]
    assert found == []
    assert all(holds(raw["messages"], blind) for blind in public), "the search does not find what is there"
    assert any(holds(raw["journals/judge.sqlite at rest"], blind) for blind in public)


def revealed(output: object) -> list[tuple[str, int, int]]:
    if isinstance(output, Reveal):
        return [(output.epoch, output.event, output.index)]
    if isinstance(output, ReaderRevealed):
        return [(output.epoch, output.event, 0)]
    return []


def check_no_dump(pid: int) -> None:
    """No core file by its limit; and the kernel gives files of a process that may not be dumped to root."""
    limits = Path(f"/proc/{pid}/limits").read_text()
    [core] = [line.split() for line in limits.splitlines() if line.startswith("Max core file size")]
    assert core[4:6] == ["0", "0"]
    assert not dumpable(pid)


def dumpable(pid: int) -> bool:
    owner = Path(f"/proc/{pid}/environ").stat()
    return owner.st_gid == OTHER_GROUP if os.geteuid() == 0 else owner.st_uid != 0


async def test_a_process_that_may_be_dumped_is_seen() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE, group=group_of_choice()
    )
    seen = dumpable(process.pid)
    await process.communicate(b"\n")
    assert seen


@pytest.mark.parametrize("before", range(4))
def test_a_secret_is_found_in_every_spelling(before: int) -> None:
    secret = bytes(range(32))
    plain = b"\xff" * before + secret + b"\xee" * 5
    for raw in (plain, plain.hex().encode(), plain.hex().upper().encode(), b64encode(plain)):
        assert holds(b"{" + raw + b"}", secret)
        assert not holds(raw, secret[::-1])
