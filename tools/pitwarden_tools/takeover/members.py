"""Judge processes of a group, each behind wires of its own to the broker and to the database."""

import asyncio
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.bench.feed import SITE, named
from pitwarden_tools.campaign.wire import FaultyWire, wire
from pitwarden_tools.takeover.mutants import planted

if TYPE_CHECKING:
    from asyncio.subprocess import Process

KEEPALIVE_S: Final = 2
"""Shorter than the default: a member notices a silent broker within twice that time."""
# SIGKILL when the tool dies: no process is left running.
_DIE_TOO: Final = "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9)\n"
# The log of an experiment holds every line: the rate limit protects a log of months.
_WHOLE_LOG: Final = "import pitwarden.system.logging_setup as log; log.MOST_LINES = 10**9\n"
_PROGRAM: Final = "from pitwarden.cli.main import main; sys.exit(main())"


class JudgeMember:
    """One judge process, its table files, and its wires."""

    def __init__(
        self, name: str, folder: Path, brokers: Sequence[FaultyWire], databases: Sequence[FaultyWire],
        planted: str = "",
    ) -> None:  # fmt: skip
        """Prepare the member `name`.

        Args:
            name: Name of the member.
            folder: Its table files and its log.
            brokers: Wires to each broker node.
            databases: Wires to each database server.
            planted: Program of a planted bug; empty for none.
        """
        self.name, self.folder = name, folder
        self.brokers, self.databases = brokers, databases
        self._planted = planted
        self.process: Process | None = None

    def write(self, names: Sequence[str], lease_s: int, *, embedded: bool = False) -> None:
        """Write a file for each table. The keys are those of the whole group; `embedded` leaves the database out."""
        ports = {device: str(self.folder / device) for device in SERIALS}
        section = (
            f'\n[judge_group]\naddresses = {_listed(self.databases)}\ndatabase = "postgres"\nuser = "judge"\n'
            f'member = "{self.name}"\nlease_seconds = {lease_s}\n'
        )
        # Each link begins at a random node: when one is lost, the others' tables have not even noticed.
        broker = f'[broker]\naddresses = {_listed(self.brokers)}\norder = "random"\nkeepalive = {KEEPALIVE_S}\n'
        (self.folder / "tables").mkdir(parents=True)
        for name in names:
            text = table_file(named(name), SITE, ("127.0.0.1", 1), ports, "05:00")
            text = re.sub(r"\[broker\]\nhost = .*\nport = .*\n", broker, text)
            text = re.sub(r'"keys"', f'"{self.folder.parent / "keys"}"', text)
            (self.folder / "tables" / f"{name}.toml").write_text(text if embedded else text + section)

    async def start(self) -> None:
        """Start the process."""
        with (self.folder / "log").open("ab") as log:
            program = f"{_DIE_TOO}{_WHOLE_LOG}{self._planted}{_PROGRAM}"
            words = ("run", "--only", "judge", "--config", str(self.folder / "tables"))
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", program, *words, stdout=log, stderr=log,
                process_group=0,  # Ctrl-C ends the tool, and the tool ends its judges
            )  # fmt: skip

    async def kill(self) -> None:
        """Send SIGKILL, and return once the process has ended."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if the process still runs."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(number)


def direct(port: int) -> FaultyWire:
    """Return a wire that is the server itself: nothing is cut there."""
    made = FaultyWire(port)
    made.port = port
    return made


async def new_members(
    stack: AsyncExitStack,
    folder: Path,
    names: Sequence[str],
    ports: tuple[Sequence[int], Sequence[int]],
    *,
    count: int,
    lease_s: int,
    mutant: str = "",
) -> list[JudgeMember]:
    """Return `count` members that serve `names`, their files written; `ports` are of the brokers and the databases."""
    make_keys(folder / "keys")
    made = []
    for number in range(1, count + 1):
        brokers, databases = [[await stack.enter_async_context(wire(port)) for port in each] for each in ports]
        place = folder / f"judge-{number}"
        member = JudgeMember(place.name, place, brokers, databases, planted(mutant, number))
        member.write(names, lease_s)
        stack.push_async_callback(member.kill)
        made.append(member)
    return made


def _listed(wires: Sequence[FaultyWire]) -> str:
    return str([f"127.0.0.1:{each.port}" for each in wires]).replace("'", '"')
