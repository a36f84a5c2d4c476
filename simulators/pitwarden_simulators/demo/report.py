"""Progress report of a demo: a line for each event of note, and on a terminal a moving progress line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from pitwarden_client.events.outputs import Irregularity, Output
from pitwarden_simulators.demo.errors import DemoRefused
from pitwarden_simulators.table.table import SimulatedTable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class Report(Protocol):
    """Output of a demo."""

    def line(self, text: str) -> None:
        """Print one permanent line."""
        ...

    def progress(self, table: SimulatedTable, rounds: int) -> None:
        """Report the progress of the night at `table`, out of at least `rounds`."""
        ...


class PlainReport:
    """Report as plain lines, for a file or a pipe."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown = (-1, "")

    def line(self, text: str) -> None:
        """Print one line."""
        print(text, file=self._out, flush=True)

    def progress(self, table: SimulatedTable, rounds: int) -> None:
        """Print a line for every tenth round."""
        now = (table.round // 10, table.setup.table)
        if now != self._shown and table.round:
            self._shown = now
            self.line(_state(table, rounds))


class _RichReport:
    """Report with a moving line below the permanent ones."""

    def __init__(self, console: "Console", status: "Status") -> None:
        self._console, self._status = console, status

    def line(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def progress(self, table: SimulatedTable, rounds: int) -> None:
        self._status.update(_state(table, rounds))


@contextmanager
def report() -> Iterator[Report]:
    """Yield the report that suits standard output.

    Raises:
        DemoRefused: The packages for a terminal are not installed.
    """
    if not sys.stdout.isatty():
        yield PlainReport(sys.stdout)
        return
    try:
        from rich.console import Console  # noqa: PLC0415  only the extra `demo` installs it
    except ImportError:
        raise DemoRefused("live progress is not installed: pip install 'pitwarden[demo]'") from None
    console = Console()
    with console.status("starting") as status:
        yield _RichReport(console, status)


def told(report_to: Report, setup: str, output: Output) -> None:
    """Report an irregularity when it opens and when it ends."""
    if not isinstance(output, Irregularity) or output.status == "acknowledged":
        return
    where = f"{setup} round {output.round or 0}"
    if output.status == "open":
        report_to.line(f"{where}: {output.catalogue} {' '.join(output.verdicts)}: {output.sentence}")
    else:
        report_to.line(f"{where}: {output.catalogue} {output.status}")


def _state(table: SimulatedTable, rounds: int) -> str:
    return f"{table.setup.table}: round {table.round} of at least {rounds}, {table.cards_dealt} cards"
