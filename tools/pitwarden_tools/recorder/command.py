"""`./run tool recorder FILE`: record the outputs of the rules core for known logs, and compare two recordings."""

import argparse
import sys
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pitwarden_tools.bench.workloads import nights
from pitwarden_tools.recorder.material import SCENARIOS, judged_night, judged_scenarios
from pitwarden_tools.recorder.recording import differences, explained, recorded

DIFFERS: Final = 1
# Differences that are printed. A wrong step changes thousands of rows, and the first ones show why.
SHOWN: Final = 20


class RecorderCommand:
    """The tool `recorder`."""

    name = "recorder"
    help = "record each output and public state of all scenarios and five nights; compare with an earlier recording"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, metavar="FILE", help="file to write the recording to (JSON lines)")
        parser.add_argument("--against", type=Path, metavar="OLD", help="earlier recording: fail where they differ")
        parser.add_argument("--same-verdicts", action="store_true", help="permit other sentences and versions")
        parser.add_argument("--scenarios", type=Path, default=SCENARIOS, help=f"scenario files (default: {SCENARIOS})")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0, or 1 when the recording differs from the earlier one."""
        file: Path = args.file
        with TemporaryDirectory() as folder, file.open("w", encoding="utf-8") as written:
            stored = (judged_night(one) for one in nights(Path(folder)))
            for name, rows in chain(judged_scenarios(args.scenarios), stored):
                written.writelines(f"{line}\n" for line in recorded(name, rows))
        return 0 if args.against is None else _compared(args.against, file, words=not args.same_verdicts)


def _compared(old: Path, new: Path, *, words: bool) -> int:
    rows = found = 0
    with old.open(encoding="utf-8") as before, new.open(encoding="utf-8") as after:
        for pair in differences(before, after, words=words):
            found += 1
            if found <= SHOWN:
                sys.stdout.write(explained(*pair) + "\n")
    with new.open(encoding="utf-8") as after:
        rows = sum(1 for _ in after)
    sys.stdout.write(f"{rows} rows, {found} of them differ from {old}\n")
    return DIFFERS if found else 0


COMMAND = RecorderCommand()
