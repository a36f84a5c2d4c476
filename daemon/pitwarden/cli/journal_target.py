"""Journals and keys that a journal action reads: those of the table file, or copies in another folder."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError
from pitwarden.cli.table_file import keys_of, read_table_file
from pitwarden.config.halves import journal_of
from pitwarden.config.models import TableFile
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import derive_checkpoint_key, load_private_keys, load_trusted_keys, load_verify_key
from pitwarden_client.events.base import Position
from pitwarden_client.events.topics import HALVES


@dataclass(frozen=True, slots=True)
class JournalTarget:
    """Journals of one table, and the keys that check their signatures."""

    file: TableFile
    log: Path
    """Path of the field half's journal."""
    judge: Path
    """Path of the judge's journal; in another folder where each half has its own."""
    whose: AuditScope

    def need(self) -> None:
        """Check that a journal exists.

        Raises:
            AuditError: Neither journal exists.
        """
        if not self.log.is_file() and not self.judge.is_file():
            raise AuditError(f"{self.log.parent}: holds neither field.sqlite nor judge.sqlite")


def add_journal_options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name a table."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
    parser.add_argument(
        "--journals", type=Path, metavar="DIR", help="copies of the journals, instead of the table's own"
    )


def parse_journal_target(args: argparse.Namespace) -> JournalTarget:
    """Return the journals that the arguments name.

    Raises:
        AuditError: The table file is refused; its problems were printed.
    """
    file = read_table_file(args.config)
    if file is None:
        raise AuditError(f"{args.config}: the table file is refused")
    keys = keys_of(file)
    whose = AuditScope(
        file.table.site, file.table.table, load_trusted_keys(keys.field), _judge_keys(keys.judge),
        _shown_key(keys.judge),
    )  # fmt: skip
    copies: Path | None = args.journals
    log, judge = (journal_of(file, half) if copies is None else copies / f"{half}.sqlite" for half in HALVES)
    return JournalTarget(file, log, judge, whose)


def _judge_keys(path: Path) -> tuple[str, ...]:
    """Return the keys that check the judge's signatures; none for an auditor, who should have no private key."""
    try:
        return tuple(derive_checkpoint_key(private).public for private in load_private_keys(path))
    except KeyFileError:
        return ()


def _shown_key(path: Path) -> tuple[str, ...]:
    """Return the judge's verify key from its public file; none where keys of 0.2.0 or older lack it."""
    key = load_verify_key(path)
    return () if key is None else (key,)


def parse_position(text: str) -> Position:
    """Return `EPOCH/NUMBER` as a position.

    Raises:
        ArgumentTypeError: The text is not a position.
    """
    epoch, _, number = text.partition("/")
    try:
        return Position(epoch=epoch, number=int(number))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no row: write EPOCH/NUMBER") from None
