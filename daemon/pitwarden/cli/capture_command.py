"""`pitwarden capture`: records a device's line on the bench, and plays recordings to its driver again."""

import argparse
from typing import Protocol

from pitwarden.cli import capture_record, capture_replay


class Action(Protocol):
    """What can be done with captures."""

    @property
    def name(self) -> str:
        """The word after `capture`."""
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


_ACTIONS: tuple[Action, ...] = (capture_record.ACTION, capture_replay.ACTION)


class CaptureCommand:
    """Records and replays."""

    name = "capture"
    help = "record a device's line on the bench; play recordings to its driver"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the actions."""
        inner = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        for action in _ACTIONS:
            action.add(inner.add_parser(action.name, help=action.help, description=action.help))

    def run(self, args: argparse.Namespace) -> int:
        """Does the action."""
        return next(action for action in _ACTIONS if action.name == args.action).run(args)


COMMAND = CaptureCommand()
