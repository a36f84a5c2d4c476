"""Entry point `./run tool NAME ...` and `python -m pitwarden_tools NAME ...` of engineering tools."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

from pitwarden.cli.command import Command, add_commands, chosen_command


def _advisories() -> Command:
    from pitwarden_tools.advisories import COMMAND

    return COMMAND


def _audit_shuffles() -> Command:
    from pitwarden_tools.shuffle_study.command import COMMAND

    return COMMAND


def _bench() -> Command:
    from pitwarden_tools.bench.command import COMMAND

    return COMMAND


def _campaign() -> Command:
    from pitwarden_tools.campaign.command import COMMAND

    return COMMAND


def _isolation() -> Command:
    from pitwarden_tools.isolation import COMMAND

    return COMMAND


def _load() -> Command:
    from pitwarden_tools.bench.load import COMMAND

    return COMMAND


def _oracle() -> Command:
    from pitwarden_tools.oracle.command import COMMAND

    return COMMAND


def _outcomes() -> Command:
    from pitwarden_tools.outcomes.command import COMMAND

    return COMMAND


def _recorder() -> Command:
    from pitwarden_tools.recorder.command import COMMAND

    return COMMAND


def _simulate() -> Command:
    from pitwarden_tools.simulation.command import COMMAND

    return COMMAND


def _slips() -> Command:
    from pitwarden_tools.slips.command import COMMAND

    return COMMAND


def _soak() -> Command:
    from pitwarden_tools.campaign.soak import COMMAND

    return COMMAND


def _takeover() -> Command:
    from pitwarden_tools.takeover.command import COMMAND

    return COMMAND


def _worlds() -> Command:
    from pitwarden_tools.worlds.command import COMMAND

    return COMMAND


INTERRUPTED: Final = 128 + signal.SIGINT
"""Exit code of a tool that Ctrl-C ended, as shells report it."""

# Each tool is imported when it is chosen: all of them together take seconds, and some need an extra.
TOOLS: Final[dict[str, Callable[[], Command]]] = {
    "advisories": _advisories,
    "audit-shuffles": _audit_shuffles,
    "bench": _bench,
    "campaign": _campaign,
    "isolation": _isolation,
    "load": _load,
    "oracle": _oracle,
    "outcomes": _outcomes,
    "recorder": _recorder,
    "simulate": _simulate,
    "slips": _slips,
    "soak": _soak,
    "takeover": _takeover,
    "worlds": _worlds,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool that the first word names.

    Args:
        argv: Words of the command line; None for those of this process.

    Returns:
        The tool's exit code; 2 for wrong arguments; 130 where Ctrl-C ended it.
    """
    words = sys.argv[1:] if argv is None else argv
    names = [name for name in TOOLS if name in words[:1]] or list(TOOLS)
    known = [TOOLS[name]() for name in names]
    parser = argparse.ArgumentParser(prog="./run tool", description="Engineering tools of pitwarden.")
    add_commands(parser, "tool", known)
    try:
        return chosen_command(args := parser.parse_args(words), "tool", known).run(args)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
