"""Protocol of a command with arguments of its own, and the choice of one command by name."""

import argparse
from collections.abc import Iterable, Sequence
from typing import Protocol


class Command(Protocol):
    """Command, or action of a command. Another distribution may supply it (entry point group `pitwarden.commands`)."""

    @property
    def name(self) -> str:
        """Word that chooses the command."""
        ...

    @property
    def help(self) -> str:
        """One line for `--help`."""
        ...

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Run the command, and return the exit code."""
        ...


def add_commands(parser: argparse.ArgumentParser, dest: str, known: Iterable[Command]) -> None:
    """Declare each of `known`. The arguments hold the chosen word as `dest`."""
    # Not the class of `parser`, whose help may be another.
    inner = parser.add_subparsers(dest=dest, required=True, metavar=dest.upper(), parser_class=argparse.ArgumentParser)
    for one in known:
        one.add(inner.add_parser(one.name, help=one.help, description=one.help))


def chosen_command(args: argparse.Namespace, dest: str, known: Sequence[Command]) -> Command:
    """Return the command that the arguments name."""
    return next(one for one in known if one.name == getattr(args, dest))
