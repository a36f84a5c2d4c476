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
from pitwarden_drivers.mapping.driver import event_kind, test_block_failures
from pitwarden_drivers.mapping.map_file import MapFile, MapFileError, load_map
from pitwarden_drivers.mapping.matcher import LineMatcher, MatchedIdentity, NonEvent
from pitwarden_drivers.mapping.wire import LineSplitter

_CHUNK = 4_096


class MapCommand:
    """The command `map`."""

    name = "map"
    help = "check a device's map file and show what its lines would be"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        what = parser.add_subparsers(dest="what", required=True, metavar="test")
        test = what.add_parser("test", help="its own test block, then each line of standard input")
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
        print(f"{made.name}: {len(made.test)} lines of its test block give what they should")  # noqa: T201  as above
        if not sys.stdin.isatty():
            for one in _shown(made):
                print(one)  # noqa: T201  as above
        return 0


def _shown(made: MapFile) -> Iterator[str]:
    """Yield each line of standard input, whatever its line end, with the event that it becomes."""
    reading, lines = LineMatcher(made), LineSplitter(b"\n", made.longest + 1)
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        yield from (_one(reading, line) for line in lines.feed(chunk.replace(b"\r", b"\n")))
    yield from (_one(reading, line) for line in lines.feed(b"\n"))
    if lines.rejected:
        yield f"{lines.rejected} lines rejected: longer than {made.longest} bytes, or no printable ASCII"


def _one(reading: LineMatcher, line: str) -> str:
    body = reading.body(line)
    found = NonEvent("bad checksum") if body is None else reading.read(body)
    match found:
        case NonEvent():
            said = found.what
        case MatchedIdentity():
            said = f"identity: serial {found.serial}, firmware {found.firmware}"
        case PlainStack():
            said = f"shoe.stack count={found.count}"
        case _:
            said = event_kind(found)
            fields = found.model_dump(exclude={"kind"}, exclude_none=True) if hasattr(found, "model_dump") else {}
            said += " face=sealed" if said == "shoe.card" else ""
            said += "".join(f" {name}={value}" for name, value in fields.items())
    return f"{line!r:40} {said}"


COMMAND = MapCommand()
