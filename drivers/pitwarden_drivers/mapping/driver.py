"""Driver `map:FILE`: a mapped device, and the test block of its map."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden_drivers.api import MAP_PREFIX, ExpectedDevice, PlainAnswer, PlainCard, PlainStack, Said, Session
from pitwarden_drivers.mapping.frames import FrameBody, FrameCodec, FrameRejected
from pitwarden_drivers.mapping.link_rules import FramingRule, control_tokens
from pitwarden_drivers.mapping.map_checks import map_problems
from pitwarden_drivers.mapping.map_file import MapFile, MapFileError, read_map
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent
from pitwarden_drivers.mapping.session import MapSession


class MapDriver:
    """Driver of one map file."""

    def __init__(self, name: str, made: MapFile) -> None:
        self.name = name
        self._reading = LineMatcher(made)

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new dialogue for a port that is about to open."""
        return MapSession(self._reading, expected)


def load_map(file: Path) -> MapFile:
    """Return the map at `file`.

    Raises:
        MapFileError: The map is wrong; the message has every problem with its place.
    """
    made = read_map(file)
    problems = map_problems(made)
    if problems:
        raise MapFileError("\n".join(f"{file}: {one}" for one in problems))
    return made


def map_driver(name: str) -> MapDriver:
    """Return the driver that `map:FILE` names.

    Raises:
        MapFileError: The map is wrong, or its own test block fails.
    """
    file = Path(name.removeprefix(MAP_PREFIX))
    if not file.is_absolute():
        raise MapFileError(f"{name!r}: write the map's absolute path, as map:/etc/pitwarden/maps/shuffler.toml")
    made = load_map(file)
    failed = list(test_block_failures(made))
    if failed:
        raise MapFileError("\n".join(f"{file}: {one}" for one in failed))
    return MapDriver(name, made)


def test_block_failures(made: MapFile) -> Iterator[str]:
    """Yield a sentence for each line or frame of the test block that the map reads otherwise."""
    reading = LineMatcher(made)
    for place, trial in made.trials:
        if trial.frame is not None and made.framing is not None:
            shown = trial.frame
            given = describe_frame(reading, made.framing, shown)
        else:
            shown = trial.line or ""
            given = describe_line(reading, shown)
        if given != trial.gives:
            yield f"{place}: {shown!r} gives {given}, not {trial.gives}"


def describe_frame(reading: LineMatcher, framing: FramingRule, digits: str) -> str:
    """Return in one word how the map reads a frame, or control bytes, written in hexadecimal."""
    made = reading.map
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return "no hexadecimal digits"
    codec = FrameCodec(framing, made.longest, control_tokens(made.ack, made.poll))
    for item in codec.feed(data):
        if isinstance(item, FrameBody):
            return describe_line(reading, item.text)
        return "bad checksum" if isinstance(item, FrameRejected) else item.name
    return "unfinished" if codec.holding else "noise"


def describe_line(reading: LineMatcher, line: str) -> str:
    """Return in one word how the map reads a line: the kind of event, `identity`, or the kind of `NonEvent`."""
    body = reading.body(line)
    if body is None:
        return "bad checksum" if reading.map.framing is None else "other address"
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
