"""Real service as child processes that may be killed, stopped, frozen and kept from writing."""

import asyncio
import resource
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from pathlib import Path
from typing import Final, Literal

Part = Literal["both", "field", "judge"]

PARTS_TOGETHER: Final[tuple[Part, ...]] = ("both",)
PARTS_APART: Final[tuple[Part, ...]] = ("field", "judge")
_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9)\n"  # SIGKILL when the campaign dies: no process is left running
    "from pitwarden.cli.main import main; sys.exit(main())"
)
_STOP_S: Final = 30.0
# Seconds. Before Python handles SIGTERM, the signal kills it.
_STARTING_S: Final = 30.0


class Processes:
    """Processes of one table's service, `both` halves in one process or one process each."""

    def __init__(self, folder: Path, parts: tuple[Part, ...], before: str = "") -> None:
        """Prepare the parts. `before`: lines of Python that each process runs before it begins."""
        self._folder, self.parts, self._program = folder, parts, before + _PROGRAM
        self._running: dict[Part, Process] = {}
        self._began: dict[Part, float] = {}
        self._starts = 0
        self.wrong: list[str] = []

    def part(self, wanted: Literal["field", "judge"]) -> Part:
        """Return the process that does the work of this half."""
        return "both" if "both" in self.parts else wanted

    async def start(self, part: Part) -> None:
        """Start a part; return when the process exists."""
        self._starts += 1
        self._began[part] = asyncio.get_running_loop().time()
        only = [] if part == "both" else ["--only", part]
        config = str(self._folder / "table.toml")
        with (self._folder / f"{self._starts:04d}-{part}.log").open("wb") as log:
            self._running[part] = await asyncio.create_subprocess_exec(
                sys.executable, "-c", self._program, "run", "--config", config, "--log-level", "debug", *only,
                stdin=DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    async def kill(self, part: Part) -> None:
        """Send SIGKILL; return once the process has ended. An earlier end of its own is noted as wrong."""
        process = self._running.pop(part)
        if process.returncode is not None:
            self.wrong.append(f"{part} ended by itself with code {process.returncode}")
            return
        process.kill()
        await process.wait()

    async def stop(self, part: Part) -> None:
        """Send SIGTERM. A code that is not 0, or no end within 30 s, is noted as wrong."""
        process, began = self._running.pop(part), self._began[part]
        if process.returncode is None:
            process.terminate()
        try:
            code = await asyncio.wait_for(process.wait(), _STOP_S)
        except TimeoutError:
            process.kill()
            await process.wait()
            self.wrong.append(f"{part} did not stop within {_STOP_S:.0f} s")
        else:
            early = code == -signal.SIGTERM and asyncio.get_running_loop().time() - began < _STARTING_S
            if code and not early:
                self.wrong.append(f"{part} stopped with code {code}")

    def freeze(self, part: Part) -> None:
        """Send SIGSTOP."""
        self._signal(part, signal.SIGSTOP)

    def thaw(self, part: Part) -> None:
        """Send SIGCONT."""
        self._signal(part, signal.SIGCONT)

    def limit_files(self, part: Part, size: int | None) -> None:
        """Limit the files of this process to `size` bytes; None removes the limit."""
        process = self._running.get(part)
        if process is None or process.returncode is not None:
            return
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))

    async def end_all(self) -> None:
        """End all processes."""
        for part in list(self._running):
            process = self._running.pop(part)
            if process.returncode is None:
                process.kill()
                await process.wait()

    def pid(self, part: Part) -> int | None:
        """Return the process id of a part, None when it does not run."""
        process = self._running.get(part)
        return None if process is None or process.returncode is not None else process.pid

    def _signal(self, part: Part, number: signal.Signals) -> None:
        process = self._running.get(part)
        if process is not None and process.returncode is None:
            process.send_signal(number)
