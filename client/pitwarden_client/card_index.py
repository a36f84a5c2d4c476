"""Index of the cards and reader answers that may still be revealed, so that a reveal finds its card. No I/O.

The log may be read far ahead of the outputs, so the position of the outputs decides which cards are dropped.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final

from pitwarden_client.chain.log_row import LogRow
from pitwarden_client.events.base import Position
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeLoaded, ShoeStack
from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_client.events.table import Head
from pitwarden_client.items import HiddenCard
from pitwarden_client.verification.commitment import verify_reveal

MAX_CARDS: Final = 20_000  # two loads of the largest shoe, and two pages of a replay that the outputs are behind
# Loads of a shoe whose cards are found: the present one, and the one before it for late reveals.
LOADS: Final = 2


class CardIndex:
    """Cards since the second-last load of a shoe. `since` is the row before the oldest of them."""

    def __init__(self, since: Head | None) -> None:
        self.since = since
        self._last = since
        self._place = 0
        self._bases: dict[str, int] = {}
        self._loads: deque[tuple[int, Head | None]] = deque()
        self._cards: dict[tuple[str, int, int], HiddenCard] = {}
        self._order: deque[tuple[int, tuple[str, int, int]]] = deque()

    def row(self, row: LogRow) -> None:
        """Add a row of the log, in order."""
        self._place += 1
        self._bases.setdefault(row.at.epoch, self._place - row.at.number)
        data = None if row.event is None else row.event.data
        if isinstance(data, ShoeLoaded):
            self._loads.append((self._place, self._last))
        elif row.event is not None and isinstance(data, ShoeCard | ShoeStack | ReaderResult):
            for index, commitment in enumerate(_commitments(data)):
                key = (row.at.epoch, row.at.number, index)
                self._cards[key] = HiddenCard(row.event.source, row.at, index, commitment, data)
                self._order.append((self._place, key))
            while len(self._order) > MAX_CARDS:
                self._forget()
        self._last = row.head

    def behind(self, epoch: str, number: int) -> int:
        """Return the number of rows read after this one; 0 for a row that was not read here."""
        base = self._bases.get(epoch)
        return 0 if base is None else max(self._place - base - number, 0)

    def passed(self, at: Position) -> None:
        """Record that the outputs have reached this row, and drop the cards before the last two loads."""
        base = self._bases.get(at.epoch)
        if base is None:
            return
        place = base + at.number
        while len(self._loads) > LOADS and self._loads[LOADS][0] <= place:
            self._loads.popleft()
        if len(self._loads) < LOADS or self._loads[LOADS - 1][0] > place:
            return
        oldest, self.since = self._loads[0]
        while self._order and self._order[0][0] < oldest:
            self._forget()

    def find(self, reveal: Reveal | ReaderRevealed) -> HiddenCard | None:
        """Return the card to which `reveal` refers; None when it is not known."""
        index = reveal.index if isinstance(reveal, Reveal) else 0
        return self._cards.get((reveal.epoch, reveal.event, index))

    def _forget(self) -> None:
        _, key = self._order.popleft()
        self._cards.pop(key, None)


def is_proved(card: HiddenCard | None, reveal: Reveal | ReaderRevealed) -> bool | None:
    """Return whether `reveal` matches the commitment of `card`; None without the card."""
    return None if card is None else verify_reveal(card.source, reveal, card.commitment)


def _commitments(data: ShoeCard | ShoeStack | ReaderResult) -> Iterator[str]:
    if isinstance(data, ShoeStack):
        yield from (face.commitment for face in data.faces)
    else:
        yield data.face.commitment if isinstance(data, ShoeCard) else data.answer.commitment
