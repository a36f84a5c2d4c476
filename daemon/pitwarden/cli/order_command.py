"""`pitwarden command`: one command for a device, with the judge's login, and the field half's answer."""

import argparse
import asyncio
import secrets
import sys
from pathlib import Path
from typing import get_args

from pitwarden_client.events.device import CommandName, DeviceOrder
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError

from pitwarden.cli.asking import ask
from pitwarden.cli.table_file import EX_CONFIG, read
from pitwarden.config.models import TableFile


class OrderCommand:
    """Sends one command to a device."""

    name = "command"
    help = "send a device a command, for example: command --config F shoe report_count; its outcome is a row of the log"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
        parser.add_argument("device", help="the device, as in the table file")
        parser.add_argument("order", metavar="COMMAND", choices=get_args(CommandName))

    def run(self, args: argparse.Namespace) -> int:
        """0 when accepted, 1 when refused or unanswered, 2 for an unknown device, 78 for the table file."""
        table = read(args.config)
        if table is None:
            return EX_CONFIG
        if args.device not in table.devices:
            known = ", ".join(table.devices) or "none"
            print(f"the table file has no device {args.device}; it has: {known}", file=sys.stderr)  # noqa: T201
            return 2
        try:
            reply = asyncio.run(order(table, args.device, args.order))
        except (BusError, TimeoutError) as error:
            print(f"no answer: {error or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {reply.reason}")  # noqa: T201
        return 0 if reply.accepted else 1


async def order(table: TableFile, device: str, command: CommandName) -> InputReply:
    """Sends `command` as of the table's present state; BusError, TimeoutError."""
    topics, ident = Topics(table.table.site, table.table.table), secrets.token_hex(8)

    def made(state: TableState | None) -> DeviceOrder | None:
        if state is None:
            return None
        return DeviceOrder(id=ident, command=command, as_of=state.as_of, until_ms=state.permit.expires_ms)

    reply = await ask(table, topics.command(device), topics.command_reply(device), ident, made)
    return reply or InputReply(id=ident, accepted=False, reason="the judge has not said the state of the table yet")


COMMAND = OrderCommand()
