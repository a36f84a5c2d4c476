"""Physics of a hole-card reader: a mark on the hole card and the key of the up card in, one bit out."""

from pitwarden_client.events.device import ReaderFault, ReaderHolePlaced, ReaderInserted
from pitwarden_drivers.api import PlainAnswer, Secret
from pitwarden_simulators.cards import Card, is_blackjack
from pitwarden_simulators.devices.memory import EventSink


class Reader:
    """Reader that lights `blackjack` or `no blackjack`; `fail_next`: it gives no answer the next time."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self.fail_next = False

    def place(self) -> None:
        """Lay a card on the hole card's place: the switch under it closes."""
        self._sink.emit(ReaderHolePlaced())

    def insert(self, up: Card, hole: Card) -> bool | None:
        """Insert the hole card, face down; return the lamp that lights, None when none does."""
        self._sink.emit(ReaderInserted())
        if self.fail_next:
            self.fail_next = False
            self._sink.emit(ReaderFault(fault="no_answer"))
            return None
        blackjack = is_blackjack((up, hole))
        self._sink.emit(PlainAnswer(Secret(int(blackjack))))
        return blackjack
