"""`pitwarden journal export`, `backup`, `restore` and `salvage`.

`export` writes rows or outputs as JSON lines or CSV, or one round as an evidence pack. `backup` and `restore` copy both
journals to a folder and back. `salvage` recovers the readable rows of a damaged journal.
"""

import argparse
import os
from datetime import date
from pathlib import Path

from pitwarden.audit.backup import backup, restore
from pitwarden.audit.evidence import AuditError, open_judge_evidence, open_log_evidence
from pitwarden.audit.export import (
    NEWEST,
    EvidencePack,
    export_log,
    export_outputs,
    find_round,
    outputs_of_day,
    rows_of_day,
    write_evidence_pack,
)
from pitwarden.cli.journal_target import JournalTarget, add_journal_options, parse_journal_target, parse_position
from pitwarden.journal.errors import JournalError
from pitwarden.journal.salvage import SalvageResult, salvage
from pitwarden.journal.salvage_process import FOUND, NOTHING_FOUND, SalvageReport

UNPROVED = 1


class ExportAction:
    """The action `export`."""

    name = "export"
    help = "the log or the verdicts as JSON lines or CSV; or one round as an evidence pack"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)
        parser.add_argument("--of", choices=("log", "outputs"), default="log", help="which chain (default: log)")
        parser.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", help="default: jsonl")
        one = parser.add_mutually_exclusive_group()
        one.add_argument(
            "--gaming-day", type=date.fromisoformat, metavar="YYYY-MM-DD", help="only the rows, or outputs, of this day"
        )
        one.add_argument("--round", type=_round, metavar="N", help="a round, counted by kp.boxes in the log, or `last`")
        one.add_argument(
            "--row", type=parse_position, metavar="EPOCH/NUMBER", help="the round that this row belongs to"
        )
        parser.add_argument("--out", type=Path, metavar="DIR", help="a new folder for the evidence pack of that round")

    def run(self, args: argparse.Namespace) -> int:
        """Export, and return 0; 1 when a reveal of the round does not match its commitment."""
        place = parse_journal_target(args)
        if args.round is not None or args.row is not None:
            return self._pack(place, args)
        if args.of == "log":
            with open_log_evidence(place.log) as log:
                rows = log.rows() if args.gaming_day is None else rows_of_day(log.rows(), args.gaming_day)
                for line in export_log(rows, args.format):
                    print(line)  # noqa: T201  the command's answer
        else:
            with open_judge_evidence(place.judge) as judge:
                said = judge.outputs(place.whose.key)
                wanted = said if args.gaming_day is None else outputs_of_day(said, args.gaming_day)
                for line in export_outputs(wanted, args.format):
                    print(line)  # noqa: T201  the command's answer
        return 0

    def _pack(self, place: JournalTarget, args: argparse.Namespace) -> int:
        with open_log_evidence(place.log) as log:
            stretch = find_round(log, args.round or 0, args.row)
            folder = args.out or Path(f"{place.file.table.table}-round-{stretch.number}")
            if place.judge.is_file():
                with open_judge_evidence(place.judge) as judge:
                    packed = write_evidence_pack(place.whose, log, judge, stretch, folder)
            else:
                packed = write_evidence_pack(place.whose, log, None, stretch, folder)
        print(_sentence(stretch.number, folder, packed))  # noqa: T201  the command's answer
        return UNPROVED if packed.unproved else 0


def _sentence(number: int, folder: Path, packed: EvidencePack) -> str:
    held = "all commitments hold" if not packed.unproved else f"{packed.unproved} do NOT hold or have no row here"
    counted = f"{packed.rows} rows, {packed.outputs} outputs, {packed.reveals} reveals: {held}"
    return f"{folder}: round {number}; {counted}"


def _round(text: str) -> int:
    return NEWEST if text == "last" else int(text)


EXPORT_ACTION = ExportAction()


def _journals(args: argparse.Namespace) -> tuple[Path, Path]:
    place = parse_journal_target(args)
    return place.log, place.judge


class BackupAction:
    """The action `backup`, which may run while the service does."""

    name = "backup"
    help = "copy both journals, also while the service runs, each whole as of one commit"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder for the copies")

    def run(self, args: argparse.Namespace) -> int:
        """Copy the journals, print the digest of each copy, and return 0."""
        for name, digest in backup(_journals(args), args.out).items():
            print(f"{digest}  {args.out / name}")  # noqa: T201  the command's answer
        return 0


class RestoreAction:
    """The action `restore`."""

    name = "restore"
    help = "put copies in place of the journals, which are kept; the next start opens a new epoch behind them"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)
        parser.add_argument("--from", type=Path, required=True, metavar="DIR", dest="folder", help="a backup's folder")

    def run(self, args: argparse.Namespace) -> int:
        """Restore the copies, print what was retained and what the table will report, and return 0."""
        for path in restore(args.folder, _journals(args)):
            print(f"{path}: kept")  # noqa: T201  the command's answer
        print(  # noqa: T201  the command's answer
            "restored. The next start opens a new epoch behind the restored log; where the judge or the broker knew"
            " more, the table says log_forked and dealing is withheld until the floor has verified the decks"
        )
        return 0


class SalvageAction:
    """The action `salvage`."""

    name = "salvage"
    help = "take the readable rows of a damaged journal into a new folder, for verify, export and replay --journals"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--from", type=Path, required=True, metavar="FILE", dest="damaged", help="its file")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder for the rows")
        parser.add_argument(
            "--json",
            action="store_true",
            help="print the result as one line of JSON, and give up when the program that started this ends",
        )

    def run(self, args: argparse.Namespace) -> int:
        """Salvage a damaged journal.

        Returns:
            0 with the result, 1 when no row could be read, 78 with `--json` when the salvage failed.

        Raises:
            AuditError: The salvage failed, without `--json`.
        """
        parent = os.getppid()
        try:
            # The service's child must not outlive it: the next start salvages again, and would not be alone.
            found = salvage(args.damaged, args.out, (lambda: os.getppid() != parent) if args.json else lambda: False)
        except (OSError, JournalError) as error:
            if args.json:
                print(SalvageReport(summary=str(error)).model_dump_json())  # noqa: T201  the command's answer
                return os.EX_CONFIG
            raise AuditError(f"{args.damaged}: cannot be salvaged into {args.out}: {error}") from None
        print(_report(found).model_dump_json() if args.json else found)  # noqa: T201  the command's answer
        return FOUND if found.rows or found.received or found.outputs else NOTHING_FOUND


def _report(found: SalvageResult) -> SalvageReport:
    return SalvageReport(
        summary=str(found),
        rows=found.rows,
        received=found.received,
        outputs=found.outputs,
        unreadable=len(found.unreadable),
    )


BACKUP = BackupAction()
RESTORE = RestoreAction()
SALVAGE = SalvageAction()
