"""Reports as PDF, by a child process with limits and no network."""

import asyncio
import importlib.util
import sys
from typing import Final

# Seconds until a report counts as failed: the child's own limit of processor time, on a busy machine.
WAIT_S: Final = 60.0


class PrintError(Exception):
    """A report cannot be made. Policy: answer with status 503 and the sentence; the page itself can be printed.

    Example: the layout library is not installed.
    """


class Printer:
    """Maker of PDFs."""

    def __init__(self) -> None:
        # One layout at a time: it takes a core and 100 MB or more, which the pages need.
        self._turn = asyncio.Lock()

    async def pdf(self, html: str) -> bytes:
        """Return the PDF of a page.

        Raises:
            PrintError: The library is not installed, or the process failed or took too long.
        """
        if importlib.util.find_spec("weasyprint") is None:
            raise PrintError("PDFs need the extra pitwarden-console[reports]. Print the page from the browser instead")
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "pitwarden_console.web.print_process",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            try:
                async with asyncio.timeout(WAIT_S):
                    made, said = await process.communicate(html.encode())
            except TimeoutError:
                raise PrintError("the report took too long. Print the page from the browser instead") from None
            finally:
                # Also when the one who asked has left: no layout runs without a reader.
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode != 0 or not made.startswith(b"%PDF"):
            last = said.decode(errors="replace").strip().splitlines()[-1:]
            raise PrintError(f"the report was not made: {' '.join(last) or process.returncode}")
        return made
