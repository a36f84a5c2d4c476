"""View of the log on the disk: where it ends, and its rows."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import PermitApplied


@dataclass(frozen=True, slots=True)
class End:
    """Last committed row."""

    place: int
    at: Position


class LogView:
    """Field half's journal, read while it is written. What cannot be read at present counts as absent."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def end(self) -> End | None:
        """Return the last committed row; None before the first."""
        found = self._ask(
            "SELECT place, name, number FROM row JOIN epoch ON epoch.id = row.epoch ORDER BY place DESC LIMIT 1"
        )
        return None if not found else End(int(found[0][0]), Position(epoch=found[0][1], number=int(found[0][2])))

    def place_of(self, at: Position) -> int:
        """Return the place of a row; 0 when it is absent."""
        query = "SELECT place FROM row JOIN epoch ON epoch.id = row.epoch WHERE name = ? AND number = ?"
        found = self._ask(query, at.epoch, at.number)
        return int(found[0][0]) if found else 0

    def permitted(self) -> bool:
        """Return whether the table last displayed that dealing is permitted."""
        found = self._ask("SELECT body FROM row WHERE topic LIKE '%/permit_applied' ORDER BY place DESC LIMIT 1")
        data = decode(LogEvent, bytes(found[0][0])).data if found else None
        return isinstance(data, PermitApplied) and data.granted

    def some(self, places: list[int]) -> list[tuple[str, bytes]]:
        """Return topic and bytes of some rows."""
        found = [self._ask("SELECT topic, body FROM row WHERE place = ?", place) for place in places]
        return [(topic, body) for rows in found for topic, body in rows]

    def _ask(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        try:
            sql = sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True, timeout=1)
        except sqlite3.DatabaseError:
            return []
        try:
            return sql.execute(query, values).fetchall()
        except sqlite3.DatabaseError:
            return []
        finally:
            sql.close()
