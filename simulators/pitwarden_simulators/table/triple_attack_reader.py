"""Triple attack blackjack, the dealer's blackjack: insurance and the card reader (19:47-36.7(k), 36.10)."""

from typing import ClassVar

from pitwarden_client.events.dealer_play import KpDealt, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpClose, KpInsuranceSettled, KpOpen
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.actions import AwaitStored, Script
from pitwarden_simulators.table.dealers import RoundVoid
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.table import SimulatedTable
from pitwarden_simulators.table.triple_attack_shoe import TabShoe


class TabReader(TabShoe):
    """Dealer with a card reader. `checked`: the up cards on which the hole card goes to it (36.7(k))."""

    checked: ClassVar[frozenset[str]] = frozenset("AKQJ")

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        super().__init__(table, floor)
        self._reader_out = False
        self._insurance = False

    def deal_done(self) -> Script[None]:
        """Announce the end of the deal, with its last card face down: by the switch under that card, or by a key."""
        if self.table.reader is not None and self.table.setup.hole_switch:
            self.table.reader.place()
            yield AwaitStored("reader")
        else:
            yield from self.key(KpDealt())

    def blackjack_shown(self) -> Script[bool]:
        """Play insurance and the reader; return whether the reader ended the round (36.7(k), 36.10)."""
        up = self.table.layout.dealer[0]
        self._insurance = up.rank == "A"
        answer = None
        if self._insurance:
            yield from self.key(KpOpen(window="insurance"))
            if self.table.mishap("early_insert"):
                answer = yield from self._insert()
                self.wary = True
                yield from self.glance()
            yield from self.key(KpClose(window="insurance"))
        if answer is None and self._checks(up):
            answer = yield from self._insert()
        if answer:
            yield from self.turn_hole()
        return bool(answer)

    def turn_hole(self) -> Script[None]:
        """Show the hole card and settle insurance."""
        yield from self.key(KpHoleUp())
        self.table.layout.show(self.table.layout.dealer)
        if self._insurance:
            yield from self.key(KpInsuranceSettled())

    def reader_back(self) -> Script[None]:
        """Have a reader that gave no answer inspected, after the round."""
        if self._reader_out:
            self._reader_out = False
            yield from self.floor.inspect("reader")

    def _checks(self, up: Card) -> bool:
        """Return whether the dealer uses the reader, rightly or not."""
        if self.table.reader is None:
            return False
        if up.rank not in self.checked:
            return self.table.mishap("misuse")
        self.wary = self.table.mishap("no_check")
        return not self.wary

    def _insert(self) -> Script[bool | None]:
        reader = self.table.reader
        if reader is None:
            return None
        up, hole = self.table.layout.dealer
        answer = reader.insert(up, hole)
        yield AwaitStored("reader")
        if up.rank not in self.checked:
            yield from self._misused()
            return None
        if answer is None:
            self._reader_out = True
            yield from self.floor.attend()
        return answer

    def _misused(self) -> Script[None]:
        """Notify the supervisor that the reader was used on a wrong up card (36.14(l))."""
        yield from self.floor.notified()
        if self.table.setup.reader == "visible":
            raise RoundVoid(shuffle=False)
        yield from self.floor.resume()
