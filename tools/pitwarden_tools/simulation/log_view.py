"""View of a simulated table's log on its disk: where it ends, and its rows; as a person with a screen would have it."""

import sqlite3
from pathlib import Path
from typing import Final

from pitwarden.journal.field_journal import FieldJournal
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import PermitApplied
from pitwarden_tools.campaign.log_view import End
from pitwarden_tools.simulation.process import SimulatedProcess

_QUERY: Final = (
    "SELECT place, name, number, topic, body FROM row JOIN epoch ON epoch.id = row.epoch WHERE place > ? ORDER BY place"
)


class SimulatedLogView:
    """Field half's journal, read while the process that writes it lives; between its lives, what was read last."""

    def __init__(self, path: Path, process: SimulatedProcess) -> None:
        self._path, self._process = path, process
        self._life, self._sql = 0, sqlite3.connect(":memory:")
        self._places: dict[tuple[str, int], int] = {}
        self._end: End | None = None
        self._permitted = False
        self.rows: list[tuple[str, bytes]] = []
        """Topic and bytes of the rows in order."""

    def end(self) -> End | None:
        """Return the last committed row; None before the first."""
        self._refresh()
        return self._end

    def place_of(self, at: Position) -> int:
        """Return the place of a row; 0 when it is absent."""
        self._refresh()
        return self._places.get((at.epoch, at.number), 0)

    def permitted(self) -> bool:
        """Return whether the table last displayed that dealing is permitted."""
        self._refresh()
        return self._permitted

    def some(self, places: list[int]) -> list[tuple[str, bytes]]:
        """Return topic and bytes of some rows."""
        self._refresh()
        return [self.rows[place - 1] for place in places]

    def _refresh(self) -> None:
        journal = self._process.journal
        if not isinstance(journal, FieldJournal) or journal.place == (0 if self._end is None else self._end.place):
            return
        after = 0 if self._end is None else self._end.place
        if journal.place < after:
            self._places, self.rows, after = {}, [], 0
        process = self._process
        if self._life != process.starts or self._sql not in process.databases:
            self._life = process.starts
            self._sql = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
            process.databases.append(self._sql)
        for place, epoch, number, topic, body in self._sql.execute(_QUERY, (after,)):
            self._places[epoch, number] = place
            self._end = End(place, Position(epoch=epoch, number=number))
            self.rows.append((topic, body))
            if topic.endswith("/permit_applied"):
                data = decode(LogEvent, body).data
                self._permitted = isinstance(data, PermitApplied) and data.granted
