"""`pitwarden capture`: record the dialogue with a device on the bench, and replay recordings to its driver.

`capture record` runs the driver's real dialogue and writes its bytes to a file. `capture replay FILE...` compares what
the driver reports now with the approved events next to the capture.
"""

import argparse
import asyncio
import difflib
import os
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from pitwarden.cli import capture_guard
from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.cli.table_file import EX_CONFIG, external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError
from pitwarden.field.devices.runner import DeviceSpec
from pitwarden.field.devices.supervisor import DeviceSupervisor
from pitwarden.system.clock import Clock, SystemClock
from pitwarden.system.file_errors import file_reason
from pitwarden_client.events.device import DeviceHealth, DeviceIdentified
from pitwarden_drivers import registry
from pitwarden_drivers.api import DeviceReport, Driver, ExpectedDevice, Family
from pitwarden_drivers.capture.format import CaptureFormatError, CaptureHeader, CaptureStep, parse_capture
from pitwarden_drivers.capture.recorder import RecordingDriver
from pitwarden_drivers.capture.replay import CaptureReplay
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress

DEVICE = "bench"


class RecordAction:
    """The action `record`."""

    name = "record"
    help = "hold the dialogue with a device on the bench and write its bytes down"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--port", required=True, help="the device's place, as in a table file")
        parser.add_argument("--family", required=True, choices=get_args(Family))
        parser.add_argument("--serial", required=True, help="the serial number that it must answer")
        parser.add_argument("--driver", default="tdp")
        parser.add_argument("--baud", type=int, default=115_200)
        parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60); Ctrl-C ends it")
        parser.add_argument(
            "--config", type=Path, action="append", default=[], metavar="FILE",
            help="a table file of this controller, beside those in /etc/pitwarden",
        )  # fmt: skip
        parser.add_argument("--who", default=os.environ.get("USER", "unknown"), help="who records")
        parser.add_argument("--how", required=True, help="what was done to the device meanwhile")
        parser.add_argument("--simulated", action="store_true", help="the device is a simulated one")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")

    def run(self, args: argparse.Namespace) -> int:
        """Record, and return 0 when the device answered, 1 when not, 78 for a wrong argument or a refused device."""
        try:
            driver = registry.find_driver(args.driver)
            external_checks().port(args.port, args.simulated)
            refused = capture_guard.capture_refusal(args.family, args.port, args.serial, _tables(args.config))
        except (ValueError, ConfigError) as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        if refused is not None:
            print(f"{refused}; a capture holds the cards", file=sys.stderr)  # noqa: T201  as above
            return EX_CONFIG
        recorder = _Recorder(args, driver, SystemClock())
        with suppress(KeyboardInterrupt, TimeoutError):
            asyncio.run(recorder.record(args.seconds))
        recorder.save(args.out)
        return 0 if recorder.firmware else 1


def _tables(files: list[Path]) -> Iterator[TableFile]:
    """Yield the table files of this controller.

    Raises:
        ConfigError: A file cannot be read, so the devices on its table are unknown.
    """
    for file in (*sorted(capture_guard.FOLDER.glob("*.toml")), *files):
        yield load_table_file(file, external_checks(), {})


