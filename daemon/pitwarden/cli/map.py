"""`pitwarden map test FILE < lines`: check a device's map and print, for each line, the event that it would become.

A card's face is sealed before it is published, so none is printed.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pitwarden.cli.table_file import EX_CONFIG
from pitwarden_drivers.api import PlainStack
from pitwarden_drivers.mapping.check_wording import wrong_frame_check, wrong_line_sum
from pitwarden_drivers.mapping.driver import event_kind, load_map, read_trials, test_block_failures
from pitwarden_drivers.mapping.frames import ControlToken, FrameCodec, FrameRejected
from pitwarden_drivers.mapping.lines import LineSplitter
from pitwarden_drivers.mapping.link_rules import FramingRule, control_tokens
from pitwarden_drivers.mapping.map_file import MapFile, MapFileError
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent

_CHUNK = 4_096
LONGEST_INPUT = 4_096


class MapCommand:
    """The command `map`."""

    name = "map"
    help = "check a device's map file and show what its lines would be"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        what = parser.add_subparsers(dest="what", required=True, metavar="test")
        test = what.add_parser(
            "test", help="its own test block, then standard input, line by line; frames in hexadecimal"
        )
        test.add_argument("file", type=Path, help="the map (TOML)")

    def run(self, args: argparse.Namespace) -> int:
        """Test the map, and return 0 when it is good, 78 with every problem when not."""
        try:
            made = load_map(args.file)
        except MapFileError as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        failed = list(test_block_failures(made))
        for one in failed:
            print(f"{args.file}: {one}", file=sys.stderr)  # noqa: T201  as above
        if failed:
            return EX_CONFIG
        print(f"{made.name}: {len(made.trials)} lines of its test block give what they should")  # noqa: T201  as above
        for _, trial, found in read_trials(made):
            if found.why:
                print(f"{trial.shown!r:40} {found.word}: {found.why}")  # noqa: T201  as above
        if not sys.stdin.isatty():
            for one in _shown(made):
                print(one)  # noqa: T201  as above
        return 0


def _shown(made: MapFile) -> Iterator[str]:
    """Yield each line of standard input, whatever its line end, with the event that it becomes."""
    reading, lines = LineMatcher(made), LineSplitter(b"\n", LONGEST_INPUT)
    show = _line if made.framing is None else _frames
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        for line in lines.feed(chunk.replace(b"\r", b"\n")):
            yield from show(reading, line)
    for line in lines.feed(b"\n"):
        yield from show(reading, line)
    if lines.rejected:
        yield f"{lines.rejected} lines rejected: longer than {LONGEST_INPUT} bytes, or no printable ASCII"


def _line(reading: LineMatcher, line: str) -> Iterator[str]:
    """Yield what a line of the device becomes."""
    body = reading.body(line) if len(line) <= reading.map.longest else None
    if body is not None:
        yield f"{line!r:40} {_meaning(reading, body)}"
    elif len(line) > reading.map.longest:
        yield f"{line[:40]!r:40} longer than {reading.map.longest} bytes"
    else:
        yield f"{line!r:40} bad checksum: {wrong_line_sum(reading, line)}"


def _frames(reading: LineMatcher, digits: str) -> Iterator[str]:
    """Yield what the frames become that a line of hexadecimal digits holds."""
    framing = reading.map.framing
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        yield f"{digits!r:40} not hexadecimal: write the bytes of the device as pairs of digits, 02 41 03 42"
        return
    if framing is None:
        return
    codec = FrameCodec(framing, reading.map.longest, control_tokens(reading.map.ack, reading.map.poll))
    for item in codec.feed(data):
        if isinstance(item, ControlToken):
            yield f"{'':40} {item.name}"
        elif isinstance(item, FrameRejected):
            yield f"{digits!r:40} bad frame: {wrong_frame_check(framing, item)}"
        else:
            body = reading.body(item.text)
            yield f"{item.text!r:40} {'other address' if body is None else _meaning(reading, body)}"
    if codec.holding:
        yield f"{digits!r:40} unfinished: the frame must end with {framing.stop}{_check_words(framing)}"


def _check_words(framing: FramingRule) -> str:
    return "" if framing.check is None or framing.check.placed == "before stop" else " and its check"


def _meaning(reading: LineMatcher, body: str) -> str:
    found = reading.read(body)
    match found:
        case NonEvent():
            return found.what
        case MatchedIdentity():
            return f"identity: serial {found.serial}, firmware {found.firmware}"
        case PlainStack():
            return f"shoe.stack count={found.count}"
        case _:
            said = event_kind(found)
            fields = found.model_dump(exclude={"kind"}, exclude_none=True) if hasattr(found, "model_dump") else {}
            said += " face=sealed" if said == "shoe.card" else ""
            return said + "".join(f" {name}={value}" for name, value in fields.items())


COMMAND = MapCommand()
