"""The table file's block and the udev line for what is plugged in, and how it stands to a table file."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pitwarden.config.models import DeviceSection
from pitwarden_drivers.ports.plugged import InterfaceFound, LineFound
from pitwarden_drivers.tdp.asking import Somebody

_RIGHTS = 'GROUP="pitwarden", MODE="0660"'
AWAKE = 'ATTR{power/control}="on"'
NO_MODEM = 'ENV{ID_MM_DEVICE_IGNORE}="1"'


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is plugged in: its place for a table file (None: it cannot have one), and its udev line."""

    place: str | None
    other_places: tuple[str, ...]
    what: str
    udev: str
    hid: bool = False
    serial: str = ""


def lines_found(lines: Iterable[LineFound]) -> list[Found]:
    """Serial lines; where two adapters say the same serial number, each is named by the socket that it is in."""
    lines = list(lines)
    twins = Counter((one.usb.vendor, one.usb.product, one.usb.serial) for one in lines if one.usb)
    found: list[Found] = []
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
        found.append(Found(places[0] if places else None, places[1:], what, rule))
    return found


def interfaces_found(interfaces: Iterable[InterfaceFound]) -> list[Found]:
    """USB devices without a serial line."""
    interfaces = list(interfaces)
    twins = Counter((one.usb.vendor, one.usb.product, one.usb.serial) for one in interfaces)
    found: list[Found] = []
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
        found.append(Found(places[0] if places else None, places[1:], what, rule, hid, usb.serial))
    return found


def block(found: Found, somebody: Somebody | None) -> list[str]:
    """The section of the table file; what nobody said is left to be filled in."""
    if found.place is None:
        return ["# no stable name: it cannot stand in a table file (see the udev rule, or its missing serial number)"]
    family = "shoe" if somebody is None else somebody.family
    serial = somebody.serial if somebody is not None else found.serial or "SERIAL"
    written = json.dumps(serial)
    lines = [f"[devices.{family}]", f'family = "{family}"', f'port = "{found.place}"', f"serial = {written}"]
    if found.hid:
        lines.append('driver = "scan:/etc/pitwarden/codes/FILE.toml"')
    if somebody is not None:
        lines.append(f"firmware = [{json.dumps(somebody.firmware)}]")
    return [*lines, f"# udev: {found.udev}"]


def standing(found: Found, somebody: Somebody | str | None, sections: Mapping[str, DeviceSection]) -> tuple[bool, str]:
    """Whether nothing is against the table file, and the sentence."""
    places = {place for place in (found.place, *found.other_places) if place}
    here = next((name for name, one in sections.items() if one.port in places), None)
    if not isinstance(somebody, Somebody):
        return True, f"devices.{here} of the table file" if here else "not in the table file"
    who = next((name for name, one in sections.items() if one.serial == somebody.serial), None)
    if here is None:
        return who is None, f"devices.{who} in another place than configured" if who else "not in the table file"
    wanted = sections[here]
    if who != here:
        other = f"that is devices.{who}: the cables are exchanged" if who else "no device of this table"
        return False, f"devices.{here} should be {wanted.serial}, but {somebody.serial} answers: {other}"
    if somebody.family != wanted.family:
        return False, f"devices.{here} should be a {wanted.family}, but a {somebody.family} answers under its number"
    if wanted.firmware and somebody.firmware not in wanted.firmware:
        return False, f"devices.{here} has firmware {somebody.firmware}, approved are {', '.join(wanted.firmware)}"
    return True, f"devices.{here} of the table file, as configured"
