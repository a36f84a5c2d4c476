"""Normalized device events, and device commands.

Terms are those of the regulations: shoe, stub, cutting card, hole card. A command has no reason field: a reason could
leak a hidden card.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from pitwarden_client.events.base import Base64, Count, Hex32, Ident, Millis, Number, Position, Record, Text
from pitwarden_client.events.card_faces import Faces, Sealed
from pitwarden_client.events.keypad import Key

CommandName = Literal["lock", "unlock", "report_count"]

Refusal = Literal[
    "retained", "unreadable", "unknown_device", "repeated", "stale", "in_round", "not_configured", "no_room"
]
"""Reason why a command was not sent to its device."""


class DeviceOrder(Record):
    """Command for the device that its topic names. `id` is unique within an epoch.

    `as_of` is the position of the state to which it responds, `until_ms` (log time) the end of that state's permit;
    after it the command is stale. `signature` is the judge's, Ed25519 over table, device and all other fields; a field
    half that has the judge's key obeys no command without it.
    """

    id: Ident
    command: CommandName
    as_of: Position
    until_ms: Millis
    signer: Hex32 | None = None
    signature: Annotated[Base64, Field(min_length=88, max_length=88)] | None = None


Colour = Annotated[str, Field(pattern=r"^[a-z]{1,16}$")]


class ShoeLoaded(Record):
    """Cards were placed in the shoe: the deck or set, and the number of cards if the shoe can count."""

    kind: Literal["shoe.loaded"] = "shoe.loaded"
    deck: Ident
    count: Count | None = None


class ShoeCard(Record):
    """One card left the shoe. `up`: found face up in the shoe (None where the shoe has no such sensor)."""

    kind: Literal["shoe.card"] = "shoe.card"
    face: Sealed
    up: bool | None = None
    back: Colour | None = None


class ShoeStack(Record):
    """The shoe dispensed a stack of `count` cards; `faces` are all of them, or none where the shoe does not read."""

    kind: Literal["shoe.stack"] = "shoe.stack"
    count: Count
    faces: Faces = ()


class ShoeCut(Record):
    """The cutting card was reached."""

    kind: Literal["shoe.cut"] = "shoe.cut"


class ShoeEmpty(Record):
    """The shoe has no cards left."""

    kind: Literal["shoe.empty"] = "shoe.empty"


class ShoeFault(Record):
    """The shoe jammed, stopped dealing, or failed to deal all cards (13:69F-51.12(d))."""

    kind: Literal["shoe.fault"] = "shoe.fault"
    fault: Literal["jam", "stopped", "short"]


class ShoeUnloaded(Record):
    """The remaining cards were removed from the shoe; `count` is their number if the shoe can count."""

    kind: Literal["shoe.unloaded"] = "shoe.unloaded"
    count: Count | None = None


class ShufflerStarted(Record):
    """A cycle began on a deck. A cycle in sort mode never makes a deck dealable."""

    kind: Literal["shuffler.started"] = "shuffler.started"
    deck: Ident
    mode: Literal["shuffle", "sort"] = "shuffle"


class ShufflerDone(Record):
    """A cycle ended. `count` is the device's own count after it, None for a device that does not count."""

    kind: Literal["shuffler.done"] = "shuffler.done"
    deck: Ident
    count: Count | None = None
    mode: Literal["shuffle", "sort"] = "shuffle"


class ShufflerFault(Record):
    """The shuffler jammed, stopped during a shuffle, or did not complete its cycle (13:69F-36.14(j), 51.12(c))."""

    kind: Literal["shuffler.fault"] = "shuffler.fault"
    deck: Ident
    fault: Literal["jam", "stopped", "incomplete"]
    holding: Count | None = None


class ReaderInserted(Record):
    """The hole card was inserted in the reader."""

    kind: Literal["reader.inserted"] = "reader.inserted"


class ReaderResult(Record):
    """The reader's answer, one sealed bit: 1 blackjack, 0 no blackjack. It contains no rank."""

    kind: Literal["reader.result"] = "reader.result"
    answer: Sealed


