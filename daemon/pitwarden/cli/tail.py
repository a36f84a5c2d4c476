"""`pitwarden tail`: the filtered stream of one table, as text for people or as JSON for pipes."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

from pitwarden.cli.consumer_options import ConsumerTarget, TargetError, add_target_options, consumer_name, parse_targets
from pitwarden.watch.formatting import format_item, item_catalogue_id, item_kind
from pitwarden_client import (
    ChainBreak,
    ConsumerConfig,
    Item,
    LogItem,
    OutputItem,
    TableClient,
    UnsupportedVersionError,
    connect,
)
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.state import NOT_YET

STOPPED: Final = 130
# Seconds that the command waits for the first answer of a table. A person sits before it.
PATIENCE_S: Final = 10.0
TOO_FEW_RIGHTS: Final = (
    "no reply to requests for what was said before: this login may lack the right to ask for it, and to read the rows"
    " of devices and inputs. Use the login of a consumer, such as historian, and its name with --name"
)


class NoAnswerError(Exception):
    """Earlier rows and outputs are not available now.

    Policy: print the reason, exit with code 1.

    Example: --until-now while the table's controller is off.
    """


class TailCommand:
    """The command `tail`."""

    name = "tail"
    help = "print a table's log and verdicts as they come, for example: tail --config F --only 'shoe.*' --only 'CB-*'"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_target_options(parser)
        parser.add_argument(
            "--only", action="append", default=[], metavar="PATTERN",
            help="a kind (shoe.card, reveal), an act (kp.*), or a catalogue id (CB-*); may stand several times",
        )  # fmt: skip
        parser.add_argument("--source", metavar="NAME", help="only what this device, terminal or judge said")
        parser.add_argument(
            "--gaming-day", type=date.fromisoformat, metavar="YYYY-MM-DD", help="only what is of this gaming day"
        )
        parser.add_argument("--from", dest="start", choices=("oldest", "now"), default="now", help="(default: now)")
        parser.add_argument("--until-now", action="store_true", help="end when all that was said has been printed")
        parser.add_argument("--json", action="store_true", help="each message as it was published, one to a line")

    def run(self, args: argparse.Namespace) -> int:
        """Print rows and outputs as they arrive.

        Returns:
            0 at the end, 1 without an understandable answer, 2 for wrong arguments, 78 when the table file is refused,
            130 when
            interrupted.
        """
        try:
            place = _one(parse_targets(args))
            consumer = ConsumerConfig(
                place.broker, place.site, place.table, consumer_name(args, "tail", place.consumer),
                start="oldest" if args.until_now else args.start, follow=not args.until_now,
            )  # fmt: skip
        except TargetError as error:
            return _print_error(str(error), error.code)
        try:
            asyncio.run(_tail(consumer, args))
        except (UnsupportedVersionError, NoAnswerError) as error:
            return _print_error(str(error), 1)
        except KeyboardInterrupt:
            return STOPPED
        return 0


def _one(found: list[ConsumerTarget]) -> ConsumerTarget:
    if len(found) > 1:
        raise TargetError(f"tail prints one table, not {len(found)}: start one for each")
    return found[0]


async def _tail(consumer: ConsumerConfig, args: argparse.Namespace) -> None:
    told, denied = NOT_YET, False

    def changed() -> None:
        nonlocal told, denied
        if table.unanswered and not table.stale() and not denied:
            denied = True
            print(TOO_FEW_RIGHTS, file=sys.stderr, flush=True)  # noqa: T201  no row of the stream
        fault = table.now.link_fault
        if fault and fault != told:
            print(f"no connection: {fault}; trying again", file=sys.stderr, flush=True)  # noqa: T201
        told = fault

    shown_day: date | None = None
    simulated = False
    async with connect(consumer, changed) as table:
        async for item in _patient(table) if args.until_now else table:
            if isinstance(item, ChainBreak):
                print(format_item(item), file=sys.stderr, flush=True)  # noqa: T201  no row of the stream
            elif passes_filter(item, args.only, args.source, args.gaming_day):
                if not simulated and item.event is not None and item.event.simulated and not args.json:
                    simulated = True
                    print("-- SIMULATED: no card of this table is a real one --", file=sys.stderr, flush=True)  # noqa: T201
                day = None if item.event is None else item.event.gamingday
                if day not in {None, shown_day} and not args.json:
                    print(f"-- gaming day {day} --", file=sys.stderr, flush=True)  # noqa: T201  no row of the stream
                    shown_day = day
                print(_shown(item, raw=args.json), flush=True)  # noqa: T201  the command's answer


async def _patient(table: TableClient) -> AsyncIterator[Item]:
    """Yield the items up to now.

    Raises:
        NoAnswerError: The table does not answer for PATIENCE_S.
    """
    items = aiter(table)
    while True:
        try:
            async with asyncio.timeout(PATIENCE_S):
                item = await anext(items, None)
        except TimeoutError:
            why = "; ".join(table.stale()) or TOO_FEW_RIGHTS
            raise NoAnswerError(f"the table does not answer: {why}") from None
        if item is None:
            return
        yield item


def passes_filter(item: Item, patterns: Sequence[str], source: str | None, day: date | None) -> bool:
    """Return whether `item` is of `source` and gaming day, if given, and of a kind or catalogue id that matches."""
    if isinstance(item, ChainBreak):
        return True
    if day is not None and (item.event is None or item.event.gamingday != day):
        return False
    if source is not None and (item.event is None or item.event.source.rpartition("/")[2] != source):
        return False
    names = [item_kind(item), item_catalogue_id(item)]
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)


def _shown(item: LogItem | OutputItem, *, raw: bool) -> str:
    """Return the line to print. The published bytes are compact JSON; JSON's own escapes do not change its value."""
    return escape_hidden(item.body.decode()) if raw else format_item(item)


def _print_error(sentence: str, code: int) -> int:
    if sentence:
        print(sentence, file=sys.stderr)  # noqa: T201  a command talks to a person
    return code


COMMAND = TailCommand()
