"""What is asked of a table over the bus, each in its queue: inputs of its terminals, commands for its devices."""

from typing import Final

from pitwarden_client.events.topics import Topics

from pitwarden.bus.messages import Publisher
from pitwarden.field.desk import Asked, Desk
from pitwarden.field.log import TableLog
from pitwarden.field.meters import FieldMeters
from pitwarden.field.orders import SETTLE_S, CommandSink, Order, Orders
from pitwarden.field.parts import FieldParts
from pitwarden.field.rows import RowBuilder
from pitwarden.system.tasks import Part, Turns, part

INBOX: Final = 256


class Requests:
    """Bounded queues in front of the two gates of a table, in one epoch."""

    def __init__(
        self,
        parts: FieldParts,
        rows: RowBuilder,
        log: TableLog,
        topics: Topics,
        meters: FieldMeters,
        *,
        link: Publisher,
        drivers: CommandSink,
    ) -> None:
        self._meters = meters
        self.desk = Desk(parts.journal, log, inputs=parts.inputs, link=link, topics=topics, refusals=meters)
        self.desk.epoch_opened(rows.epoch)
        self.orders = Orders(
            rows.epoch, tuple(parts.devices), parts.lockable,
            rows=rows, log=log, drivers=drivers, link=link, topics=topics, refusals=meters,
        )  # fmt: skip
        self.inputs: Turns[Asked] = Turns(INBOX, self.desk.ask)
        self.commands: Turns[Order] = Turns(INBOX, self.orders.take)

    def parts(self) -> list[Part]:
        """Both queues, as parts that a watchdog sees."""
        return [part("field desk", self.inputs), part("field orders", self.commands, SETTLE_S)]

    def ask(self, asked: Asked) -> None:
        """An input came; a terminal that gets no answer asks again with the same id."""
        if not self.inputs.put(asked):
            self._meters.refused("input", "queue_full")

    def order(self, order: Order) -> None:
        """A command came."""
        if not self.commands.put(order):
            self._meters.refused("command", "queue_full")