class ReaderHolePlaced(Record):
    """A card was placed on the hole card's position, detected by a switch. Equivalent to `kp.dealt`, no more."""

    kind: Literal["reader.hole_placed"] = "reader.hole_placed"


class ReaderFault(Record):
    """The reader could not answer (13:69F-36.14(m))."""

    kind: Literal["reader.fault"] = "reader.fault"
    fault: Literal["jam", "no_answer", "hardware"]


class KeypadEntry(Record):
    """Digits and a key on the dealer's keypad without a meaning here. An entry with a meaning is logged as an input."""

    kind: Literal["keypad.entry"] = "keypad.entry"
    key: Key
    digits: Annotated[str, Field(pattern=r"^[0-9]{0,16}$")] = ""


class DeviceIdentified(Record):
    """A device reported an identity that agrees with the configuration. Its reports are trusted from here on."""

    kind: Literal["device.identified"] = "device.identified"
    serial: Text
    firmware: Text
    boot: Number


IDENTITY_MISMATCH: Final = "identity_mismatch"
"""Word before the colon in `DeviceHealth.reason` when another device is in the place of the configured one.

The field half writes it and the rules core reads it; stored logs contain it. It is never reworded.
"""


class DeviceHealth(Record):
    """A device became online, stale or lost. Logged once for each change."""

    kind: Literal["device.health"] = "device.health"
    state: Literal["online", "stale", "lost"]
    reason: Text


class DeviceGap(Record):
    """Device events `first` to `last` of this boot never arrived and the device no longer has them."""

    kind: Literal["device.gap"] = "device.gap"
    first: Number
    last: Number


class DeviceRestarted(Record):
    """The device began a new boot."""

    kind: Literal["device.restarted"] = "device.restarted"
    boot: Number


class DeviceCount(Record):
    """The device answered a count request: the cards it holds now."""

    kind: Literal["device.count"] = "device.count"
    request: Ident
    count: Count


class DeviceUnknown(Record):
    """The device sent a code that its protocol does not define. Logged once for each code, never interpreted."""

    kind: Literal["device.unknown"] = "device.unknown"
    code: Annotated[int, Field(ge=0, le=65_535)]


class DeviceCommand(Record):
    """The outcome of a command sent to the device."""

    kind: Literal["device.command"] = "device.command"
    request: Ident
    command: CommandName
    outcome: Literal["done", "refused", "timeout"]


class DeviceCover(Record):
    """A door, lid or bin of the device was opened or closed."""

    kind: Literal["device.cover"] = "device.cover"
    cover: Literal["door", "lid", "bin"]
    state: Literal["open", "closed"]


class DevicePower(Record):
    """The device's supply: mains, its battery, or a battery too low to operate."""

    kind: Literal["device.power"] = "device.power"
    state: Literal["mains", "battery", "low"]


class DeviceMaintenance(Record):
    """Maintenance of the device is due, began, or ended."""

    kind: Literal["device.maintenance"] = "device.maintenance"
    state: Literal["due", "started", "finished"]


class DeviceMeter(Record):
    """A counter that the device keeps over its life: cycles, cards, jams, or hours of operation."""

    kind: Literal["device.meter"] = "device.meter"
    meter: Literal["cycles", "cards", "jams", "hours"]
    value: Number


class DeviceSuspect(Record):
    """The device reported something impossible. The report was not used."""

    kind: Literal["device.suspect"] = "device.suspect"
    reason: Text


DeviceEvent = (
    ShoeLoaded | ShoeCard | ShoeStack | ShoeCut | ShoeEmpty | ShoeFault | ShoeUnloaded
    | ShufflerStarted | ShufflerDone | ShufflerFault
    | ReaderInserted | ReaderResult | ReaderHolePlaced | ReaderFault | KeypadEntry
    | DeviceIdentified | DeviceHealth | DeviceGap | DeviceRestarted | DeviceCount | DeviceUnknown | DeviceCommand
    | DeviceCover | DevicePower | DeviceMaintenance | DeviceMeter | DeviceSuspect
)  # fmt: skip
