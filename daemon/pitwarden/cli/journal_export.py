"""`pitwarden journal export`: rows or verdicts as JSON lines or CSV, or one round as an evidence pack."""

import argparse
from pathlib import Path

from pitwarden.audit.evidence import judge_evidence, log_evidence
from pitwarden.audit.export import NEWEST, Packed, find, log_lines, output_lines, pack
from pitwarden.cli.journal_place import JournalPlace, add_place, place_of, position

UNPROVED = 1


class ExportAction:
    """Exports."""

    name = "export"
    help = "the log or the verdicts as JSON lines or CSV; or one round as an evidence pack"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)
        parser.add_argument("--of", choices=("log", "outputs"), default="log", help="which chain (default: log)")
        parser.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", help="default: jsonl")
        one = parser.add_mutually_exclusive_group()
        one.add_argument("--round", type=_round, metavar="N", help="a round, counted by kp.boxes in the log, or `last`")
        one.add_argument("--row", type=position, metavar="EPOCH/NUMBER", help="the round that this row belongs to")
        parser.add_argument("--out", type=Path, metavar="DIR", help="a new folder for the evidence pack of that round")

    def run(self, args: argparse.Namespace) -> int:
        """0 when written; 1 when a reveal of the round does not hold."""
        place = place_of(args)
        if args.round is not None or args.row is not None:
            return self._pack(place, args)
        if args.of == "log":
            with log_evidence(place.log) as log:
                for line in log_lines(log.rows(), args.format):
                    print(line)  # noqa: T201  the command's answer
        else:
            with judge_evidence(place.judge) as judge:
                for line in output_lines(judge.outputs(place.whose.key), args.format):
                    print(line)  # noqa: T201  the command's answer
        return 0

    def _pack(self, place: JournalPlace, args: argparse.Namespace) -> int:
        with log_evidence(place.log) as log:
            stretch = find(log, args.round or 0, args.row)
            folder = args.out or Path(f"{place.file.table.table}-round-{stretch.number}")
            if place.judge.is_file():
                with judge_evidence(place.judge) as judge:
                    packed = pack(place.whose, log, judge, stretch, folder)
            else:
                packed = pack(place.whose, log, None, stretch, folder)
        print(_sentence(stretch.number, folder, packed))  # noqa: T201  the command's answer
        return UNPROVED if packed.unproved else 0


def _sentence(number: int, folder: Path, packed: Packed) -> str:
    held = "all commitments hold" if not packed.unproved else f"{packed.unproved} do NOT hold or have no row here"
    counted = f"{packed.rows} rows, {packed.outputs} outputs, {packed.reveals} reveals: {held}"
    return f"{folder}: round {number}; {counted}"


def _round(text: str) -> int:
    return NEWEST if text == "last" else int(text)


ACTION = ExportAction()
