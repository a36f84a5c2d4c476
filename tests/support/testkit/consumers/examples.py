"""The programs of docs/examples, started as a house would start them."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

EXAMPLES: Final = Path(__file__).parents[4] / "docs" / "examples"


@asynccontextmanager
async def started(
    words: list[str], folder: Path, environment: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a program; it is killed at the end of the block, like a program whose machine loses power."""
    process = await asyncio.create_subprocess_exec(
        *words, cwd=folder, env={**os.environ, **(environment or {})},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, limit=2**20,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        assert process.stdout is not None
        await process.stdout.read()
        await process.wait()


def python_example(name: str, *words: str) -> list[str]:
    """Return the command that starts a Python program of docs/examples."""
    return [sys.executable, "-u", str(EXAMPLES / name), *words]


async def said(process: asyncio.subprocess.Process, wanted: str) -> str:
    """Return the first line of the program's output that contains `wanted`."""
    assert process.stdout is not None
    async for line in process.stdout:
        if wanted in line.decode():
            return line.decode()
    raise EOFError(f"the program ended without {wanted!r}")
