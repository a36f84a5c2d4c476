"""`driver = "map:FILE"`: a mapped device as a driver, and its test block."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden_drivers.api import Expected, PlainAnswer, PlainCard, PlainStack, Said, Session
from pitwarden_drivers.mapping.file import MapRefused, load_map
from pitwarden_drivers.mapping.models import MapFile
from pitwarden_drivers.mapping.reading import Identity, Known, Reading
from pitwarden_drivers.mapping.session import MapSession

PREFIX = "map:"


class MapDriver:
    """See `pitwarden_drivers.api.Driver`."""

    def __init__(self, name: str, made: MapFile) -> None:
        self.name = name
        self._reading = Reading(made)

    def session(self, expected: Expected) -> Session:
        """A new dialogue for a port that is about to open."""
        return MapSession(self._reading, expected)


def map_driver(name: str) -> MapDriver:
    """The driver that `map:FILE` names; MapRefused when the map is wrong or its own test block fails."""
    file = Path(name.removeprefix(PREFIX))
    if not file.is_absolute():
        raise MapRefused(f"{name!r}: write the map's absolute path, as map:/etc/pitwarden/maps/shuffler.toml")
    made = load_map(file)
    failed = list(failures(made))
    if failed:
        raise MapRefused("\n".join(f"{file}: {one}" for one in failed))
    return MapDriver(name, made)


def failures(made: MapFile) -> Iterator[str]:
    """What the test block says that the map does not do."""
    reading = Reading(made)
    for at, trial in enumerate(made.test):
        given = what(reading, trial.line)
        if given != trial.gives:
            yield f"test.{at}: {trial.line!r} gives {given}, not {trial.gives}"


def what(reading: Reading, line: str) -> str:
    """What a line gives, in a word: an event's kind, `identity`, or what `Known` says."""
    body = reading.body(line)
    if body is None:
        return "bad checksum"
    found: Identity | Known | Said = reading.read(body)
    if isinstance(found, Identity):
        return "identity"
    return found.what if isinstance(found, Known) else kind_of(found)


_UNSEALED: Final = {PlainCard: "shoe.card", PlainStack: "shoe.stack", PlainAnswer: "reader.result"}


def kind_of(found: Said) -> str:
    """The kind of an event, also of one whose face is not sealed yet."""
    if isinstance(found, PlainCard | PlainStack | PlainAnswer):
        return _UNSEALED[type(found)]
    return found.kind
