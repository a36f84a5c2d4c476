"""The fixture `postgresql`: a PostgreSQL server of its own, which a test may kill and start again."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest

_BINARIES: Final = Path("/usr/lib/postgresql")
# The server refuses root: its Debian package brings the user.
_AS: Final = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()


class PostgresqlServer:
    """A server on a Unix socket alone, so that tests run side by side; `environment` leads libpq to it."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self._databases = count(1)
        self.environment = {"PGHOST": str(folder), "PGUSER": "pit", "PGDATABASE": "postgres"}
        self._run("initdb", "-A", "trust", "-U", "pit", "-E", "UTF8", "--locale=C.UTF-8", "-N")

    def start(self, more: str = "-c listen_addresses=''") -> None:
        """Start the server, with `more` options, and wait until it answers; after a kill it recovers first."""
        log = str(self._folder / "log")
        self._run("pg_ctl", "-w", "-l", log, "-o", f"-k {self._folder} {more}", "start")

    def put(self, name: str, text: str, mode: int = 0o644) -> None:
        """Write a file into the folder of the server's data, for its account."""
        path = self._folder / "data" / name
        path.write_text(text)
        path.chmod(mode)
        if _AS:
            shutil.chown(path, "postgres", "postgres")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server. Mode `immediate` is a kill: nothing is written before."""
        self._run("pg_ctl", "-m", mode, "stop")

    def new_database(self) -> str:
        """Create an empty database, and return its name."""
        name = f"test{next(self._databases)}"
        self._program("createdb", "-h", str(self._folder), "-U", "pit", name)
        return name

    def _run(self, program: str, *words: str) -> None:
        self._program(program, "-D", str(self._folder / "data"), *words)

    def _program(self, program: str, *words: str) -> None:
        subprocess.run(
            [*_AS, str(self._binaries / program), *words],
            check=True, stdout=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip


def _binaries() -> Path | None:
    found = sorted(_BINARIES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def started_postgresql() -> Iterator[PostgresqlServer]:
    binaries = _binaries()
    if binaries is None:
        pytest.skip(f"no PostgreSQL below {_BINARIES}. On Debian: apt-get install postgresql")
    # A socket's path has at most 107 bytes: pytest's folders are too deep.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:
        folder = Path(name)
        if _AS:
            shutil.chown(folder, "postgres", "postgres")
        folder.chmod(0o755)
        server = PostgresqlServer(binaries, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")


@pytest.fixture
def postgresql() -> Iterator[PostgresqlServer]:
    """Start a server; skip where Debian's package is not installed."""
    with started_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def shared_postgresql() -> Iterator[PostgresqlServer]:
    """Start a server for all tests of the session, each of which makes a database of its own."""
    with started_postgresql() as server:
        yield server
