"""The cards and answers of the log that may still be revealed, so that a reveal finds its own. No I/O."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Final

from pitwarden.bus.receiver import LogRow
from pitwarden.client.items import Card
from pitwarden.events.device import ReaderResult, ShoeCard, ShoeLoaded, ShoeStack
from pitwarden.events.outputs import ReaderRevealed, Reveal
from pitwarden.events.table import Head
from pitwarden.seal.commitment import check_reveal

MAX_CARDS: Final = 4_096  # two loads of the largest shoe, and more
LOADS: Final = 2


class Cards:
    """Cards since the last load of a shoe but one. `since` is the row before the oldest of them, to begin from."""

    def __init__(self, since: Head | None) -> None:
        self.since = since
        self._last = since
        self._loads: deque[Head | None] = deque(maxlen=LOADS)
        self._cards: OrderedDict[tuple[str, int, int], Card] = OrderedDict()
        self._of_load: deque[set[tuple[str, int, int]]] = deque([set()], maxlen=LOADS)

    def row(self, row: LogRow) -> None:
        """A row of the log, in order."""
        data = None if row.event is None else row.event.data
        if isinstance(data, ShoeLoaded):
            self._loaded()
        elif row.event is not None and isinstance(data, ShoeCard | ShoeStack | ReaderResult):
            for index, commitment in enumerate(_commitments(data)):
                key = (row.at.epoch, row.at.number, index)
                self._cards[key] = Card(row.event.source, row.at, index, commitment, data)
                self._of_load[-1].add(key)
            while len(self._cards) > MAX_CARDS:
                self._cards.popitem(last=False)
        self._last = row.head

    def find(self, reveal: Reveal | ReaderRevealed) -> Card | None:
        """The card that `reveal` speaks of; None when it is not among those known."""
        index = reveal.index if isinstance(reveal, Reveal) else 0
        return self._cards.get((reveal.epoch, reveal.event, index))

    def _loaded(self) -> None:
        if len(self._of_load) == LOADS:
            for key in self._of_load[0]:
                self._cards.pop(key, None)
        self._of_load.append(set())
        self._loads.append(self._last)
        if len(self._loads) == LOADS:
            self.since = self._loads[0]


def proved(card: Card | None, reveal: Reveal | ReaderRevealed) -> bool | None:
    """Whether `reveal` gives the commitment of `card`; None without the card."""
    return None if card is None else check_reveal(card.source, reveal, card.commitment)


def _commitments(data: ShoeCard | ShoeStack | ReaderResult) -> Iterator[str]:
    if isinstance(data, ShoeStack):
        yield from (face.commitment for face in data.faces)
    else:
        yield data.face.commitment if isinstance(data, ShoeCard) else data.answer.commitment
