"""A word of the command line with arguments of its own, and how one of several is chosen."""

import argparse
from collections.abc import Iterable, Sequence
from typing import Protocol


class Command(Protocol):
    """A command, or an action of one. A command may come from another distribution (`pitwarden.commands`)."""

    @property
    def name(self) -> str:
        """The word that chooses it."""
        ...

    @property
    def help(self) -> str:
        """One line."""
        ...

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Does it; the exit code."""
        ...


def add_commands(parser: argparse.ArgumentParser, dest: str, known: Iterable[Command]) -> None:
    """Declares each of `known`; the word that is chosen will stand in the arguments as `dest`."""
    inner = parser.add_subparsers(dest=dest, required=True, metavar=dest.upper())
    for one in known:
        one.add(inner.add_parser(one.name, help=one.help, description=one.help))


def chosen_command(args: argparse.Namespace, dest: str, known: Sequence[Command]) -> Command:
    """The one that the arguments name."""
    return next(one for one in known if one.name == getattr(args, dest))
