"""`pitwarden devices`: the devices that are plugged in, their identity, and their lines for the table file and udev.

With `--ask`, each port that no program has open is queried for at most two seconds.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pitwarden.cli import table_file
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.config.models import DeviceSection
from pitwarden.system.clock import Clock, SystemClock
from pitwarden_drivers.errors import DeviceError
from pitwarden_drivers.ports.addresses import is_url
from pitwarden_drivers.ports.discovery import SerialLineInfo, UsbInterfaceInfo, interfaces, serial_lines
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.tdp.identity import IdentifyProbe, Responder

ANSWER_S = 2.0
AGAIN_S = 0.5


class _ResponseListener:
    """Receiver of a port's bytes until a device answers or the port is lost."""

    def __init__(self, question: IdentifyProbe) -> None:
        self.answer: asyncio.Future[Responder] = asyncio.get_running_loop().create_future()
        self._question = question

    def received(self, data: bytes) -> None:
        """Handle received bytes."""
        responder = self._question.receive(data)
        if responder is not None and not self.answer.done():
            self.answer.set_result(responder)

    def lost(self, fault: DeviceError) -> None:
        """Handle the loss of the port."""
        if not self.answer.done():
            self.answer.set_exception(fault)


async def identify_device(ports: PortOpener, place: str, clock: Clock) -> Responder | str:
    """Return the identity of the device at `place`, or a sentence with the reason why it is unknown."""
    question = IdentifyProbe(clock.mono_ms())
    listener = _ResponseListener(question)
    try:
        port = await ports.open(PortAddress(place), listener)
    except DeviceError as fault:
        return str(fault)
    try:
        async with asyncio.timeout(ANSWER_S):
            while True:
                port.write(question.question())
                done, _ = await asyncio.wait({listener.answer}, timeout=AGAIN_S)
                if done:
                    return listener.answer.result()
    except DeviceError as fault:
        return str(fault)
    except TimeoutError:
        return f"nobody answers TDP's question in {ANSWER_S:g} s: another protocol, another speed, or switched off"
    finally:
        listener.answer.cancel()
        await port.close()


_RIGHTS = 'GROUP="pitwarden", MODE="0660"'
AWAKE = 'ATTR{power/control}="on"'
NO_MODEM = 'ENV{ID_MM_DEVICE_IGNORE}="1"'


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """Device that is plugged in: its place for a table file (None: it has no stable name), and its udev line."""

    place: str | None
    other_places: tuple[str, ...]
    what: str
    udev: str
    hid: bool = False
    serial: str = ""


def describe_serial_lines(lines: Iterable[SerialLineInfo]) -> list[FoundDevice]:
    """Return the devices on serial lines.

    Where two adapters report the same serial number, each is named by the socket that it is in.
    """
    lines = list(lines)
    twins = Counter((one.usb.vendor, one.usb.product, one.usb.serial) for one in lines if one.usb)
    found: list[FoundDevice] = []
    for one in lines:
        usb = one.usb
        alone = usb is not None and usb.nameable and twins[usb.vendor, usb.product, usb.serial] == 1
        names = (one.by_id, one.by_path) if alone or usb is None else (one.by_path,)
        places = tuple(name for name in names if name is not None)
        what = f"serial line {one.tty}"
        if usb is not None:
            what += f", adapter {usb.vendor}:{usb.product} {usb.serial or 'without a serial number'} in port {usb.port}"
            what += f" ({usb.name})" if usb.name else ""
            what += "" if alone else "; its name by id would not tell it from another: use the name by path"
        key = f'ENV{{ID_SERIAL_SHORT}}=="{usb.serial}"' if alone and usb else f'ENV{{ID_PATH}}=="{one.socket_path}"'
        rule = f'SUBSYSTEM=="tty", {key}, {_RIGHTS}, {NO_MODEM}'
        found.append(FoundDevice(places[0] if places else None, places[1:], what, rule))
    return found


def describe_usb_interfaces(interfaces: Iterable[UsbInterfaceInfo]) -> list[FoundDevice]:
    """Return the USB devices without a serial line."""
    interfaces = list(interfaces)
    twins = Counter((one.usb.vendor, one.usb.product, one.usb.serial) for one in interfaces)
    found: list[FoundDevice] = []
    for one in interfaces:
        usb = one.usb
        kind = "HID device, maybe a scanner" if one.scheme == "hid" else "vendor-class device, maybe TDP"
        what = f"{kind}: {usb.vendor}:{usb.product} {usb.serial or 'without a serial number'} in port {usb.port}"
        what += f" ({usb.name})" if usb.name else ""
        plain = f"{one.scheme}://{usb.vendor}:{usb.product}/{usb.serial}"
        only = f"{plain}?port={usb.port}"
        twin = twins[usb.vendor, usb.product, usb.serial] > 1
        what += "; another has the same serial number: name the port" if twin else ""
        places = ((only,) if twin else (plain, only)) if usb.nameable else ()
        rule = (
            f'SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", ATTR{{idVendor}}=="{usb.vendor}", '
            f'ATTR{{idProduct}}=="{usb.product}", ATTR{{serial}}=="{usb.serial}", {_RIGHTS}, {AWAKE}'
        )
        hid = one.scheme == "hid"
        found.append(FoundDevice(places[0] if places else None, places[1:], what, rule, hid, usb.serial))
    return found


