"""`pitwarden input` and `pitwarden command`: request and reply over MQTT.

`input` sends one terminal input, `command` one command for a device with the judge's login. Both refer to the table's
current state, are sent again until the field half replies, and print its reply. An act is written as on a terminal:
`kp.boxes boxes=[1,2]`, `ft.inspect device=shoe ok=true`.
"""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, get_args

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden.cli.acts import act_lines, acts_of_game, acts_of_table, parse_act
from pitwarden.cli.consumer_options import TargetError, add_broker_options, parse_targets, read_profile
from pitwarden.cli.table_file import EX_CONFIG, keys_of, read_table_file
from pitwarden.config.halves import of_half
from pitwarden.config.models import TableFile
from pitwarden.rules import ProfileError
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import derive_checkpoint_key, load_private
from pitwarden.seal.signed_rows import sign_order
from pitwarden.service.reload import broker_settings
from pitwarden_client.events.base import Record, Role
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.device import CommandName, DeviceOrder
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import ROLES, Topics
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings

# Seconds that a command waits for the retained state on which the act rests. There may be none yet.
STATE_S: Final = 1.0
# Seconds in all that a command waits for its reply. A field half answers within milliseconds of its commit.
ANSWER_S: Final = 5.0
# Seconds until an unanswered input or command is sent again, with the same id.
RETRY_S: Final = 1.0

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Table to which a request goes, and the broker with the login of whoever sends it."""

    broker: BrokerSettings
    topics: Topics


def target_of(table: TableFile) -> RequestTarget:
    """Return the table of a table file, with the file's own login; where each half has one, with the judge's."""
    return RequestTarget(broker_settings(of_half(table, "judge")), Topics(table.table.site, table.table.table))


async def send_request(
    table: RequestTarget,
    topic: str,
    reply_topic: str,
    ident: str,
    question: Callable[[TableState | None], Record | None],
) -> InputReply | None:
    """Send a request until the field half replies to it, always with the same id.

    Args:
        table: Table, and its broker.
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
    state_topic = table.topics.state
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

    connection = Connection(table.broker, f"ask-{secrets.token_hex(4)}", heard)
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


