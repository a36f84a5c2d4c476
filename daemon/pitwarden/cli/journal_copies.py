"""`pitwarden journal backup` and `restore`: both journals of a table to a folder, and back."""

import argparse
from pathlib import Path

from pitwarden.audit.copies import backup, restore
from pitwarden.cli.journal_place import add_place, place_of


class BackupAction:
    """Copies, also while the service runs."""

    name = "backup"
    help = "copy both journals, also while the service runs, each whole as of one commit"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder for the copies")

    def run(self, args: argparse.Namespace) -> int:
        """0 with the digest of each copy."""
        for name, digest in backup(place_of(args).folder, args.out).items():
            print(f"{digest}  {args.out / name}")  # noqa: T201  the command's answer
        return 0


class RestoreAction:
    """Puts copies back."""

    name = "restore"
    help = "put copies in place of the journals, which are kept; the next start opens a new epoch behind them"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)
        parser.add_argument("--from", type=Path, required=True, metavar="DIR", dest="folder", help="a backup's folder")

    def run(self, args: argparse.Namespace) -> int:
        """0 with what was kept, and what the table will say."""
        for path in restore(args.folder, place_of(args).folder):
            print(f"{path}: kept")  # noqa: T201  the command's answer
        print(  # noqa: T201  the command's answer
            "restored. The next start opens a new epoch behind the restored log; where the judge or the broker knew"
            " more, the table says log_forked and dealing is withheld until the floor has verified the decks"
        )
        return 0


BACKUP = BackupAction()
RESTORE = RestoreAction()
