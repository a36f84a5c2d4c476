"""Inputs of the floorperson and the casino supervisor, and inputs of any role about a warning."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pitwarden_client.events.base import Count, Ident, Number, Record, Text
from pitwarden_client.events.device import Colour

Device = Ident
CardName = Annotated[str, StringConstraints(pattern=r"^((A|[2-9]|10|J|Q|K)[CDHS]|JKR)$")]
"""Card that a person names: rank and suit, such as `10D`, or `JKR`."""


class FtTableOpen(Record):
    """The table opened for gaming. `secured`: its shoe and shuffler are secured to it (13:69E-1.19(b), (c)2)."""

    act: Literal["ft.table_open"] = "ft.table_open"
    secured: bool = True


class FtTableClose(Record):
    """The table closed. `locked`: its shoe and shuffler are locked away (13:69E-1.19(b), (c)2)."""

    act: Literal["ft.table_close"] = "ft.table_close"
    locked: bool = True


class FtDeckOpened(Record):
    """A deck, or a sealed set of decks, was opened and placed on the table."""

    act: Literal["ft.deck_opened"] = "ft.deck_opened"
    deck: Ident
    colour: Colour | None = None
    set_id: Ident | None = None


class FtOpening(Record):
    """The opening inspection of a deck: its path, and the number of 10s removed (19:47-36.3(b); 13:69F-51.3)."""

    act: Literal["ft.opening"] = "ft.opening"
    deck: Ident
    path: Literal["table", "preshuffled"] = "table"
    tens_removed: Count = 0


class FtDeckVerified(Record):
    """The floorperson counted and checked a complete deck."""

    act: Literal["ft.deck_verified"] = "ft.deck_verified"
    deck: Ident
    count: Count | None = None


class FtDeckReturned(Record):
    """A deck left the table for the security department (13:69E-1.18(n))."""

    act: Literal["ft.deck_returned"] = "ft.deck_returned"
    deck: Ident
    all_inspected: bool = True


class FtInspect(Record):
    """The floorperson assigned to the table inspected a device (13:69E-1.19(g))."""

    act: Literal["ft.inspect"] = "ft.inspect"
    device: Device
    ok: bool


class FtDeviceRemoved(Record):
    """A device left the table."""

    act: Literal["ft.device_removed"] = "ft.device_removed"
    device: Device


class FtDeviceInstalled(Record):
    """A device was installed at the table."""

    act: Literal["ft.device_installed"] = "ft.device_installed"
    device: Device


class FtTenConfirmed(Record):
    """The floorperson inspected the card and confirmed that it is a 10."""

    act: Literal["ft.ten_confirmed"] = "ft.ten_confirmed"


class FtTenRefuted(Record):
    """The floorperson inspected the card: it is not a 10, and the shoe misread it."""

    act: Literal["ft.ten_refuted"] = "ft.ten_refuted"


class FtTenDestroyed(Record):
    """The floorperson destroyed the 10 (19:47-36.14(b))."""

    act: Literal["ft.ten_destroyed"] = "ft.ten_destroyed"


class FtCardRemoved(Record):
    """Cards were removed from a deck as damaged or foreign, for the card ledger.

    `face` is the card that was removed, `replaced_by` the card that was put in its place. They are keyed between
    rounds, since this input makes them public.
    """

    act: Literal["ft.card_removed"] = "ft.card_removed"
    deck: Ident
    count: Count
    reason: Text
    face: CardName | None = None
    replaced_by: CardName | None = None


class FtNotified(Record):
    """A casino supervisor was notified of the reader's misuse (19:47-36.14(l))."""

    act: Literal["ft.notified"] = "ft.notified"


class FtReaderVisible(Record):
    """The finding whether this reader lets a player determine the hole card's value (19:47-36.14(l)1, 2)."""

    act: Literal["ft.reader_visible"] = "ft.reader_visible"
    visible: bool


class FtRecut(Record):
    """A casino supervisor orders the cards recut (19:47-36.4(f); 13:69F-51.4(d))."""

    act: Literal["ft.recut"] = "ft.recut"


class FtConfirmed(Record):
    """The floorperson confirms what a dealer keyed, where the house requires it (19:47-36.14(d))."""

    act: Literal["ft.confirmed"] = "ft.confirmed"
    irregularity: Text


class FtSettleNote(Record):
    """The floorperson's ruling on an irregularity for which the text names no remedy."""

    act: Literal["ft.settle_note"] = "ft.settle_note"
    irregularity: Text
    ruling: Text


class FtProcedureApproved(Record):
    """The procedures of a device are on file (13:69E-1.19(c)1)."""

    act: Literal["ft.procedure_approved"] = "ft.procedure_approved"
    device: Device
    reference: Text


class Ack(Record):
    """A person acknowledges having seen a warning."""

    act: Literal["ack"] = "ack"
    irregularity: Text


class Refute(Record):
    """The floorperson refutes an irregularity that depends on a sensor; both remain in the record."""

    act: Literal["refute"] = "refute"
    irregularity: Text
    reason: Text


class Retract(Record):
    """The author retracts an input of this round; `number` is its number in the log."""

    act: Literal["retract"] = "retract"
    number: Number


class Override(Record):
    """A supervisor grants the deal permit despite a warning, with a reason."""

    act: Literal["override"] = "override"
    reason: Annotated[Text, Field(min_length=3)]


FloorAct = (
    FtTableOpen | FtTableClose | FtDeckOpened | FtOpening | FtDeckVerified | FtDeckReturned | FtInspect
    | FtDeviceRemoved | FtDeviceInstalled | FtTenConfirmed | FtTenRefuted | FtTenDestroyed | FtCardRemoved | FtNotified
    | FtReaderVisible | FtRecut | FtConfirmed | FtSettleNote | FtProcedureApproved | Ack | Refute | Retract | Override
)  # fmt: skip