class SayCommand:
    """The command `input`."""

    name = "input"
    help = "send one terminal input, for example: input --config F --role floor ft.inspect device=shoe ok=true"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_broker_options(parser)
        parser.add_argument("--role", choices=ROLES, help="default: the profile's")
        parser.add_argument("--terminal", help="default: the profile's, or console")
        parser.add_argument("--person", default="console")
        parser.add_argument("--witness", metavar="PERSON", help="the second person of an act that two persons do")
        parser.add_argument(
            "--acts", action="store_true",
            help="list every act of the table's game with its arguments, and send nothing",
        )  # fmt: skip
        parser.add_argument("act", nargs="?", help="the act, as in kp.boxes; `acts` lists them, as --acts does")
        parser.add_argument("words", nargs="*", metavar="KEY=VALUE")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when accepted, 1 when refused or unanswered, 2 for a wrong act, 78 for a refused file."""
        try:
            if args.acts or args.act == "acts":
                return _list_acts(args)
            sender = _sender(args)
            wanted = _input(args)
            role = _role(args.role or sender.role)
        except TargetError as error:
            print(error, end="\n" if str(error) else "", file=sys.stderr)  # noqa: T201  a command talks to a person
            return error.code
        except ValueError as error:
            print(error, file=sys.stderr)  # noqa: T201  as above
            return 2
        try:
            reply = asyncio.run(send_input(sender.target, role, sender.terminal, wanted))
        except (BusError, TimeoutError) as error:
            print(f"no answer: {str(error) or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {escape_hidden(reply.reason)}")  # noqa: T201
        return 0 if reply.accepted else 1


def _list_acts(args: argparse.Namespace) -> int:
    """List the acts of the table that the arguments name, or else of all games and why.

    Raises:
        TargetError: A table file or a profile is refused.
    """
    role: Role | None = args.role
    acts, why = None, "those of one table: --profile FILE or --config FILE"
    for file in args.config:
        table = read_table_file(file)
        if table is None:
            raise TargetError("", EX_CONFIG)
        acts = acts_of_table(table)
    for file in args.profile:
        profile = read_profile(file)
        role = role or profile.role
        why = f'{file} does not name the game: write game = "...", as the table file has it, under [profile]'
        if profile.game is not None:
            try:
                acts = acts_of_game(profile.game, profile.inputs)
            except ProfileError as error:
                why = f"{file}: profile.game: {error}. A house's own game: --config FILE on the controller"
    print("\n".join(act_lines(role, acts)))  # noqa: T201  the command's answer
    if acts is None:
        print(f"these are the acts of all games; {why}", file=sys.stderr)  # noqa: T201  a command talks to a person
    return 0


@dataclass(frozen=True, slots=True)
class _Sender:
    """Terminal that sends, and the table to which."""

    target: RequestTarget
    role: Role | None
    terminal: str


def _sender(args: argparse.Namespace) -> _Sender:
    """Return who sends, by the profile, the table file or the broker's address.

    Raises:
        TargetError: The arguments name no table, or several.
    """
    if len(args.profile) + len(args.config) + len(args.table) > 1:
        raise TargetError("an input goes to one table: write one --profile, --config or --table")
    for file in args.profile:
        profile = read_profile(file)
        target = RequestTarget(profile.broker, Topics(profile.site, profile.table))
        return _Sender(target, profile.role, args.terminal or profile.terminal)
    (found,) = parse_targets(args)
    return _Sender(RequestTarget(found.broker, Topics(found.site, found.table)), None, args.terminal or "console")


def _input(args: argparse.Namespace) -> TerminalInput:
    if args.act is None:
        raise ValueError("which act? `pitwarden input --acts` lists them")
    act = parse_act(args.act, args.words)
    fields = {"person": args.person, "witness": args.witness}
    return TerminalInput.model_validate({"id": secrets.token_hex(8), "as_of": None, "act": act, **fields})


def _role(role: Role | None) -> Role:
    if role is None:
        raise ValueError(f"which role? Write --role, one of {', '.join(ROLES)}")
    return role


async def send_input(table: RequestTarget, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
    """Send a terminal input with the position of the table's current state, until it is answered, always with one id.

    Raises:
        BusError: The broker refuses the login or the input, or the connection was lost.
        TimeoutError: No reply arrived within ANSWER_S.
    """
    topics = table.topics

    def keyed(state: TableState | None) -> TerminalInput:
        return wanted.model_copy(update={"as_of": None if state is None else state.as_of})

    reply = await send_request(table, topics.input(role, terminal), topics.reply(role, terminal), wanted.id, keyed)
    return reply or InputReply(id=wanted.id, accepted=False)


INPUT_COMMAND = SayCommand()


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
        except KeyFileError as error:
            print(f"{error}. A command is signed with the judge's key", file=sys.stderr)  # noqa: T201  as above
            return EX_CONFIG
        except (BusError, TimeoutError) as error:
            print(f"no answer: {str(error) or 'the field half did not reply'}", file=sys.stderr)  # noqa: T201
            return 1
        print(f"accepted as row {reply.number}" if reply.accepted else f"refused: {escape_hidden(reply.reason)}")  # noqa: T201
        return 0 if reply.accepted else 1


async def send_command(table: TableFile, device: str, command: CommandName) -> InputReply:
    """Send `command` with the position of the table's current state, and return the reply.

    Raises:
        KeyFileError: The judge's key cannot be read.
        BusError: The broker refuses the login or the command, or the connection was lost.
        TimeoutError: No reply arrived within ANSWER_S.
    """
    signer = derive_checkpoint_key(load_private(keys_of(table).judge))
    topics, ident = Topics(table.table.site, table.table.table), secrets.token_hex(8)

    def made(state: TableState | None) -> DeviceOrder | None:
        if state is None:
            return None
        order = DeviceOrder(id=ident, command=command, as_of=state.as_of, until_ms=state.permit.expires_ms)
        return sign_order(signer, topics.site, topics.table, device, order)

    reply = await send_request(target_of(table), topics.command(device), topics.command_reply(device), ident, made)
    return reply or InputReply(id=ident, accepted=False, reason="the judge has not said the state of the table yet")


DEVICE_COMMAND = OrderCommand()
