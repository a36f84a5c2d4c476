"""Table files of a pit, read at start and at each reload. Files that one process cannot serve together are refused."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pitwarden.cli.table_file import external_checks, read_table_file
from pitwarden.config.halves import of_half
from pitwarden.config.models import MetricsSection, TableFile
from pitwarden.pit.registry import TableFileResult

_ELSEWHERE: Final = (
    "metrics: another file of this process names another place, and all its tables are read at one. Write the same"
    " section in each file, or in one alone"
)
_OTHER_GROUP: Final = (
    "judge_group: the first file of this process has another section, or none. A process is a member of one group with"
    " all of its tables: write the same section in each file"
)


class PitFiles:
    """Table files, and folders of them, that the command line names. A call reads them."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places, self._checks = tuple(places), external_checks()
        self._known: dict[Path, tuple[tuple[int, int], TableFile]] = {}
        self.metrics: MetricsSection | None = None
        """Metrics endpoint of the process, from the first file that configures one."""

    def found(self) -> list[Path]:
        """Return the paths of the table files that exist."""
        return [
            file for place in self._places for file in (sorted(place.glob("*.toml")) if place.is_dir() else [place])
        ]

    def __call__(self) -> list[TableFileResult]:
        """Read the files that changed, and print every problem to standard error."""
        given = [TableFileResult(path, self._read(path)) for path in self.found()]
        wrong = dict([*_twice(given), *self._elsewhere(given), *_other_group(given)])
        for path, reason in wrong.items():
            print(f"{path}: {reason}", file=sys.stderr)  # noqa: T201  a command talks to a person
        return [TableFileResult(one.path, None) if one.path in wrong else one for one in given]

    def _read(self, path: Path) -> TableFile | None:
        try:
            stat = path.stat()
        except OSError:
            return read_table_file(path, self._checks)  # which prints the reason
        state = stat.st_mtime_ns, stat.st_size
        known = self._known.get(path)
        if known is not None and known[0] == state:
            return known[1]
        file = read_table_file(path, self._checks)
        if file is not None:
            file = of_half(file, "judge")
            self._known[path] = state, file
        return file

    def _elsewhere(self, given: Sequence[TableFileResult]) -> Iterator[tuple[Path, str]]:
        for one in given:
            wanted = None if one.file is None else one.file.metrics
            if self.metrics is None:
                self.metrics = wanted
            if wanted not in (None, self.metrics):
                yield one.path, _ELSEWHERE


def _other_group(given: Sequence[TableFileResult]) -> Iterator[tuple[Path, str]]:
    files = [(one.path, one.file) for one in given if one.file is not None]
    for path, file in files:
        if file.judge_group != files[0][1].judge_group:
            yield path, _OTHER_GROUP


def _twice(given: Sequence[TableFileResult]) -> Iterator[tuple[Path, str]]:
    seen: dict[tuple[str, str], Path] = {}
    for one in given:
        if one.file is None:
            continue
        name = one.file.table.site, one.file.table.table
        if name in seen:
            yield one.path, f"table.table: {'/'.join(name)} is the table of {seen[name]} too: a table has one judge"
        seen.setdefault(name, one.path)
