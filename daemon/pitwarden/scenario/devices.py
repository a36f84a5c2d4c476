"""The devices of a scenario's table: `shoe auto, shuffler counts=no`."""

from dataclasses import dataclass, replace
from typing import Final, get_args

from pitwarden.rules.setup.table_setup import MARKED, Side
from pitwarden.scenario.errors import ScenarioError, unknown

KINDS: Final = ("shoe", "shuffler", "reader")
_SWITCHES: Final = {"yes": True, "no": False, "unknown": None}
_TRAITS: Final = frozenset({"auto", "counts", "reads", "visible", "procedure", "side", "ranks"})


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the table; `counts` and `visible` may be unknown (None)."""

    ident: str
    kind: str
    counts: bool | None = None
    reads: bool = True
    automated: bool = False
    visible: bool | None = None
    procedure: str | None = "ICP-1"
    side: Side | None = None
    ranks: tuple[str, ...] = MARKED


def devices_of(text: str) -> tuple[Device, ...]:
    """The devices in `text`, apart by commas; no name stands twice."""
    devices = tuple(device_of(part) for part in text.split(",") if part.strip())
    if len({device.ident for device in devices}) < len(devices):
        raise ScenarioError(f"a device stands twice in {text!r}")
    return devices


def device_of(text: str) -> Device:
    """`text`, a name and perhaps traits, as a device; ScenarioError naming what is none."""
    name, *traits = text.split()
    kind = name.rstrip("0123456789")
    if kind not in KINDS:
        raise unknown(name, "device", KINDS)
    made = Device(name, kind)
    for trait in traits:
        key, _, value = trait.partition("=")
        if key not in _TRAITS:
            raise unknown(key, f"trait of a {kind}", _TRAITS)
        made = _trait(made, key, value)
    return made


def side_of(text: str) -> Side:
    """`text` as a side of the dealer; ScenarioError otherwise."""
    sides: tuple[Side, ...] = get_args(Side)
    for side in sides:
        if side == text:
            return side
    raise unknown(text, "side of the dealer", sides)


def _trait(device: Device, key: str, value: str) -> Device:
    if key == "procedure":
        return replace(device, procedure=None if value in {"", "none"} else value)
    if key == "side":
        return replace(device, side=side_of(value))
    if key == "ranks":
        return replace(device, ranks=tuple(value.split("/")))
    if value not in _SWITCHES and (key, value) != ("auto", ""):
        raise unknown(value, f"value of {key}", _SWITCHES)
    switch = _SWITCHES.get(value, True)  # `auto` alone says it all
    match key:
        case "counts":
            return replace(device, counts=switch)
        case "visible":
            return replace(device, visible=switch)
        case "reads":
            return replace(device, reads=switch is not False)
        case _:
            return replace(device, automated=switch is not False)
