"""The floorperson and the casino supervisor: inspections, decks, 10s, warnings."""

from pitwarden_client.events.floor import (
    Ack,
    FloorAct,
    FtCardRemoved,
    FtDeckOpened,
    FtDeckReturned,
    FtDeckVerified,
    FtDeviceInstalled,
    FtDeviceRemoved,
    FtInspect,
    FtNotified,
    FtOpening,
    FtSettleNote,
    FtTableOpen,
    FtTenConfirmed,
    FtTenDestroyed,
    FtTenRefuted,
)
from pitwarden_client.events.outputs import Irregularity
from pitwarden_simulators.table.actions import DeviceName, Green, KeyPress, Script, Seen
from pitwarden_simulators.table.setup import COLOURS

_RULING = "seen; play goes on"
_RULED_ON = frozenset({"G-02", "TAB-20"})
"""Holds that end with the floor's ruling: no text says what else ends them."""


class SimulatedFloor:
    """One floorperson and one supervisor of a table whose decks or sets have `whole` cards."""

    def __init__(self, whole: int) -> None:
        self._whole = whole

    def key(self, act: FloorAct) -> Script[None]:
        """The floorperson keys an act."""
        yield KeyPress("floor", "f1", act)

    def open_table(self) -> Script[None]:
        """The table opens for gaming."""
        yield from self.key(FtTableOpen())

    def inspect(self, device: DeviceName) -> Script[None]:
        """A device is inspected and found in order (13:69E-1.19(g))."""
        yield from self.key(FtInspect(device=device, ok=True))

    def open_deck(self, deck: str, tens: int) -> Script[None]:
        """A deck or set comes to the table and passes its opening inspection."""
        yield from self.key(FtDeckOpened(deck=deck, colour=COLOURS[deck]))
        yield from self.key(FtOpening(deck=deck, path="table", tens_removed=tens))

    def return_deck(self, deck: str) -> Script[None]:
        """A deck leaves the table."""
        yield from self.key(FtDeckReturned(deck=deck))

    def verify(self, deck: str, count: int) -> Script[None]:
        """A deck is counted whole by hand."""
        yield from self.key(FtDeckVerified(deck=deck, count=count))

    def destroy_ten(self) -> Script[None]:
        """The floorperson sees that the card is a 10 and destroys it (19:47-36.14(b))."""
        yield from self.key(FtTenConfirmed())
        yield from self.key(FtTenDestroyed())

    def refute_ten(self) -> Script[None]:
        """The floorperson sees that the card is no 10."""
        yield from self.key(FtTenRefuted())

    def remove_card(self, deck: str, reason: str) -> Script[None]:
        """A card that does not belong is taken out."""
        yield from self.key(FtCardRemoved(deck=deck, count=1, reason=reason))

    def remove(self, device: DeviceName) -> Script[None]:
        """A device leaves the table."""
        yield from self.key(FtDeviceRemoved(device=device))

    def install(self, device: DeviceName) -> Script[None]:
        """A device comes back and is inspected."""
        yield from self.key(FtDeviceInstalled(device=device))
        yield from self.inspect(device)

    def notified(self) -> Script[None]:
        """The supervisor was told of the reader's misuse (19:47-36.14(l))."""
        yield KeyPress("supervisor", "s1", FtNotified())

    def attend(self) -> Script[None]:
        """Sees every open warning: counts a doubtful deck, rules where no text does, acknowledges the rest."""
        desk = yield Seen()
        for warning in desk.open:
            if warning.catalogue == "G-01" and warning.deck is not None:
                yield from self.verify(warning.deck, self._whole)
            elif warning.verdicts == ("ALERT",) or warning.catalogue in _RULED_ON or _by_analogy(warning):
                yield from self.key(FtSettleNote(irregularity=warning.ref, ruling=_RULING))
            elif warning.status == "open":
                yield from self.key(Ack(irregularity=warning.ref))

    def resume(self) -> Script[None]:
        """Attends to what is open and waits for the table to show that dealing is permitted."""
        yield from self.attend()
        yield Green()


def _by_analogy(warning: Irregularity) -> bool:
    """Whether the text that would end the round is not in our sources: a supervisor rules."""
    return warning.basis == "analogy" and {"ALERT", "HOLD"} <= set(warning.verdicts)
