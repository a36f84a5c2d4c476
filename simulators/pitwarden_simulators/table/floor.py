"""Floorperson and casino supervisor: inspections, decks, 10s, warnings."""

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
from pitwarden_simulators.table.actions import AwaitJudged, AwaitPermit, DeviceName, KeyPress, Script
from pitwarden_simulators.table.setup import COLOURS

_RULING = "seen; play goes on"
_RULED_ON = frozenset({"G-02", "TAB-20"})
"""Holds that end with the floorperson's ruling, since no text names another end."""


class SimulatedFloor:
    """Floorperson and supervisor of a table whose decks or sets have `whole` cards."""

    def __init__(self, whole: int) -> None:
        self._whole = whole

    def key(self, act: FloorAct) -> Script[None]:
        """Key an act of the floorperson."""
        yield KeyPress("floor", "f1", act)

    def open_table(self) -> Script[None]:
        """Open the table for gaming."""
        yield from self.key(FtTableOpen())

    def inspect(self, device: DeviceName) -> Script[None]:
        """Inspect a device and find it in order (13:69E-1.19(g))."""
        yield from self.key(FtInspect(device=device, ok=True))

    def open_deck(self, deck: str, tens: int) -> Script[None]:
        """Bring a deck or set to the table; it passes its opening inspection."""
        yield from self.key(FtDeckOpened(deck=deck, colour=COLOURS[deck]))
        yield from self.key(FtOpening(deck=deck, path="table", tens_removed=tens))

    def return_deck(self, deck: str) -> Script[None]:
        """Return a deck."""
        yield from self.key(FtDeckReturned(deck=deck))

    def verify(self, deck: str, count: int) -> Script[None]:
        """Verify a deck: count it completely by hand."""
        yield from self.key(FtDeckVerified(deck=deck, count=count))

    def destroy_ten(self) -> Script[None]:
        """Destroy a card that is a 10 (19:47-36.14(b))."""
        yield from self.key(FtTenConfirmed())
        yield from self.key(FtTenDestroyed())

    def refute_ten(self) -> Script[None]:
        """Refute a 10: the card is another one."""
        yield from self.key(FtTenRefuted())

    def remove_card(self, deck: str, reason: str) -> Script[None]:
        """Remove a foreign card."""
        yield from self.key(FtCardRemoved(deck=deck, count=1, reason=reason))

    def remove(self, device: DeviceName) -> Script[None]:
        """Remove a device from the table."""
        yield from self.key(FtDeviceRemoved(device=device))

    def install(self, device: DeviceName) -> Script[None]:
        """Install a device again and inspect it."""
        yield from self.key(FtDeviceInstalled(device=device))
        yield from self.inspect(device)

    def notified(self) -> Script[None]:
        """Notify the supervisor of the reader's misuse (19:47-36.14(l))."""
        yield KeyPress("supervisor", "s1", FtNotified())

    def attend(self) -> Script[None]:
        """Attend to every open warning: count a doubtful deck, rule where no text does, acknowledge the rest."""
        desk = yield AwaitJudged()
        for warning in desk.open:
            if warning.catalogue == "G-01" and warning.deck is not None:
                yield from self.verify(warning.deck, self._whole)
            elif warning.verdicts == ("ALERT",) or warning.catalogue in _RULED_ON or _by_analogy(warning):
                yield from self.key(FtSettleNote(irregularity=warning.ref, ruling=_RULING))
            elif warning.status == "open":
                yield from self.key(Ack(irregularity=warning.ref))

    def resume(self) -> Script[None]:
        """Attend to what is open and wait for the table to display that dealing is permitted."""
        yield from self.attend()
        yield AwaitPermit()


def _by_analogy(warning: Irregularity) -> bool:
    """Return whether the text that would end the round is not in our sources: a supervisor rules."""
    return warning.basis == "analogy" and {"ALERT", "HOLD"} <= set(warning.verdicts)
