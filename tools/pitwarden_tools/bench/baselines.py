"""Baselines as child processes: the bare Python client, the same with a row's promises, and in C where possible."""

import asyncio
import os
import shutil
import subprocess
import sys
import tty
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from timeit import default_timer
from typing import Final

from pitwarden_tools.bench import baseline, promises
from pitwarden_tools.bench import baseline as floor
from pitwarden_tools.bench.subscriber import PATIENCE_S, Subscriber

FRAME: Final = bytes(64)
_SOURCE: Final = Path(__file__).with_name("floor.c")
_BUILD_S: Final = 60.0
_PACKAGES: Final = ("libmosquitto1", "libmosquitto-dev", "libsqlite3-0", "libsqlite3-dev")


class NoCFloorError(Exception):
    """The C baseline cannot be built here. Policy: report why, and measure without it."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Program that answers frames on a pty; the topics that it uses begin with `mark`."""

    name: str
    command: tuple[str, ...]
    mark: str = ""


PYTHON: Final = Baseline("floor", (sys.executable, "-m", floor.__name__))
PROMISING: Final = Baseline("floor that seals", (sys.executable, "-m", promises.__name__), promises.MARK)


def in_c(folder: Path) -> Baseline:
    """Return the baseline in C, built in `folder`, with Debian's packages unpacked there where the headers are missing.

    Raises:
        NoCFloorError: It cannot be built.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise NoCFloorError("there is no C compiler (Debian: apt-get install gcc libc6-dev)")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "floor"
    build = [compiler, "-O2", "-o", str(program), str(_SOURCE)]
    libraries = ["-lmosquitto", "-lsqlite3"]
    if _done([*build, *libraries], folder) is not None:
        _unpack(folder)
        found = sorted({str(path.parent) for path in folder.rglob("libmosquitto.so*")})
        paths = [f"-I{folder / 'usr/include'}", *(flag for at in found for flag in (f"-L{at}", f"-Wl,-rpath,{at}"))]
        fault = _done([*build, *paths, *libraries], folder)
        if fault is not None:
            raise NoCFloorError(f"it does not compile: {fault}")
    return Baseline("floor in C", (str(program),), "c")


def _unpack(folder: Path) -> None:
    if shutil.which("apt-get") is None:
        raise NoCFloorError("libmosquitto's headers are not installed, and there is no apt-get to bring them")
    fault = _done(["apt-get", "-qq", "download", *_PACKAGES], folder)
    if fault is not None:
        raise NoCFloorError(f"libmosquitto's headers are not installed, and apt-get does not bring them: {fault}")
    for package in folder.glob("*.deb"):
        _done(["dpkg-deb", "--extract", str(package), str(folder)], folder)


def _done(command: Sequence[str], folder: Path) -> str | None:
    """Run a command; return None when it succeeded, else the last line of its output."""
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=_BUILD_S)  # noqa: S603
    except subprocess.CalledProcessError as error:
        return (str(error.stderr).strip() or "nothing was said").splitlines()[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None


class BaselineLine:
    """Running baseline at the other end of a pty."""

    def __init__(self, ear: Subscriber, one: Baseline, master: int) -> None:
        self._ear, self._topic, self._master = ear, one.mark + baseline.OUT, master

    async def measured(self) -> float:
        """Return the seconds from a frame on the pty to its answer at the subscriber."""
        heard = self._ear.expect(self._topic)
        began = default_timer()
        os.write(self._master, FRAME)
        return await asyncio.wait_for(heard, PATIENCE_S) - began


@asynccontextmanager
async def running(one: Baseline, ear: Subscriber, port: int, folder: Path) -> AsyncIterator[BaselineLine]:
    """Yield the baseline `one`, ready."""
    master, slave = os.openpty()
    tty.setraw(slave)
    ready = ear.expect(one.mark + baseline.READY)
    child = await asyncio.create_subprocess_exec(*one.command, str(port), os.ttyname(slave), str(folder), stdin=DEVNULL)
    try:
        await asyncio.wait_for(ready, PATIENCE_S)
        yield BaselineLine(ear, one, master)
    finally:
        child.kill()
        await child.wait()
        os.close(master)
        os.close(slave)
