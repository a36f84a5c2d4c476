"""Driver `map:FILE`: a mapped device, and the test block of its map."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden_drivers.api import ExpectedDevice, PlainAnswer, PlainCard, PlainStack, Said, Session
from pitwarden_drivers.mapping.map_file import MapFile, MapFileError, load_map
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent
from pitwarden_drivers.mapping.session import MapSession

PREFIX = "map:"


class MapDriver:
    """Driver of one map file."""

    def __init__(self, name: str, made: MapFile) -> None:
        self.name = name
        self._reading = LineMatcher(made)

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new dialogue for a port that is about to open."""
        return MapSession(self._reading, expected)


def map_driver(name: str) -> MapDriver:
    """Return the driver that `map:FILE` names.

    Raises:
        MapFileError: The map is wrong, or its own test block fails.
    """
    file = Path(name.removeprefix(PREFIX))
    if not file.is_absolute():
        raise MapFileError(f"{name!r}: write the map's absolute path, as map:/etc/pitwarden/maps/shuffler.toml")
    made = load_map(file)
    failed = list(test_block_failures(made))
    if failed:
        raise MapFileError("\n".join(f"{file}: {one}" for one in failed))
    return MapDriver(name, made)


def test_block_failures(made: MapFile) -> Iterator[str]:
    """Yield a sentence for each line of the test block that the map reads otherwise."""
    reading = LineMatcher(made)
    for at, trial in enumerate(made.test):
        given = describe_line(reading, trial.line)
        if given != trial.gives:
            yield f"test.{at}: {trial.line!r} gives {given}, not {trial.gives}"


def describe_line(reading: LineMatcher, line: str) -> str:
    """Return in one word how the map reads a line: the kind of event, `identity`, or the kind of `NonEvent`."""
    body = reading.body(line)
    if body is None:
        return "bad checksum"
    found: MatchedIdentity | NonEvent | Said = reading.read(body)
    if isinstance(found, MatchedIdentity):
        return "identity"
    return found.what if isinstance(found, NonEvent) else event_kind(found)


_UNSEALED: Final = {PlainCard: "shoe.card", PlainStack: "shoe.stack", PlainAnswer: "reader.result"}


def event_kind(found: Said) -> str:
    """Return the kind of an event, also before its face is sealed."""
    if isinstance(found, PlainCard | PlainStack | PlainAnswer):
        return _UNSEALED[type(found)]
    return found.kind
