"""Content of the judge's journal at a moment, to prove that a commit comes before its publication."""

import sqlite3
from pathlib import Path
from typing import Final

from pitwarden_tools.simulation.process import SimulatedProcess

_OUTPUT: Final = "SELECT max(seq) FROM output"
_POSITION: Final = "SELECT epoch, number FROM position"


class CommittedByJudge:
    """Judge's journal, read through a connection of its own for as long as the judge's process lives."""

    def __init__(self, path: Path, process: SimulatedProcess) -> None:
        self._path, self._process = path, process
        self._life, self._sql = 0, sqlite3.connect(":memory:")
        self._output, self._position = 0, ("", 0)

    def has_output(self, number: int) -> bool:
        """Return whether output `number` is committed."""
        if self._output < number:
            self._read()
        return self._output >= number

    def has_position(self, epoch: str, number: int) -> bool:
        """Return whether the judge has committed all rows up to this one; an older epoch counts as committed."""
        if self._position != (epoch, number):
            self._read()
        return self._position[0] != epoch or self._position[1] >= number

    def _read(self) -> None:
        process = self._process
        if process.dead or process.journal is None:
            return  # its last words are still on their way; what it had committed is known from before
        if self._life != process.starts or self._sql not in process.databases:
            self._life = process.starts
            self._sql = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
            process.databases.append(self._sql)
        self._output = self._sql.execute(_OUTPUT).fetchone()[0] or 0
        self._position = self._sql.execute(_POSITION).fetchone() or ("", 0)
