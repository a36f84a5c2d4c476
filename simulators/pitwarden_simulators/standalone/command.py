"""Command `pitwarden simulate`: simulated devices and a broker in a folder, and the acts of these devices by hand."""

import argparse
import asyncio
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Final

from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.system.service_manager import Watchdog, notifier_from_environment
from pitwarden_simulators.demo.errors import DemoError, DemoRefused
from pitwarden_simulators.standalone.bench import (
    PORT_FILE,
    SERIALS,
    SOCKET,
    Bench,
    bench,
    devices_only,
    write_table_file,
)

# A start takes well under a second; a starved machine is given this long before `act` reports that nothing runs.
_PATIENCE_S: Final = 30.0
_ANSWER_BYTES: Final = 4_096


class _Start:
    name = "start"
    help = "run the simulated devices and a broker in a folder until stopped"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path, help="a folder for the devices' ports; it is created")
        parser.add_argument(
            "--devices-only", action="store_true",
            help="no broker: shoe, shuffler and card reader of a table whose service is installed",
        )  # fmt: skip

    def run(self, args: argparse.Namespace) -> int:
        """Run until `stop` or a signal; 2 where something runs there already or no broker is installed."""
        try:
            args.folder.mkdir(parents=True, exist_ok=True)
            asyncio.run(_run_devices(args.folder) if args.devices_only else _run(args.folder))
        except (DemoRefused, DemoError, OSError) as error:
            print(f"simulate: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return 2
        return 0


class _Table:
    name = "table"
    help = "write a table file for the devices and the broker of a folder"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path)

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when it is written, 1 when there is one already, 2 when no bench runs in the folder."""
        folder: Path = args.folder
        try:
            _connected(folder).close()
            place = write_table_file(folder)
        except FileExistsError as error:
            print(f"simulate: {error.filename} exists already", file=sys.stderr)  # noqa: T201  a command talks to a person
            return 1
        except OSError as error:
            return _nothing(folder, error)
        print(place)  # noqa: T201  the command's answer
        return 0


class _Act:
    name = "act"
    help = "let a simulated device sense something, for example: act FOLDER shoe draw 9H"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder and the words of the act."""
        parser.add_argument("folder", type=Path)
        parser.add_argument("device", choices=tuple(SERIALS))
        parser.add_argument("words", nargs="+", metavar="WORD")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when it was sensed, 1 for unknown words, 2 when no bench runs in the folder."""
        return _request(args.folder, " ".join((args.device, *args.words)))


class _Wait:
    name = "wait"
    help = "wait until the devices of a folder run, and print the port of their broker"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path)

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when they run, 2 when they do not start in time."""
        try:
            _connected(args.folder).close()
        except OSError as error:
            return _nothing(args.folder, error)
        print((args.folder / PORT_FILE).read_text(encoding="ascii").strip())  # noqa: T201  the command's answer
        return 0


class _Stop:
    name = "stop"
    help = "end the devices and the broker of a folder"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path)

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when it is ending, 2 when no bench runs in the folder."""
        return _request(args.folder, "stop")


_ACTIONS: Final[tuple[Command, ...]] = (_Start(), _Wait(), _Table(), _Act(), _Stop())


class SimulateCommand:
    """Command that runs the devices, and acts on them."""

    name = "simulate"
    help = "simulated devices and a broker in a folder, to be operated by hand"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the actions."""
        add_commands(parser, "action", _ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Do the action."""
        return chosen_command(args, "action", _ACTIONS).run(args)


async def _run(folder: Path) -> None:
    async with bench(folder) as made:
        _end_by_signal(made)
        await made.ended.wait()


async def _run_devices(folder: Path) -> None:
    """Run as the unit pitwarden-simulators@ does."""
    notifier = notifier_from_environment(os.environ)
    async with devices_only(folder) as made:
        _end_by_signal(made)
        watchdog = Watchdog(notifier, tuple, made.status_line)
        tasks = [asyncio.create_task(each) for each in (watchdog.run(), watchdog.show_changes())]
        notifier.ready(made.status_line())
        try:
            await made.ended.wait()
        finally:
            notifier.stopping()
            for task in tasks:
                task.cancel()
            notifier.close()


def _end_by_signal(made: Bench) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, made.ended.set)


def _connected(folder: Path) -> socket.socket:
    """Return a connection to the socket in `folder`, waiting for it to appear.

    Raises:
        OSError: It does not appear in time.
    """
    waited = 0.0
    while True:
        # AF_UNIX takes at most 107 bytes, so a relative folder is passed as it was typed.
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(_PATIENCE_S)
        try:
            end.connect(str(folder / SOCKET))
        except (FileNotFoundError, ConnectionRefusedError):
            end.close()
            if waited >= _PATIENCE_S:
                raise
            threading.Event().wait(0.1)  # a pause without the clock module, which one file alone may import
            waited += 0.1
        else:
            return end


def _request(folder: Path, line: str) -> int:
    try:
        with _connected(folder) as end:
            end.sendall(f"{line}\n".encode())
            answer = end.recv(_ANSWER_BYTES).decode().strip()
    except OSError as error:
        return _nothing(folder, error)
    if answer != "ok":
        print(f"simulate: {answer.removeprefix('error: ')}", file=sys.stderr)  # noqa: T201  a command talks to a person
        return 1
    return 0


def _nothing(folder: Path, error: OSError) -> int:
    why = f"nothing runs in {folder} ({error.strerror}). Start it: pitwarden simulate start {folder} &"
    print(f"simulate: {why}", file=sys.stderr)  # noqa: T201  a command talks to a person
    return 2


COMMAND = SimulateCommand()
