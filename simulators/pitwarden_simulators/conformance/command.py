"""Command `pitwarden conformance`: plays TDP's obligations against a device on a line, or against a simulated one."""

import argparse
import asyncio
from typing import get_args

from pitwarden.system.clock import SystemClock
from pitwarden_drivers.api import Family
from pitwarden_drivers.errors import DeviceError
from pitwarden_drivers.ports.addresses import check_address
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_simulators.conformance.channel import BenchChannel
from pitwarden_simulators.conformance.defect import DefectiveDevice
from pitwarden_simulators.conformance.defective import DEFECTS
from pitwarden_simulators.conformance.kit import NAME_WIDTH, play
from pitwarden_simulators.conformance.operator import Person
from pitwarden_simulators.conformance.simulated import MAKERS
from pitwarden_simulators.conformance.wire import MemoryWire, PortWire
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.obligations import ObligationFinding, print_verdict

SIMULATED = "simulated:"
TITLE = "TDP 1"
EX_CONFIG = 78


class ConformanceCommand:
    """Command that plays the conformance kit."""

    name = "conformance"
    help = "play TDP's obligations against a device, clause by clause"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        families = ", ".join(SIMULATED + family for family in get_args(Family))
        parser.add_argument(
            "--device", required=True, metavar="URL", help=f"its place, as in a table file, or {families}"
        )
        parser.add_argument("--baud", type=int, default=115_200)
        parser.add_argument("--faults", action="store_true", help="you will jam and restart the device when asked to")
        parser.add_argument("--only", default="", metavar="WORDS", help="only clauses that contain these words")
        parser.add_argument(
            "--defect",
            "--slip",  # its former name, until 1.0
            choices=sorted(DEFECTS),
            help="a simulated device that breaks one obligation",
        )

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when no obligation is broken, 1 when one is, 78 when there is no such device."""
        if args.device.startswith(SIMULATED):
            family = args.device.removeprefix(SIMULATED)
            if family not in MAKERS:
                print(f"{args.device}: simulated are {', '.join(MAKERS)}")  # noqa: T201  a command talks to a person
                return EX_CONFIG
            return print_verdict(TITLE, asyncio.run(play(simulated(family, args.defect), _say, args.only)))
        try:
            check_address(args.device, simulated=True)
        except ValueError as error:
            print(error)  # noqa: T201  as above
            return EX_CONFIG
        return asyncio.run(_on_a_line(PortAddress(args.device, args.baud), args.only, willing=args.faults))


def simulated(family: Family, defect: str | None = None) -> BenchChannel:
    """Return a channel to a simulated device in memory, honest or with one of the `DEFECTS`."""
    _, defects, memory = DEFECTS[defect] if defect else ("", None, Memory)
    device, hand = MAKERS[family](memory(1))
    return BenchChannel(MemoryWire(DefectiveDevice(device, defects()) if defects else device), hand)


async def _on_a_line(line: PortAddress, only: str, *, willing: bool) -> int:
    wire = PortWire(SystemClock())
    try:
        await wire.open(line)
    except DeviceError as fault:
        print(fault)  # noqa: T201  as above
        return EX_CONFIG
    try:
        return print_verdict(TITLE, await play(BenchChannel(wire, Person(print, willing=willing)), _say, only))
    finally:
        await wire.close()


def _say(finding: ObligationFinding) -> None:
    print(finding.line(NAME_WIDTH), flush=True)  # noqa: T201  as above


COMMAND = ConformanceCommand()
