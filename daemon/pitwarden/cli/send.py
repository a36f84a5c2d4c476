"""`pitwarden input` and `pitwarden command`: request and reply over MQTT.

`input` sends one terminal input, `command` one command for a device with the judge's login. Both refer to the table's
current state, are sent again until the field half replies, and print its reply. An act is written as on a terminal:
`kp.boxes boxes=[1,2]`, `ft.inspect device=shoe ok=true`.
"""

import argparse
import asyncio
import difflib
import json
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden.cli.table_file import EX_CONFIG, read_table_file
from pitwarden.config.models import TableFile
from pitwarden.service.reload import broker_settings
from pitwarden_client.events.base import Record
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.device import CommandName, DeviceOrder
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.inputs import Act, InputReply, Role, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import ROLES, Topics
from pitwarden_client.mqtt.errors import BusError

STATE_S: Final = 1.0
ANSWER_S: Final = 5.0
RETRY_S: Final = 1.0

R = TypeVar("R", bound=Record)


async def send_request(
    table: TableFile, topic: str, reply_topic: str, ident: str, question: Callable[[TableState | None], Record | None]
) -> InputReply | None:
    """Send a request until the field half replies to it, always with the same id.

    Args:
        table: Table file, for the broker.
        topic: Topic of the request.
        reply_topic: Topic of the reply.
        ident: Id of the request.
        question: Builds the request from the table's state (None: there is none); None for no request.

    Returns:
        The reply; None when there was no request.

    Raises:
        BusError: The broker refuses the login or the request, or the connection was lost.
        TimeoutError: No reply arrived within ANSWER_S.
    """
    state_topic = Topics(table.table.site, table.table.table).state
    state: asyncio.Future[TableState] = asyncio.get_running_loop().create_future()
    answer: asyncio.Future[InputReply] = asyncio.get_running_loop().create_future()

    def heard(message: InboundMessage) -> None:
        message.ack()
        if message.topic == state_topic and not state.done():
            known = _read(TableState, message)
            if known is not None:
                state.set_result(known)
        elif message.topic == reply_topic and not answer.done():
            reply = _read(InputReply, message)
            if reply is not None and reply.id == ident:
                answer.set_result(reply)

    connection = Connection(broker_settings(table), f"ask-{secrets.token_hex(4)}", heard)
    await connection.open()
    try:
        await connection.subscribe_all([state_topic, reply_topic])
        # The state is retained, so it arrives at once if there is one; a table without a judge has none.
        await asyncio.wait({state}, timeout=STATE_S)
        asked = question(state.result() if state.done() else None)
        if asked is None:
            return None
        async with asyncio.timeout(ANSWER_S):
            while not answer.done():
                await connection.send(topic, encode(asked))
                await asyncio.wait({answer}, timeout=RETRY_S)
        return answer.result()
    finally:
        await connection.disconnect()


def _read(model: type[R], message: InboundMessage) -> R | None:
    try:
        return decode(model, message.payload)
    except BadPayloadError:
        return None


_ACTS: Final[TypeAdapter[Record]] = TypeAdapter(Act)


def parse_act(name: str, words: Sequence[str]) -> Record:
    """Return the act `name` with the fields in `words`, each `key=value`, where a value is JSON or else text.

    Raises:
        ValueError: The act or a field is wrong; the sentence advises what to write.
    """
    fields: dict[str, object] = {"act": name}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is no argument: write key=value")
        fields[key] = _value(value)
    try:
        return _ACTS.validate_json(json.dumps(fields))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "union_tag_invalid":
            near = difflib.get_close_matches(name, known_acts(), 1)
            raise ValueError(f"{name} is no act" + (f" (did you mean {near[0]}?)" if near else "")) from None
        place = ".".join(map(str, first["loc"][1:]))
        raise ValueError(f"{name}: {place + ': ' if place else ''}{first['msg']}") from None


def known_acts() -> list[str]:
    """Return the names of all acts, sorted."""
    return sorted(_ACTS.json_schema()["discriminator"]["mapping"])


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


class SayCommand:
    """The command `input`."""

    name = "input"
    help = "send one terminal input, for example: input --config F --role floor ft.inspect device=shoe ok=true"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
        parser.add_argument("--role", choices=ROLES, required=True)
        parser.add_argument("--terminal", default="console")
        parser.add_argument("--person", default="console")
        parser.add_argument("act", help="the act, as in kp.boxes")
        parser.add_argument("words", nargs="*", metavar="KEY=VALUE")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when accepted, 1 when refused or unanswered, 2 for a wrong act, 78 for a refused table file."""
        table = read_table_file(args.config)
        if table is None:
            return EX_CONFIG
        try:
            act = parse_act(args.act, args.words)
            wanted = TerminalInput.model_validate(
                {"id": secrets.token_hex(8), "person": args.person, "as_of": None, "act": act}
            )
        except ValueError as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return 2
        try:
            reply = asyncio.run(send_input(table, args.role, args.terminal, wanted))
        except (BusError, TimeoutError) as error:
            print(f"no answer: {error or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {escape_hidden(reply.reason)}")  # noqa: T201
        return 0 if reply.accepted else 1


async def send_input(table: TableFile, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
    """Send a terminal input with the position of the table's current state, until it is answered, always with one id.

    Raises:
        BusError: The broker refuses the login or the input, or the connection was lost.
        TimeoutError: No reply arrived within ANSWER_S.
    """
    topics = Topics(table.table.site, table.table.table)

    def keyed(state: TableState | None) -> TerminalInput:
        return wanted.model_copy(update={"as_of": None if state is None else state.as_of})

    reply = await send_request(table, topics.input(role, terminal), topics.reply(role, terminal), wanted.id, keyed)
    return reply or InputReply(id=wanted.id, accepted=False)


SAY_COMMAND = SayCommand()


class OrderCommand:
    """The command `command`."""

    name = "command"
    help = "send a device a command, for example: command --config F shoe report_count; its outcome is a row of the log"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
        parser.add_argument("device", help="the device, as in the table file")
        parser.add_argument("order", metavar="COMMAND", choices=get_args(CommandName))

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when accepted, 1 when refused or unanswered, 2 for an unknown device, 78 for a refused file."""
        table = read_table_file(args.config)
        if table is None:
            return EX_CONFIG
        if args.device not in table.devices:
            known = ", ".join(table.devices) or "none"
            print(f"the table file has no device {args.device}; it has: {known}", file=sys.stderr)  # noqa: T201
            return 2
        try:
            reply = asyncio.run(send_command(table, args.device, args.order))
        except (BusError, TimeoutError) as error:
            print(f"no answer: {error or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {escape_hidden(reply.reason)}")  # noqa: T201
        return 0 if reply.accepted else 1


async def send_command(table: TableFile, device: str, command: CommandName) -> InputReply:
    """Send `command` with the position of the table's current state, and return the reply.

    Raises:
        BusError: The broker refuses the login or the command, or the connection was lost.
        TimeoutError: No reply arrived within ANSWER_S.
    """
    topics, ident = Topics(table.table.site, table.table.table), secrets.token_hex(8)

    def made(state: TableState | None) -> DeviceOrder | None:
        if state is None:
            return None
        return DeviceOrder(id=ident, command=command, as_of=state.as_of, until_ms=state.permit.expires_ms)

    reply = await send_request(table, topics.command(device), topics.command_reply(device), ident, made)
    return reply or InputReply(id=ident, accepted=False, reason="the judge has not said the state of the table yet")


ORDER_COMMAND = OrderCommand()
