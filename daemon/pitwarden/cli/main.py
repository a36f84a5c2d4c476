"""Entry point of `pitwarden`: finds the commands, runs one, and reports a user's mistake without a traceback."""

import argparse
import sys
import textwrap
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.system.process import disable_core_dumps, loading
from pitwarden.system.version import VERSION

GROUP: Final = "pitwarden.commands"
OURS: Final = {
    "run": "run:COMMAND", "check-config": "table_file:COMMAND", "keys": "keys:COMMAND",
    "input": "send:INPUT_COMMAND", "command": "send:DEVICE_COMMAND", "scenario": "judge:COMMAND",
    "journal": "journal:COMMAND", "schema": "schema:COMMAND", "clauses": "clauses:COMMAND", "tail": "tail:COMMAND",
    "watch": "watch:COMMAND", "map": "map:COMMAND", "version": "version:COMMAND", "doctor": "doctor:COMMAND",
    "devices": "devices:COMMAND", "capture": "capture:COMMAND", "setup": "setup:COMMAND",
    "support": "support:COMMAND", "driver": "driver:COMMAND", "group": "group:COMMAND",
}  # fmt: skip
"""Module and name of each command. Only the requested one is loaded: all of them take a second on a slow machine."""

# Names of commands before 0.3. They are accepted until 1.0 and are not listed by --help.
FORMER: Final = {"say": "input", "order": "command", "judge": "scenario"}


BY_ROLE: Final = {
    "technician: install and repair a controller": (
        "setup", "check-config", "keys", "doctor", "devices", "run", "journal", "group", "support", "version",
    ),
    "floor and surveillance: at a terminal": ("watch", "tail", "input"),
    "integrator: connect a device": ("driver", "map", "capture", "command", "conformance", "session-kit"),
    "compliance and laboratory: review the rules": ("clauses", "scenario"),
    "developer of a consumer": ("schema",),
    "practice without hardware": ("simulate", "demo"),
}  # fmt: skip
"""Commands for each kind of user, in the order of their work. Commands of further packages follow at the end."""


class _TopParser(argparse.ArgumentParser):
    """Parser whose help lists the commands by role."""

    def __init__(self, known: Sequence[Command]) -> None:
        super().__init__(prog="pitwarden", description="Hardware events of casino gaming tables, judged.")
        self._known = {one.name: one.help for one in known}

    def format_help(self) -> str:
        """Return the help: what the program is for, and its commands by role."""
        listed = {title: [name for name in names if name in self._known] for title, names in BY_ROLE.items()}
        listed["further commands"] = sorted(self._known.keys() - {name for names in BY_ROLE.values() for name in names})
        parts = [self.format_usage().strip(), self.description or ""]
        for title, names in listed.items():
            lines = [line for name in names for line in _help_lines(name, self._known[name])]
            parts += ["\n".join([f"{title}:", *lines])] if lines else []
        parts.append("pitwarden COMMAND --help explains a command, --version prints the version.")
        return "\n\n".join(parts) + "\n"


def _help_lines(name: str, text: str) -> list[str]:
    return textwrap.wrap(text, 78, initial_indent=f"  {name:<14}", subsequent_indent=" " * 16, break_on_hyphens=False)


def find_commands(only: str | None = None) -> list[Command]:
    """Return the commands, those of this package first; with `only`, the command of this name if it exists."""
    ours = [name for name in OURS if only in (None, name)]
    # The metadata of all packages is read only where another package may have the command.
    others = [] if only in OURS else sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    loaded: list[Command] = [EntryPoint(name, f"pitwarden.cli.{OURS[name]}", GROUP).load() for name in ours]
    return loaded + [entry.load() for entry in others if only in (None, entry.name)]


def build_parser(known: Sequence[Command]) -> argparse.ArgumentParser:
    """Return the parser of the complete command line."""
    top = _TopParser(known)
    top.add_argument("--version", action="version", version=f"pitwarden {VERSION}")
    add_commands(top, "command", known)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line. Exit codes: 0 success, 1 a negative result, 2 wrong arguments, 78 configuration refused."""
    words = _words(argv)
    return _run(words, _asked(words))


def _words(argv: Sequence[str] | None) -> list[str]:
    words = list(sys.argv[1:] if argv is None else argv)
    words[:1] = [FORMER.get(word, word) for word in words[:1]]
    return words


def _asked(words: Sequence[str]) -> list[Command]:
    """Return the command that the first word names, or all of them."""
    return (find_commands(words[0]) if words else []) or find_commands()


def _run(words: Sequence[str], known: Sequence[Command]) -> int:
    missing = _missing_package(words, known)
    if missing:
        print(missing, file=sys.stderr)  # noqa: T201  a command talks to a person
        return 2
    args = build_parser(known).parse_args(words)
    try:
        return chosen_command(args, "command", known).run(args)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output left; Python would complain about the flush at exit
        return 1


def run_as_program() -> int:
    """Run the command line of this process, without core dumps: some commands read keys, and a table's file names them.

    Only a program of its own does that. A process that calls `main` decides for itself.
    """
    disable_core_dumps()
    words = _words(None)
    with loading():
        known = _asked(words)
    return _run(words, known)


def _missing_package(words: Sequence[str], known: Sequence[Command]) -> str:
    """Return the reason why a command of ours is not there; empty for other words."""
    ours = {name for names in BY_ROLE.values() for name in names}
    if not words or words[0] not in ours - {one.name for one in known}:
        return ""
    return f"{words[0]}: is a command of the package pitwarden-simulators, which is not installed here"
