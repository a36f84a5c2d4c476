"""PostgreSQL servers on free loopback ports: one that can be killed and started again, and a pair with a standby."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from pitwarden_simulators.ports.free import FreePort
from pitwarden_tools.takeover.errors import TakeoverError

USER: Final = "judge"
_BINARIES: Final = Path("/usr/lib/postgresql")
# The server refuses root: its Debian package brings the user.
_AS: Final = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()


class DatabaseServer:
    """Server with durable commits, in `folder`, whose login `judge` may do everything."""

    def __init__(self, folder: Path) -> None:
        found = sorted(_BINARIES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        if not found:
            raise TakeoverError(f"no PostgreSQL below {_BINARIES}. On Debian: apt-get install postgresql")
        self._binaries, self._folder = found[-1].parent, folder
        self._free = FreePort()
        self.port = self._free.number
        folder.mkdir()
        if _AS:
            shutil.chown(folder, "postgres", "postgres")

    def __enter__(self) -> Self:
        self._run("initdb", "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server and wait until it answers; after a kill it recovers first."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        self._run("pg_ctl", "-w", "-t", "120", "-l", str(self._folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        """End the server at once: it writes nothing before."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "-m", "immediate", "stop")

    def follow(self, primary: "DatabaseServer") -> None:
        """Become a streaming standby of `primary`, with a new copy of its data."""
        shutil.rmtree(self._folder / "data", ignore_errors=True)
        where = ("-h", "127.0.0.1", "-p", str(primary.port), "-U", USER)
        self._run("pg_basebackup", *where, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        self.start()

    def promote(self) -> None:
        """Accept writes from now on, as the house's failover manager lets a standby do."""
        self._run("pg_ctl", "-w", "-t", "120", "promote")

    def wait_for_standby(self, *, is_present: bool) -> None:
        """Let each commit wait until a standby has it on its disk, or no longer."""
        names = "*" if is_present else ""
        for statement in (f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", "SELECT pg_reload_conf()"):
            self._call("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-c", statement, "postgres")

    def _run(self, program: str, *words: str) -> None:
        self._call(program, "-D", str(self._folder / "data"), *words)

    def _call(self, program: str, *words: str) -> None:
        command = [*_AS, str(self._binaries / program), *words]
        try:
            # In a process group of its own: Ctrl-C ends the tool, and the tool ends its servers in order.
            subprocess.run(  # noqa: S603  programs of PostgreSQL
                command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", process_group=0
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise TakeoverError(f"{program} failed: {error}") from None


class DatabasePair:
    """Primary and standby, which change places at each failover. `synchronous`: a commit waits for the standby."""

    def __init__(self, servers: Sequence[DatabaseServer], *, synchronous: bool) -> None:
        self.primary, *others = servers
        self.standby = others[0] if others else None
        self._synchronous = synchronous

    def replicate(self) -> None:
        """Let the standby follow the primary."""
        if self.standby is not None:
            self.standby.follow(self.primary)
            if self._synchronous:
                self.primary.wait_for_standby(is_present=True)

    def fail_over(self) -> None:
        """Promote the standby of a primary that was killed."""
        if self.standby is None:
            raise TakeoverError("there is no standby to promote")
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def rejoin(self) -> None:
        """Let the former primary follow the new one, with a new copy: its own last commits may be lost ones."""
        self.replicate()
