"""`pitwarden input`: one terminal input from the command line, and the field half's answer."""

import argparse
import asyncio
import secrets
import sys
from pathlib import Path

from pitwarden_client.events.inputs import InputReply, Role, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import ROLES, Topics
from pitwarden_client.mqtt.errors import BusError

from pitwarden.cli.act_words import act_of
from pitwarden.cli.asking import ask
from pitwarden.cli.table_file import EX_CONFIG, read
from pitwarden.config.models import TableFile


class SayCommand:
    """Sends one input."""

    name = "input"
    help = "send one terminal input, for example: input --config F --role floor ft.inspect device=shoe ok=true"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
        parser.add_argument("--role", choices=ROLES, required=True)
        parser.add_argument("--terminal", default="console")
        parser.add_argument("--person", default="console")
        parser.add_argument("act", help="the act, as in kp.boxes")
        parser.add_argument("words", nargs="*", metavar="KEY=VALUE")

    def run(self, args: argparse.Namespace) -> int:
        """0 when accepted, 1 when refused or unanswered, 2 for words that are no act, 78 for the table file."""
        table = read(args.config)
        if table is None:
            return EX_CONFIG
        try:
            act = act_of(args.act, args.words)
            wanted = TerminalInput.model_validate(
                {"id": secrets.token_hex(8), "person": args.person, "as_of": None, "act": act}
            )
        except ValueError as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return 2
        try:
            reply = asyncio.run(say(table, args.role, args.terminal, wanted))
        except (BusError, TimeoutError) as error:
            print(f"no answer: {error or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {reply.reason}")  # noqa: T201
        return 0 if reply.accepted else 1


async def say(table: TableFile, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
    """Sends `wanted` as of the table's present state, again with the same id until answered; BusError, TimeoutError."""
    topics = Topics(table.table.site, table.table.table)

    def keyed(state: TableState | None) -> TerminalInput:
        return wanted.model_copy(update={"as_of": None if state is None else state.as_of})

    reply = await ask(table, topics.input(role, terminal), topics.reply(role, terminal), wanted.id, keyed)
    return reply or InputReply(id=wanted.id, accepted=False)


COMMAND = SayCommand()
