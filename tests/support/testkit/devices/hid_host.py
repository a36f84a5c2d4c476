"""Program that reads one HID scanner through the real ports and prints each report as a line; under umockdev."""

import asyncio
import sys

from pitwarden.field.devices.runner import DeviceRunner, DeviceSpec
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.device import DeviceHealth
from pitwarden_drivers.api import DeviceReport, ExpectedDevice, PlainCard
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.registry import find_driver


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


class NotedReports:
    """Listener that prints each report as a line."""

    def report(self, _device: str, report: DeviceReport) -> None:
        said = report.said
        say(said.face.value if isinstance(said, PlainCard) else getattr(said, "kind", "a secret"))

    def health(self, _device: str, health: DeviceHealth) -> None:
        say(health.state)


async def main(place: str, codes: str) -> None:
    post = DeviceSpec(
        "shoe", PortAddress(place), find_driver(f"scan:{codes}"), ExpectedDevice("shoe", place.rpartition("/")[2])
    )
    keeper = DeviceRunner(
        post,
        clock=SystemClock(),
        random=lambda: 0.0,
        ports=PortOpener(),
        sink=NotedReports(),
    )
    await keeper.run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
