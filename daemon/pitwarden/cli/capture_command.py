"""`pitwarden capture`: records a device's line on the bench, and plays recordings to its driver again."""

import argparse

from pitwarden.cli import capture_record, capture_replay
from pitwarden.cli.subcommand import Subcommand, add_all, chosen

_ACTIONS: tuple[Subcommand, ...] = (capture_record.ACTION, capture_replay.ACTION)


class CaptureCommand:
    """Records and replays."""

    name = "capture"
    help = "record a device's line on the bench; play recordings to its driver"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the actions."""
        add_all(parser, "action", _ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Does the action."""
        return chosen(args, "action", _ACTIONS).run(args)


COMMAND = CaptureCommand()
