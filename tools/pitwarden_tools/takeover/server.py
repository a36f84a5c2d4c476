"""PostgreSQL server on a free loopback port, which can be killed and started again."""

import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Final, Self

from pitwarden_tools.takeover.errors import TakeoverError

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
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        folder.mkdir()
        if _AS:
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "-A", "trust", "-U", "judge", "-E", "UTF8", "--locale=C.UTF-8", "-N")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server and wait until it answers; after a kill it recovers first."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        """End the server at once: it writes nothing before."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def _run(self, program: str, *words: str) -> None:
        command = [*_AS, str(self._binaries / program), "-D", str(self._folder / "data"), *words]
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            raise TakeoverError(f"{program} failed: {error}") from None
