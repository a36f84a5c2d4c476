"""The physics of a hole-card reader: a mark on the hole card and the key of the up card in, one bit out."""

from pitwarden_client.events.device import ReaderFault, ReaderHolePlaced, ReaderInserted
from pitwarden_drivers.api import PlainAnswer, Secret
from pitwarden_simulators.cards import Card, is_blackjack
from pitwarden_simulators.devices.memory import Voice


class Reader:
    """A reader that lights `blackjack` or `no blackjack`; `fail_next`: it cannot answer the next time."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self.fail_next = False

    def place(self) -> None:
        """Lay a card on the hole card's place: the switch under it closes."""
        self._voice.say(ReaderHolePlaced())

    def insert(self, up: Card, hole: Card) -> bool | None:
        """The hole card is inserted, face down: the lamp that lights, None when none does."""
        self._voice.say(ReaderInserted())
        if self.fail_next:
            self.fail_next = False
            self._voice.say(ReaderFault(fault="no_answer"))
            return None
        blackjack = is_blackjack((up, hole))
        self._voice.say(PlainAnswer(Secret(int(blackjack))))
        return blackjack
