"""`pitwarden-console-caller`: serve the socket of the caller, or send one test call."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden_console.caller.sending import Sender
from pitwarden_console.caller.service import CallerService
from pitwarden_console.caller.settings import load_caller
from pitwarden_console.clock import MachineClock
from pitwarden_console.errors import ConsoleError, ConsoleSettingsError

EX_CONFIG: Final = 78


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code: 0, 1 for a failure, 78 for a refused file."""
    parser = argparse.ArgumentParser(prog="pitwarden-console-caller", description="Calls of the pit console.")
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the caller's file")
    parser.add_argument("--test", metavar="RECIPIENT", help="send one test call, and end")
    parsed = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr)
    try:
        asyncio.run(_run(parsed.config, parsed.test))
    except ConsoleSettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command's answer
        return EX_CONFIG
    except (ConsoleError, OSError) as error:
        print(f"pitwarden-console-caller: {error}", file=sys.stderr)  # noqa: T201  a command's answer
        return 1
    return 0


async def _run(path: Path, test: str | None) -> None:
    file, socket = load_caller(path)
    sender = Sender(file.urls())
    if sender.invalid:
        # Without the address: it holds a secret.
        raise ConsoleSettingsError(f"{path}: recipient.{sender.invalid[0]}.urls: no address of a known service")
    if test is None:
        await CallerService(socket, sender, file.silent, MachineClock()).run()
    elif reason := await sender.send(test, "Test call of the pit console", "The way of calls works."):
        raise ConsoleError(f"{test}: {reason}. Check the address in {path}, and the network")
