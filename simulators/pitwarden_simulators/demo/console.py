"""The pit console next to a demo: a process of its own that ends with the demo, with accounts for a demo."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pitwarden_simulators.demo.errors import DemoError, DemoRefused
from pitwarden_simulators.ports.free import FreePort

_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 15)\n"  # SIGTERM when the demo dies: nothing is left running
    "from pitwarden_console.command import main; sys.exit(main())"
)
_FILE: Final = """\
[site]
name = "{site}"
title = "Simulated night"
zone = "America/New_York"
gaming_day = "06:00"

[broker]
host = "{host}"
port = {broker}

[web]
port = {port}

[keying]
floor = {{}}
supervisor = {{}}
"""
_TABLE: Final = """
[[table]]
name = "{table}"
pit = "Demo pit"
"""
_START_S: Final = 60.0
_POLL_S: Final = 0.1
_STOP_S: Final = 10.0


def require_console() -> None:
    """Check that the console is installed.

    Raises:
        DemoRefused: It is not.
    """
    if find_spec("pitwarden_console") is None:
        raise DemoRefused("--console: the pit console is not installed: pip install pitwarden-console")


@asynccontextmanager
async def console(folder: Path, broker: tuple[str, int], site: str, tables: Sequence[str]) -> AsyncIterator[str]:
    """Yield the address of a console that shows `tables`; it ends with the block.

    Raises:
        DemoError: It did not start.
    """
    free = FreePort()
    config, log = _prepared(folder, broker, site, tables, free.number)
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, "serve", "--demo", "--config", str(config),
            stdin=DEVNULL, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        async with asyncio.timeout(_START_S):
            while not await _answers(process, free.number, log):  # noqa: ASYNC110  another process opens the port
                await asyncio.sleep(_POLL_S)
        yield f"http://127.0.0.1:{free.number}"
    except TimeoutError:
        raise DemoError(f"the pit console did not start within {_START_S:.0f} s: see {log}") from None
    finally:
        await _end(process)


def _prepared(folder: Path, broker: tuple[str, int], site: str, tables: Sequence[str], port: int) -> tuple[Path, Path]:
    """Make the folder and the console file; return the file and where the log goes."""
    folder.mkdir()
    config = folder / "console.toml"
    text = _FILE.format(site=site, host=broker[0], broker=broker[1], port=port)
    config.write_text(text + "".join(_TABLE.format(table=table) for table in tables), encoding="utf-8")
    return config, folder / "console.log"


def _last_words(log: Path) -> str:
    return " / ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-3:])


async def _answers(process: Process, port: int, log: Path) -> bool:
    if process.returncode is not None:
        raise DemoError(f"the pit console ended by itself, code {process.returncode}: {_last_words(log)}")
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


async def _end(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(_STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
