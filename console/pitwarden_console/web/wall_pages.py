"""Pages of a wall display: a pit in letters that are read from across the room, with nothing to touch.

Threat: a dead page that everyone trusts. So it loads itself again after an update, since no one can.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.floods import FloodWatch
from pitwarden_console.board.pit_board import PitBoard, ranked, shelved
from pitwarden_console.board.snapshot import OpenItem, TableSnapshot
from pitwarden_console.web.hub import LivePart
from pitwarden_console.web.rendering import Renderer, safe

MAX_LINES: Final = 8
"""Number of alarms in full on a wall display: what is below the edge of a screen that no one scrolls is lost."""


@dataclass(frozen=True, slots=True)
class WallView:
    """Content of a wall display. Each of `lines` is a table with its alarm, or with None because it is not live."""

    tables: Sequence[TableSnapshot]
    lines: Sequence[tuple[TableSnapshot, OpenItem | None]]
    more: int
    shelved: int
    flooded: Sequence[str]
    calls_fault: str

    @property
    def live(self) -> int:
        """Number of tables that are live."""
        return sum(table.is_live for table in self.tables)


class WallPages:
    """Wall displays, of a pit or of all."""

    def __init__(self, board: PitBoard, renderer: Renderer, floods: FloodWatch, desk: CallDesk | None) -> None:
        self._board, self._renderer, self._floods, self._desk = board, renderer, floods, desk

    def parts(self, pit: str | None) -> Sequence[LivePart]:
        """Return the part of a page that its stream replaces."""
        every = frozenset(table.key for table in self._board.in_pit(pit))
        return (LivePart("wall", every, lambda: self._wall(pit), pit or ""),)

    def page(self, pit: str | None) -> Mapping[str, object]:
        """Return the values of a page."""
        return {"wall": safe(self._wall(pit)), "is_wall": True}

    def _wall(self, pit: str | None) -> str:
        return self._renderer.part("wall", self._view(pit))

    def _view(self, pit: str | None) -> WallView:
        every = self._board.in_pit(pit)
        # A simulated night is for whoever plays it, and is shown where no real table is.
        tables = [table for table in every if not table.simulated] or every
        dark: list[tuple[TableSnapshot, None]] = [(table, None) for table in tables if not table.is_live]
        stopped = [pair for pair in dark if pair[0].priority == 1]
        lines = [*stopped, *ranked(tables), *(pair for pair in dark if pair not in stopped)]
        return WallView(
            tables, lines[:MAX_LINES], max(0, len(lines) - MAX_LINES), len(shelved(tables)),
            self._floods.flooded(pit), "" if self._desk is None else self._desk.fault,
        )  # fmt: skip
