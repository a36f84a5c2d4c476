"""`pitwarden journal`: the actions on a table's journals as evidence."""

import argparse
import sys
from collections.abc import Sequence

from pitwarden.audit.evidence import AuditError
from pitwarden.cli import journal_copies, journal_evidence
from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.seal.errors import KeyFileError

ACTIONS: Sequence[Command] = (
    journal_evidence.VERIFY_ACTION,
    journal_copies.EXPORT_ACTION,
    journal_evidence.REPLAY_ACTION,
    journal_evidence.BLAST_RADIUS_ACTION,
    journal_copies.BACKUP,
    journal_copies.RESTORE,
    journal_copies.SALVAGE,
)


class JournalCommand:
    """The command `journal` with its actions."""

    name = "journal"
    help = "the journals of a table: " + ", ".join(action.name for action in ACTIONS)

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of each action."""
        add_commands(parser, "action", ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Return the action's exit code; 78 when the configuration, a key or a journal cannot be read."""
        try:
            return chosen_command(args, "action", ACTIONS).run(args)
        except (AuditError, KeyFileError) as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG


COMMAND = JournalCommand()
