"""`pitwarden watch`: a live screen of one table or a pit, for people at a terminal."""

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from importlib.util import find_spec

from pydantic import TypeAdapter, ValidationError

from pitwarden.cli.acts import parse_act
from pitwarden.cli.consumer_options import ConsumerTarget, TargetError, add_target_options, consumer_name, parse_targets
from pitwarden.watch.session import Operator, WatchedTable
from pitwarden.watch.view_model import TableViewModel
from pitwarden_client import ConsumerConfig, connect
from pitwarden_client.events.base import Ident
from pitwarden_client.events.topics import ROLES


class WatchCommand:
    """The command `watch`."""

    name = "watch"
    help = "a live screen of one table or a pit; with --role and --person it acknowledges and clears"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_target_options(parser)
        parser.add_argument("--role", choices=ROLES, help="key as this role, if the login at the broker has it")
        parser.add_argument("--person", help="who keys, for the record")
        parser.add_argument("--terminal", default="watch", help="the name of this terminal (default: watch)")
        parser.add_argument("--from-now", action="store_true", help="do not read what the table said before")

    def run(self, args: argparse.Namespace) -> int:
        """Display tables until the user quits.

        Returns:
            0 when quit, 1 without a terminal or textual and after a bug, 2 for wrong arguments, 78 when a table file is
            refused.
        """
        try:
            found, name = parse_targets(args), consumer_name(args, "watch")
            _check(args)
        except TargetError as error:
            return _print_error(str(error), error.code)
        if find_spec("textual") is None:
            return _print_error("watch needs the package textual, an extra of pitwarden: pip install '.[watch]'", 1)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return _print_error("watch needs a terminal; for pipes there is pitwarden tail --json", 1)
        return asyncio.run(_watch(args, found, name))


def _check(args: argparse.Namespace) -> None:
    if (args.role is None) != (args.person is None):
        raise TargetError("--role and --person belong together: who keys, and as what")
    for option in ("person", "terminal"):
        try:
            TypeAdapter(Ident | None).validate_python(getattr(args, option))
        except ValidationError:
            raise TargetError(f"--{option}: use 1 to 64 of A-Z a-z 0-9 _ -") from None


def _person(args: argparse.Namespace) -> Operator | None:
    return None if args.role is None else Operator(args.role, args.person, args.terminal)


async def _watch(args: argparse.Namespace, found: list[ConsumerTarget], name: str) -> int:
    from pitwarden.watch.app import WatchApp  # noqa: PLC0415  textual is an extra

    async with AsyncExitStack() as stack:
        watched = []
        for place in found:
            consumer = ConsumerConfig(
                place.broker, place.site, place.table, name, start="now" if args.from_now else "oldest"
            )
            table = await stack.enter_async_context(connect(consumer))
            watched.append(WatchedTable(f"{place.site}/{place.table}", table, TableViewModel()))
        app = WatchApp(watched, _person(args), parse_act)
        await app.run_async()
    return app.return_code or 0


def _print_error(sentence: str, code: int) -> int:
    if sentence:
        print(sentence, file=sys.stderr)  # noqa: T201  a command talks to a person
    return code


COMMAND = WatchCommand()
