"""Parser of a scenario file's text: `[time] source.event arguments -> expectation; expectation`.

A line that begins with `->` adds expectations to the previous line. `#` begins a comment.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from pitwarden.scenario.arguments import LineTime, parse_when
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.expectations import Expectation, parse_expectation
from pitwarden.scenario.header import ScenarioHeader, parse_header

MAX_BYTES: Final = 1_000_000
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_TIME: Final = re.compile(r"(\+\d+\w+|@\+\d+d\s+\S+|@\S+)\s+(?=\S)")
_TOKEN: Final = re.compile(r'"([^"]*)"|([^\s,()\[\]"]+)')


@dataclass(frozen=True, slots=True)
class ScenarioLine:
    """Event or macro as written: line number, time, word, arguments, and expectations."""

    number: int
    text: str
    when: LineTime
    word: str
    args: tuple[str, ...]
    expected: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """Parsed scenario file, not yet played."""

    file: str
    header: ScenarioHeader
    lines: tuple[ScenarioLine, ...]


def parse_scenario(text: str, file: str) -> Scenario:
    """Return `text` as a scenario.

    Raises:
        ScenarioError: The text is not a valid scenario; the error has file and line.
    """
    if len(text.encode()) > MAX_BYTES:
        raise ScenarioError(f"more than {MAX_BYTES} bytes", file=file)
    rows = [(number, _COMMENT.sub("", row).strip()) for number, row in enumerate(text.splitlines(), 1)]
    marks = [index for index, (_, row) in enumerate(rows) if row == "---"]
    if len(marks) != 1:
        raise ScenarioError("one line `---` stands between the header and the events", file=file)
    header = parse_header([row for row in rows[: marks[0]] if row[1]], file)
    lines: list[ScenarioLine] = []
    for number, row in rows[marks[0] + 1 :]:
        if not row:
            continue
        try:
            _add(lines, number, row)
        except ScenarioError as error:
            raise error.at(file, number) from None
    return Scenario(file, header, tuple(lines))


def split_event(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the word and the arguments of `sh.card(9H,up)` or `sh.card 9H up`.

    Raises:
        ScenarioError: The text has no word, or an open quotation mark.
    """
    tokens = [quoted or bare for quoted, bare in _TOKEN.findall(text)]
    if not tokens or '"' in _TOKEN.sub("", text):
        raise ScenarioError(f"{text!r} is no event: write source.event and its arguments")
    return tokens[0], tuple(tokens[1:])


def _add(lines: list[ScenarioLine], number: int, row: str) -> None:
    event, arrow, wanted = row.partition("->")
    expected = tuple(parse_expectation(part) for part in wanted.split(";")) if arrow else ()
    if not event.strip():
        if not lines:
            raise ScenarioError("`->` continues a line, and there is none before it")
        lines[-1] = replace(lines[-1], expected=lines[-1].expected + expected)
        return
    when = LineTime()
    if time := _TIME.match(event):
        when, event = parse_when(time[1]), event[time.end() :]
    word, args = split_event(event.strip())
    lines.append(ScenarioLine(number, event.strip(), when, word, args, expected))
