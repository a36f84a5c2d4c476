"""Live parts of pages: rendered once for all readers, and sent when they change.

Threat: a reader that is slower than the tables. Its queue is bounded; when it is full the stream ends, and the browser
opens another one that begins with the complete page.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.web.languages.choice import ENGLISH

PartKey = tuple[str, str, str]
"""Page, element id and language of a part."""

QUEUE: Final = 2_000  # updates; at ten a second it is full after three minutes without reading
GATHER_S: Final = 0.1  # a table changes with every row: what opens nothing and ends nothing waits so long
PACE_S: Final = 0.01  # a hundred tables have a thousand messages a second: one refresh serves many of them
CHECK_S: Final = 0.25  # how often staleness is checked, which comes without a message


@dataclass(frozen=True)
class LivePart:
    """Part of a page: the id of its element, the tables on which it depends, and what renders it.

    `page` distinguishes parts with the same element id on different pages, and `language` readers of another one:
    they share only what is the same.
    """

    ident: str
    tables: frozenset[TableKey]
    render: Callable[[], str]
    page: str = ""
    language: str = ENGLISH

    @property
    def key(self) -> PartKey:
        """Key under which readers of the same page in the same language share what was rendered."""
        return self.page, self.ident, self.language


@dataclass(eq=False)
class Subscription:
    """Reader of a page. `queue` has updates by element id; `overrun` is set when it was full."""

    parts: Mapping[str, LivePart]
    queue: asyncio.Queue[Mapping[str, str]] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    overrun: bool = False

    def fill(self) -> Mapping[str, str]:
        """Return every part as it is now."""
        return {ident: part.render() for ident, part in self.parts.items()}


class LiveHub:
    """Sender of changed parts to their readers."""

    def __init__(self, board: PitBoard) -> None:
        self._board = board
        self._changed = asyncio.Event()
        self._readers: list[Subscription] = []
        self._sent: dict[PartKey, str] = {}
        self.closed = False

    @property
    def readers(self) -> int:
        """Number of open streams."""
        return len(self._readers)

    def mark(self, key: TableKey) -> None:
        """Record that something changed at a table."""
        self._board.mark(key)
        self._changed.set()

    def subscribe(self, parts: Sequence[LivePart]) -> Subscription:
        """Return a subscription to `parts`; end it with `unsubscribe`."""
        made = Subscription({part.ident: part for part in parts})
        self._readers.append(made)
        return made

    def unsubscribe(self, reader: Subscription) -> None:
        """End a subscription."""
        self._readers.remove(reader)
        if not self._readers:
            self._sent.clear()

    def close(self) -> None:
        """End every stream at its next beat: the console stops."""
        self.closed = True

    async def run(self) -> None:
        """Send changes until cancelled. What opens or ends something is sent at once; the rest is gathered."""
        loop = asyncio.get_running_loop()
        gathered: frozenset[TableKey] = frozenset()
        sent_at = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHER_S if gathered else CHECK_S):
                    await self._changed.wait()
            self._changed.clear()
            change = self._board.refresh()
            gathered |= change.tables
            if change.urgent or loop.time() - sent_at >= GATHER_S:
                self.send(gathered)
                gathered, sent_at = frozenset(), loop.time()
            await asyncio.sleep(PACE_S)

    def send(self, tables: frozenset[TableKey]) -> None:
        """Render the parts that depend on `tables`, and send those that differ from what was sent."""
        updates: dict[PartKey, str] = {}
        for key, part in {part.key: part for reader in self._readers for part in reader.parts.values()}.items():
            if part.tables & tables:
                html = part.render()
                if self._sent.get(key) != html:
                    self._sent[key] = updates[key] = html
        if updates:
            self._deliver(updates, self._readers)

    @staticmethod
    def _deliver(updates: Mapping[PartKey, str], readers: Iterable[Subscription]) -> None:
        for reader in readers:
            own = {ident: updates[part.key] for ident, part in reader.parts.items() if part.key in updates}
            if own:
                try:
                    reader.queue.put_nowait(own)
                except asyncio.QueueFull:
                    reader.overrun = True