class _Recorder:
    def __init__(self, args: argparse.Namespace, driver: Driver, clock: Clock) -> None:
        self.steps: list[CaptureStep] = []
        self.firmware = ""
        self._args = args
        self._driver = RecordingDriver(driver, self.steps.append)
        self._clock = clock

    async def record(self, seconds: float) -> None:
        """Run the dialogue for at most `seconds`, and acknowledge each event as a table's log would.

        Raises:
            TimeoutError: The time is over.
        """
        post = DeviceSpec(
            DEVICE,
            PortAddress(self._args.port, self._args.baud),
            self._driver,
            ExpectedDevice(self._args.family, self._args.serial),
        )
        self._supervisor = DeviceSupervisor(
            [post], clock=self._clock, random=random.SystemRandom().random, ports=PortOpener(), sink=self
        )
        async with asyncio.timeout(seconds):
            await self._supervisor.run()

    def report(self, _device: str, report: DeviceReport) -> None:
        """Acknowledge a stored event, as the log of a table would."""
        if isinstance(report.said, DeviceIdentified):
            self.firmware = report.said.firmware
        if report.counter:
            self._supervisor.committed(DEVICE, report.boot, report.counter)

    def health(self, _device: str, health: DeviceHealth) -> None:
        """Print a change of the device's state for the technician."""
        print(f"{health.state} {health.reason}", file=sys.stderr)  # noqa: T201  a command talks to a person

    def save(self, out: Path) -> None:
        """Write the capture, readable for its owner only."""
        args = self._args
        header = CaptureHeader(
            device=f"{args.family} at {args.port}", driver=args.driver, family=args.family, serial=args.serial,
            firmware=self.firmware, simulated="yes" if args.simulated else "no", who=args.who,
            when=datetime.fromtimestamp(self._clock.utc().utc_ms / 1_000, UTC).isoformat(timespec="seconds"),
            how=args.how, starts=self._driver.starts or 0,
        )  # fmt: skip
        # The bytes of a card-reading device are cards: the file is created without rights for others, not restricted
        # later.
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in (*header.lines(), *(step.line() for step in self.steps)))
        print(f"{out}: {len(self.steps)} steps", file=sys.stderr)  # noqa: T201  a command talks to a person


RECORD_ACTION = RecordAction()


BLESSED = ".events"


class CaptureReplayAction:
    """The action `replay`."""

    name = "replay"
    help = "play captures to their driver and compare with the events blessed beside them"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a capture")
        parser.add_argument("--bless", action="store_true", help="what the driver reports now is right: write it down")

    def run(self, args: argparse.Namespace) -> int:
        """Replay, and return 0 when all is as approved, 1 when not, 78 for a file that is not a capture."""
        try:
            wrong = [sentence for file in args.files for sentence in _one(file, bless=args.bless)]
        except (CaptureFormatError, registry.UnknownDriverError) as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        for sentence in wrong:
            print(sentence)  # noqa: T201  the command's answer
        return 1 if wrong else 0


def _one(file: Path, *, bless: bool) -> list[str]:
    """Replay one capture, and return the differences as sentences."""
    try:
        capture = parse_capture(str(file), file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureFormatError(f"{file}: it cannot be read: {file_reason(error)}") from None
    replay = CaptureReplay(capture, registry.find_driver(_absolute(capture.header.driver, file)))
    lines = [f"{line}\n" for line in replay.lines()]
    beside = file.with_name(file.name + BLESSED)
    if bless:
        beside.write_text("".join(lines), encoding="utf-8")
        print(f"{beside}: {len(lines) - 1} events blessed")  # noqa: T201  the command's answer
        return []
    wrong = [f"{file}: {replay.differs}"] if replay.differs else []
    if not beside.exists():
        return [*wrong, f"{file}: nothing is blessed beside it: read what it says, then replay --bless"]
    blessed = beside.read_text(encoding="utf-8").splitlines(keepends=True)
    return wrong + [line.rstrip("\n") for line in difflib.unified_diff(blessed, lines, str(beside), "now", n=1)]


def _absolute(driver: str, beside: Path) -> str:
    """Resolve the map or codes file of a driver, which a capture in a repository names relative to itself."""
    kind, colon, file = driver.partition(":")
    return f"{kind}:{(beside.parent / file).resolve()}" if colon else driver


REPLAY_ACTION = CaptureReplayAction()


_ACTIONS: tuple[Command, ...] = (RECORD_ACTION, REPLAY_ACTION)


class CaptureCommand:
    """The command `capture` with its actions."""

    name = "capture"
    help = "record a device's line on the bench; play recordings to its driver"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the actions."""
        add_commands(parser, "action", _ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Run the chosen action, and return its exit code."""
        return chosen_command(args, "action", _ACTIONS).run(args)


COMMAND = CaptureCommand()
