"""Driver `map:FILE`: a mapped device, and the test block of its map."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden_drivers.api import MAP_PREFIX, ExpectedDevice, PlainAnswer, PlainCard, PlainStack, Said, Session
from pitwarden_drivers.mapping.check_wording import wrong_frame_check, wrong_line_sum
from pitwarden_drivers.mapping.frames import FrameBody, FrameCodec, FrameRejected
from pitwarden_drivers.mapping.link_rules import FramingRule, control_tokens
from pitwarden_drivers.mapping.map_checks import map_problems
from pitwarden_drivers.mapping.map_file import MapFile, MapFileError, TestLine, read_map
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


@dataclass(frozen=True, slots=True)
class TrialReading:
    """How the map reads a line or frame: the kind of event, `identity`, or the kind of `NonEvent`.

    `why` has the checksums, computed and received, where they do not agree.
    """

    word: str
    why: str = ""


def read_trials(made: MapFile) -> Iterator[tuple[str, TestLine, TrialReading]]:
    """Yield each line and frame of the test block with its place and the map's reading."""
    reading = LineMatcher(made)
    for place, trial in made.trials:
        if trial.frame is not None and made.framing is not None:
            yield place, trial, _read_frame(reading, made.framing, trial.frame)
        else:
            yield place, trial, _read_line(reading, trial.line or "")


def test_block_failures(made: MapFile) -> Iterator[str]:
    """Yield a sentence for each line or frame of the test block that the map reads otherwise."""
    for place, trial, found in read_trials(made):
        if found.word != trial.gives:
            why = f" ({found.why})" if found.why else ""
            yield f"{place}: {trial.shown!r} gives {found.word}{why}, not {trial.gives}"


def _read_frame(reading: LineMatcher, framing: FramingRule, digits: str) -> TrialReading:
    """Return how the map reads a frame, or control bytes, written in hexadecimal."""
    made = reading.map
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return TrialReading("no hexadecimal digits")
    codec = FrameCodec(framing, made.longest, control_tokens(made.ack, made.poll))
    for item in codec.feed(data):
        if isinstance(item, FrameBody):
            return _read_line(reading, item.text)
        if isinstance(item, FrameRejected):
            return TrialReading("bad checksum", wrong_frame_check(framing, item))
        return TrialReading(item.name)
    return TrialReading("unfinished" if codec.holding else "noise")


def _read_line(reading: LineMatcher, line: str) -> TrialReading:
    body = reading.body(line)
    if body is None:
        if reading.map.framing is not None:
            return TrialReading("other address")
        return TrialReading("bad checksum", wrong_line_sum(reading, line))
    found: MatchedIdentity | NonEvent | Said = reading.read(body)
    if isinstance(found, MatchedIdentity):
        return TrialReading("identity")
    return TrialReading(found.what if isinstance(found, NonEvent) else event_kind(found))


_UNSEALED: Final = {PlainCard: "shoe.card", PlainStack: "shoe.stack", PlainAnswer: "reader.result"}


def event_kind(found: Said) -> str:
    """Return the kind of an event, also before its face is sealed."""
    if isinstance(found, PlainCard | PlainStack | PlainAnswer):
        return _UNSEALED[type(found)]
    return found.kind
