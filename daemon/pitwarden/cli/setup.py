"""`pitwarden setup TABLE`: make every file that a table on this controller needs.

Table file, keys, logins and access list of the broker, certificates, and a folder for each terminal. Answers come from
a file, or are asked. Running it again with the same answers changes nothing.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pitwarden.cli.devices import FoundDevice, describe_serial_lines, describe_usb_interfaces, query_devices
from pitwarden.cli.table_file import EX_CONFIG, external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.config.models import TableFile
from pitwarden.installation.answers import Answers, AnswersError, read_answers
from pitwarden.installation.files import InstallationError, PlannedFile, install, state_of
from pitwarden.installation.offers import EXAMPLES, offered_games
from pitwarden.installation.plan import Controller, plan_installation
from pitwarden.installation.questions import OfferedDevice, Questionnaire
from pitwarden.installation.table_text import key_folder, service_folders
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import (
    KeyPaths,
    key_paths,
    load_private,
    load_signing,
    share_public_halves,
    write_verify_key,
)
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.topics import HALVES
from pitwarden_drivers.ports.addresses import SIMULATED
from pitwarden_drivers.ports.discovery import interfaces, serial_lines
from pitwarden_drivers.tdp.identity import Responder


class SetupCommand:
    """The command `setup`."""

    name = "setup"
    help = "make all files of a table on this controller: table file, keys, broker logins, certificates, terminals"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("table", help="the table's name, part of every topic")
        parser.add_argument("--answers", type=Path, metavar="FILE", help="answers (TOML) in place of questions")
        parser.add_argument(
            "--simulated", action="store_true",
            help="a table with the devices of the package pitwarden-simulators, marked as simulated",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="print all files and write none")
        parser.add_argument(
            "--root", type=Path, default=Path("/"), metavar="DIR", help="write below this folder, for example an image"
        )
        parser.add_argument("--examples", type=Path, default=EXAMPLES, metavar="DIR", help=argparse.SUPPRESS)

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when all files are in place, 1 when one cannot be written, 78 when the answers are not a table."""
        controller = Controller(args.root, datetime.fromtimestamp(SystemClock().utc().utc_ms / 1_000, UTC))
        try:
            answers = _answers(args, controller.now)
            planned = plan_installation(answers, controller, _load)
            lines = _preview(planned, args.root) if args.dry_run else _install(planned, answers, args.root)
            for line in lines:
                print(line)  # noqa: T201  the command's answer
        except AnswersError as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        except (InstallationError, KeyFileError) as failed:
            print(failed, file=sys.stderr)  # noqa: T201  as above
            return 1
        except EOFError:
            print("input ended: give the answers with --answers FILE", file=sys.stderr)  # noqa: T201  as above
            return EX_CONFIG
        return 0


def _load(file: Path) -> TableFile:
    return load_table_file(file, external_checks(), os.environ)


def _answers(args: argparse.Namespace, now: datetime) -> Answers:
    if args.answers is not None:
        answers = read_answers(args.answers)
        if answers.table != args.table:
            raise AnswersError(f"{args.answers}: is for table {answers.table!r}, not {args.table!r}")
        if args.simulated and not answers.is_simulated:
            raise AnswersError(f"{args.answers}: add `simulated = true` to [table], or leave --simulated out")
        return answers
    games = offered_games(args.examples)
    if not games:
        raise AnswersError(f"{args.examples}: has no examples of games: install the package, or use --answers FILE")
    questions = Questionnaire(input, print, now.date())
    found = _simulated(args.table) if args.simulated else _plugged_in()
    return questions.answers(args.table, games, asyncio.run(_answering(found)), simulated=args.simulated)


def _plugged_in() -> list[FoundDevice]:
    root = Path("/")
    return [*describe_serial_lines(serial_lines(root)), *describe_usb_interfaces(interfaces(root))]


def _simulated(table: str) -> list[FoundDevice]:
    """Return the ports that the package pitwarden-simulators has placed for `table`."""
    folder = Path(SIMULATED) / table
    try:
        ports = sorted(port for port in folder.iterdir() if port.is_char_device())
    except OSError as error:
        start = f"systemctl enable --now pitwarden-simulators@{table}"
        raise AnswersError(f"{folder}: {error.strerror}. Install pitwarden-simulators, then: {start}") from None
    return [FoundDevice(str(port), (), "simulated device", "") for port in ports]


async def _answering(found: list[FoundDevice]) -> list[OfferedDevice]:
    """Return those of the `found` devices that answer, each with its stable path."""
    answers = await query_devices(found, Path("/"))
    return [
        OfferedDevice(answer.family, answer.serial, one.place, answer.firmware)
        for one, answer in zip(found, answers, strict=True)
        if isinstance(answer, Responder) and one.place is not None
    ]


def _preview(planned: list[PlannedFile], root: Path) -> Iterator[str]:
    """Yield every file with its state, mode and text; secrets are not shown."""
    for one in planned:
        yield f"== {one.path}  {one.mode:04o}  {state_of(one, root)}"
        yield _shown(one)


def _shown(planned: PlannedFile) -> str:
    text = planned.content.decode()
    if planned.secret:
        return "(secret)"
    return "(certificate)" if text.startswith("-----BEGIN CERTIFICATE") else text.rstrip("\n")


def _install(planned: list[PlannedFile], answers: Answers, root: Path) -> Iterator[str]:
    """Write the files and the table's keys; yield what happened to each, and what comes next."""
    folder = root / key_folder(answers.table).relative_to("/")
    own = [folder / half if answers.is_apart else folder for half in HALVES]
    # Before the files: a folder that is made for a file below it is open to all.
    try:
        for each in (folder, *own):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InstallationError(f"{folder}: cannot be made: {error.strerror}. Run it as root, or name --root") from None
    for one, state in install(planned, root):
        yield f"{state:9}  {one.path}"
    field, judge = map(key_paths, own)
    files = KeyPaths(field.field, judge.judge)
    states = {file: "unchanged" if file.exists() else "new" for file in (files.field, files.judge)}
    load_signing(files.field, create=True)
    write_verify_key(files.judge, load_private(files.judge, create=True))
    share_public_halves(files)
    yield from (f"{state:9}  /{file.relative_to(root)}" for file, state in states.items())
    yield from ("", *_next_steps(answers))


def _next_steps(answers: Answers) -> Iterator[str]:
    table = answers.table
    if answers.setup.pit and answers.setup.authority == "house":
        yield "Have the .csr files signed by the house's authority; put each .crt next to its key, site-ca.crt too."
    yield "Next:"
    if answers.has_local_broker:
        yield "  systemctl restart mosquitto"
    else:
        for login, folder in service_folders(table, apart=answers.is_apart).items():
            yield f"  give the broker the login {login} with the password in {folder}/broker.password"
    units = f"pitwarden-table@{table}"
    if answers.is_simulated:
        yield "  systemctl daemon-reload"
    if answers.is_apart:
        units = " ".join(f"pitwarden-{half}@{table}" for half in HALVES)
        yield "  systemd-sysusers"
    yield f"  pitwarden doctor /etc/pitwarden/{table}.toml"
    yield f"  systemctl enable --now {units}"


COMMAND = SetupCommand()
