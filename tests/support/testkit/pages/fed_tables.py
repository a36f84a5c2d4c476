"""Tables whose retained messages and stored items a test sets, without a broker."""

from collections.abc import Iterable, Sequence

from pitwarden_client import Cursor, Item, TableView
from pitwarden_client.events.codec import decode
from pitwarden_client.events.outputs import TableState
from pitwarden_console.activity import TableActivity
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.store.writer import TableProgress
from testkit.consumers.published_night import PublishedMessage


class FedTable:
    """A feed of one table, by default a simulated one. `reasons` are why it is stale; none: it is live."""

    def __init__(self, key: TableKey, progress: TableProgress | None = None) -> None:
        self.key, self.progress = key, progress or TableProgress(1, Cursor(), 0, simulated=True)
        self.view = TableView(link_fault="")
        self.activity = TableActivity()
        self.reasons: tuple[str, ...] = ()
        self.history = ""

    def stale(self) -> tuple[str, ...]:
        return self.reasons

    def behind(self) -> str:
        return self.history

    def feed(self, items: Iterable[Item]) -> None:
        for item in items:
            self.activity.item(item)


def states(messages: Sequence[PublishedMessage]) -> list[TableState]:
    """Return the states that a table published, in order."""
    return [decode(TableState, message.payload) for message in messages if message.channel.name == "state"]
