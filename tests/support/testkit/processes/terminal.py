"""Program in a real terminal: a pty, the screen that it draws, and a person's keys."""

import asyncio
import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pyte

from testkit.clocks.waiting import until


class TerminalScreen:
    """Screen and keyboard of the terminal."""

    def __init__(self, master: int, columns: int, rows: int) -> None:
        self._master = master
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.closed = False

    def read(self) -> None:
        """Feed the output of the program to the screen."""
        try:
            drawn = os.read(self._master, 65_536)
        except OSError:  # Linux reports so that the other end of a pty is closed
            drawn = b""
        if not drawn:
            self.closed = True
            asyncio.get_running_loop().remove_reader(self._master)
            return
        self._stream.feed(drawn)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """Screen without its line breaks, so that a wrapped sentence is found completely."""
        return " ".join(" ".join(self.lines).split())

    def style(self, words: str) -> tuple[str, bool]:
        """Return background and boldness of the first character of `words`."""
        for row, line in enumerate(self._screen.display):
            if words in line:
                cell = self._screen.buffer[row][line.index(words)]
                return str(cell.bg), bool(cell.bold)
        raise LookupError(f"{words!r} is not on the screen")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    async def sees(self, *words: str) -> None:
        await until(lambda: all(each in self.text for each in words) or self.closed, pause=0.02)
        assert not self.closed, "\n".join(self.lines)

    async def sees_no(self, words: str) -> None:
        await until(lambda: words not in self.text or self.closed, pause=0.02)
        assert not self.closed, "\n".join(self.lines)

    async def waits(self, condition: Callable[[], object]) -> None:
        await until(condition, pause=0.02)


@asynccontextmanager
async def terminal(*words: str, columns: int = 80, rows: int = 24) -> AsyncIterator[TerminalScreen]:
    """Run `pitwarden WORDS` in a terminal of this size; it is killed if it does not end with the block."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    shown = TerminalScreen(master, columns, rows)
    asyncio.get_running_loop().add_reader(master, shown.read)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pitwarden.cli", *words,
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "", "LINES": ""},
    )  # fmt: skip
    os.close(slave)
    try:
        yield shown
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        asyncio.get_running_loop().remove_reader(master)
        os.close(master)