def table_file_block(found: FoundDevice, responder: Responder | None) -> list[str]:
    """Return the section of the table file for a device. Values that no device reported are left to be filled in."""
    if found.place is None:
        return ["# no stable name: it cannot stand in a table file (see the udev rule, or its missing serial number)"]
    family = "shoe" if responder is None else responder.family
    serial = responder.serial if responder is not None else found.serial or "SERIAL"
    written = json.dumps(serial)
    lines = [f"[devices.{family}]", f'family = "{family}"', f'port = "{found.place}"', f"serial = {written}"]
    if found.hid:
        lines.append('driver = "scan:/etc/pitwarden/codes/FILE.toml"')
    if responder is not None:
        lines.append(f"firmware = [{json.dumps(responder.firmware)}]")
    return [*lines, f"# udev: {found.udev}"]


def compare_with_table_file(
    found: FoundDevice, responder: Responder | str | None, sections: Mapping[str, DeviceSection]
) -> tuple[bool, str]:
    """Return whether a device agrees with the table file, and the sentence to print."""
    places = {place for place in (found.place, *found.other_places) if place}
    here = next((name for name, one in sections.items() if one.port in places), None)
    if not isinstance(responder, Responder):
        return True, f"devices.{here} of the table file" if here else "not in the table file"
    who = next((name for name, one in sections.items() if one.serial == responder.serial), None)
    if here is None:
        return who is None, f"devices.{who} in another place than configured" if who else "not in the table file"
    wanted = sections[here]
    if who != here:
        other = f"that is devices.{who}: the cables are exchanged" if who else "no device of this table"
        return False, f"devices.{here} should be {wanted.serial}, but {responder.serial} answers: {other}"
    if responder.family != wanted.family:
        return False, f"devices.{here} should be a {wanted.family}, but a {responder.family} answers under its number"
    if wanted.firmware and responder.firmware not in wanted.firmware:
        return False, f"devices.{here} has firmware {responder.firmware}, approved are {', '.join(wanted.firmware)}"
    return True, f"devices.{here} of the table file, as configured"


class DevicesCommand:
    """The command `devices`."""

    name = "devices"
    help = "what is plugged in, and its lines for the table file and udev"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--config", type=Path, help="a table file: how each stands to it")
        parser.add_argument(
            "--ask",
            action="store_true",
            help="open each that is not in use and ask who it is; opening restarts some devices",
        )
        parser.add_argument("--root", type=Path, default=Path("/"), help="look at the /sys and /dev below this folder")

    def run(self, args: argparse.Namespace) -> int:
        """List devices, and return 0; 1 when one disagrees with the table file; 78 when that file is refused."""
        table = None if args.config is None else table_file.read_table_file(args.config)
        if args.config is not None and table is None:
            return EX_CONFIG
        sections = {} if table is None else table.devices
        found = [*describe_serial_lines(serial_lines(args.root)), *describe_usb_interfaces(interfaces(args.root))]
        answers = asyncio.run(query_devices(found, args.root)) if args.ask else [None] * len(found)
        good = True
        for one, answer in zip(found, answers, strict=True):
            fits, sentence = compare_with_table_file(one, answer, sections)
            good = good and fits
            _print_device(one, answer, sentence if sections else "")
        for name, section in sections.items():
            if not is_url(section.port) and not _there(section.port, found):
                good = False
                print(f"devices.{name}: nothing is plugged in at {section.port}\n")  # noqa: T201  a command's answer
        if not found:
            print("no serial line with a stable name, and no USB device that we could drive", file=sys.stderr)  # noqa: T201  as above
        return 0 if good else 1


def _there(place: str, found: list[FoundDevice]) -> bool:
    return any(place in {one.place, *one.other_places} for one in found) or Path(place).exists()


async def query_devices(found: list[FoundDevice], root: Path) -> list[Responder | str | None]:
    """Query the devices one at a time: two adapters on one hub would delay each other beyond the limit."""
    ports, clock = PortOpener(), SystemClock()
    answers: list[Responder | str | None] = []
    for one in found:
        if one.place is None or one.hid:
            answers.append(None)
        else:
            place = one.place if is_url(one.place) else str(root / one.place.lstrip("/"))
            answers.append(await identify_device(ports, place, clock))
    return answers


def _print_device(one: FoundDevice, answer: Responder | str | None, sentence: str) -> None:
    lines = [one.place or one.what]
    lines += [f"  also {place}" for place in one.other_places]
    lines += [f"  {one.what}"] if one.place else []
    if isinstance(answer, Responder):
        lines.append(f"  says it is the {answer.family} {answer.serial}, firmware {answer.firmware}")
    elif answer is not None:
        lines.append(f"  not asked: {answer}")
    lines += [f"  {sentence}"] if sentence else []
    lines += [f"    {line}" for line in table_file_block(one, answer if isinstance(answer, Responder) else None)]
    print("\n".join(lines) + "\n")  # noqa: T201  the command's answer


COMMAND = DevicesCommand()
