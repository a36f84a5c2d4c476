"""Everything that left a simulated service, checked at the moment at which it leaves.

A reveal is compared with the cards that have lain face up until then, or do so once the people's action is done in
which it comes: the card is on the bus before the dealer's hand has left it. A row and an output are compared with the
journals, which must hold them already, and with what was published before under the same number.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.device import ShoeLoaded
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import Reveal
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.topics import Topics
from pitwarden_drivers.api import PlainCard, PlainStack, Said
from pitwarden_simulators.table.table import SimulatedTable


@dataclass
class CardsShown:
    """Which of the cards that a shoe dealt have lain face up, draw by draw.

    The layout knows cards by their serials, and a card comes again with each shuffle.
    """

    table: SimulatedTable
    _draws: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of each draw, by the boot and counter of its event."""
    _earlier: set[tuple[int, int]] = field(default_factory=set)
    """Draw and index of the cards that were shown before their deck was loaded again."""

    def sensed(self, boot: int, counter: int, said: Said) -> None:
        """Follow the shoe."""
        if isinstance(said, PlainCard | PlainStack):
            self._draws[boot, counter] = len(self._draws)
        elif isinstance(said, ShoeLoaded):
            shown = self.table.layout.shown
            for draw, dealt in enumerate(self.table.shoe.dealt):
                self._earlier |= {(draw, index) for index, card in enumerate(dealt.cards) if card.serial in shown}
            shown -= {card.serial for card in self.table.shoe.cards}

    def shown(self, boot: int, counter: int, index: int) -> bool:
        """Return whether a card of this event has lain face up since it was drawn."""
        draw = self._draws[boot, counter]
        if draw >= len(self.table.shoe.dealt):  # it is being drawn
            return False
        card = self.table.shoe.dealt[draw].cards[index]
        return (draw, index) in self._earlier or card.serial in self.table.layout.shown


@dataclass
class PublishedRecord:
    """Messages of one table as the broker took them, in order. `wrong` lists what must not be published."""

    topics: Topics
    cards: CardsShown
    is_row_committed: Callable[[Position], bool] = lambda _at: True
    is_output_committed: Callable[[int], bool] = lambda _number: True
    is_position_committed: Callable[[str, int], bool] = lambda _epoch, _number: True
    heard: dict[tuple[str, bytes], None] = field(default_factory=dict)
    """Every message, each once, in order."""
    wrong: list[str] = field(default_factory=list)
    reveals: int = 0
    _rows: dict[tuple[str, int], bytes] = field(default_factory=dict)
    _outputs: dict[int, bytes] = field(default_factory=dict)
    _events: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    """Boot and counter of the shoe for the rows of its events."""

    _unseen: list[tuple[Reveal, tuple[int, int]]] = field(default_factory=list)
    """Reveals of cards that were not known to lie face up, with their events, since people last acted."""

    def message(self, topic: str, payload: bytes) -> None:
        """Check a message that the broker took."""
        if (topic, payload) in self.heard:
            return
        self.heard[topic, payload] = None
        try:
            if topic.startswith(f"{self.topics.root}/events/"):
                self._row(decode(LogEvent, payload), payload)
            elif topic in {self.topics.irregularities, self.topics.reveals}:
                self._output(decode(OutputEvent, payload), payload)
            elif topic == self.topics.position("judge"):
                self._position(decode(ConsumerPosition, payload))
        except BadPayloadError:
            return  # a hostile one of this tool

    def _row(self, row: LogEvent, payload: bytes) -> None:
        if self._rows.setdefault((row.epoch, row.tableseq), payload) != payload:
            self.wrong.append(f"row {row.epoch}/{row.tableseq} was published with two contents")
        if not self.is_row_committed(Position(epoch=row.epoch, number=row.tableseq)):
            self.wrong.append(f"row {row.epoch}/{row.tableseq} was published before its commit")
        if row.devicecounter and row.source.endswith("/shoe"):
            self._events[row.epoch, row.tableseq] = (row.deviceboot, row.devicecounter)

    def _output(self, output: OutputEvent, payload: bytes) -> None:
        if self._outputs.setdefault(output.outputseq, payload) != payload:
            self.wrong.append(f"output {output.outputseq} was published with two contents")
        if not self.is_output_committed(output.outputseq):
            self.wrong.append(f"output {output.outputseq} was published before its commit")
        if isinstance(output.data, Reveal):
            self._reveal(output.data)

    def _position(self, said: ConsumerPosition) -> None:
        if said.at is not None and not self.is_position_committed(said.at.epoch, said.at.number):
            self.wrong.append(f"the judge reported row {said.at.epoch}/{said.at.number} as stored before it was")

    def _reveal(self, reveal: Reveal) -> None:
        self.reveals += 1
        event = self._events.get((reveal.epoch, reveal.event))
        if event is None:
            self.wrong.append(f"row {reveal.epoch}/{reveal.event} was revealed before it was published")
        elif not self.cards.shown(*event, reveal.index):
            self._unseen.append((reveal, event))

    def acted(self) -> None:
        """Check the cards that became public while people acted: what they turned lies face up now."""
        unseen, self._unseen = self._unseen, []
        for reveal, event in unseen:
            if not self.cards.shown(*event, reveal.index):
                self.wrong.append(f"the card of row {reveal.epoch}/{reveal.event} was published while it lay face down")

    def digest(self) -> str:
        """Return a SHA-256 over what was published, in its order, without what is random by design."""
        told = hashlib.sha256()
        for topic, payload in self.heard:
            told.update(f"{topic} {len(payload)}\n".encode())
        return told.hexdigest()

    def rows(self) -> dict[tuple[str, int], bytes]:
        """Return the published rows, by epoch and number."""
        return self._rows

    def outputs(self) -> dict[int, bytes]:
        """Return the published outputs, by number."""
        return self._outputs
