"""`pitwarden`: finds the commands, runs one, and turns a user's mistake into a sentence instead of a traceback."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version
from typing import Protocol

from pitwarden.cli import (
    capture_command,
    check_command,
    clauses_command,
    devices_command,
    doctor_command,
    journal_command,
    judge_command,
    keys_command,
    map_command,
    order_command,
    run_command,
    say_command,
    schema_command,
    tail_command,
    version_command,
    watch_command,
)

GROUP = "pitwarden.commands"


class Command(Protocol):
    """A subcommand: ours, or one that another distribution brings by the entry point `pitwarden.commands`."""

    @property
    def name(self) -> str:
        """The word after `pitwarden`."""
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


def commands() -> list[Command]:
    """Every command, ours first."""
    ours: list[Command] = [
        run_command.COMMAND, check_command.COMMAND, keys_command.COMMAND, say_command.COMMAND, order_command.COMMAND,
        judge_command.COMMAND,
        journal_command.COMMAND, schema_command.COMMAND, clauses_command.COMMAND, tail_command.COMMAND,
        watch_command.COMMAND, map_command.COMMAND,
        version_command.COMMAND, doctor_command.COMMAND, devices_command.COMMAND,
        capture_command.COMMAND,
    ]  # fmt: skip
    return ours + [entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)]


def parser(known: Sequence[Command]) -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(prog="pitwarden", description="Hardware events of casino gaming tables, judged.")
    top.add_argument("--version", action="version", version=f"pitwarden {version('pitwarden')}")
    inner = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in known:
        command.add(inner.add_parser(command.name, help=command.help, description=command.help))
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point. Exit codes: 0 done, 1 not as wanted, 2 wrong arguments, 78 configuration refused."""
    known = commands()
    args = parser(known).parse_args(argv)
    try:
        return next(command for command in known if command.name == args.command).run(args)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output left; Python would complain about the flush at exit
        return 1
