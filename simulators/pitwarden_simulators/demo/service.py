"""Real service as child processes: one with both halves, or one each."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pitwarden.seal.keys import key_paths, load_private, load_signing, write_verify_key
from pitwarden_simulators.demo.errors import DemoError

_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 15)\n"  # SIGTERM when the demo dies: no process is left running
    "from pitwarden.cli.main import main; sys.exit(main())"
)
_STOP_S: Final = 30.0
_SHOWN_LINES: Final = 5


class Service:
    """Processes of one table's service; each writes its output to a file. `env` is added to their environment."""

    def __init__(self, folder: Path, env: Mapping[str, str] = MappingProxyType({})) -> None:
        self._folder = folder
        self._env = {**os.environ, **env}
        self._running: list[tuple[Process, Path]] = []

    async def start(self, *args: str) -> None:
        """Start one process of the service."""
        log = self._folder / f"service-{len(self._running) + 1}.log"
        with log.open("wb") as out:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _PROGRAM, *args, stdin=DEVNULL, stdout=out, stderr=out, env=self._env
            )
        self._running.append((process, log))

    async def ended(self) -> None:
        """Wait without end while all processes run.

        Raises:
            DemoError: A process ended; the message has its last lines.
        """
        async with asyncio.TaskGroup() as group:
            for process, log in self._running:
                group.create_task(_end_of(process, log), name=f"end of process {process.pid}")

    async def stop(self) -> None:
        """Ask all processes to stop.

        Raises:
            DemoError: A process did not stop in time, or not with code 0.
        """
        for process, _ in self._running:
            if process.returncode is None:
                process.terminate()
        wrong: list[str] = []
        for process, log in self._running:
            try:
                code = await asyncio.wait_for(process.wait(), _STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()
                wrong.append(f"did not stop within {_STOP_S:.0f} s: {_last_words(log)}")
                continue
            if code:
                wrong.append(f"stopped with code {code}: {_last_words(log)}")
        self._running = []
        if wrong:
            raise DemoError("the service " + "; ".join(wrong))

    async def abandon(self) -> None:
        """End all processes and ignore their exit codes, after another failure."""
        for process, _ in self._running:
            if process.returncode is None:
                process.kill()
                await process.wait()


@asynccontextmanager
async def service(
    config: Path, halves: Sequence[str | None], env: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[Service]:
    """Yield the service of the table file at `config`, one process for each of `halves` (None: both in one)."""
    running = Service(config.parent, env)
    make_keys(config.parent / "keys")
    for half in halves:
        await running.start("run", "--config", str(config), *(() if half is None else ("--only", half)))
    try:
        yield running
    except BaseException:
        await running.abandon()
        raise
    await running.stop()


def make_keys(folder: Path) -> None:
    """Make the keys that the table file names, as `pitwarden keys` does."""
    folder.mkdir(mode=0o700)
    files = key_paths(folder)
    load_signing(files.field, create=True)
    write_verify_key(files.judge, load_private(files.judge, create=True))


async def _end_of(process: Process, log: Path) -> None:
    code = await process.wait()
    raise DemoError(f"the service ended by itself, code {code}: {_last_words(log)}")


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " / ".join(lines[-_SHOWN_LINES:]) or "it said nothing"
