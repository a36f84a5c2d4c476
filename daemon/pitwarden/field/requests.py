"""What is asked of a table over the bus, each in its queue: inputs of its terminals, commands for its devices."""

from collections.abc import Callable
from typing import Final

from pitwarden.events.base import Record
from pitwarden.events.commands import CommandName
from pitwarden.events.envelope import LogEvent
from pitwarden.events.inputs import InputReply, Role
from pitwarden.events.outputs import TableState
from pitwarden.events.topics import Topics
from pitwarden.field.desk import Answered, Asked, Desk
from pitwarden.field.log import TableLog
from pitwarden.field.meters import FieldMeters
from pitwarden.field.orders import SETTLE_S, Order, Orders
from pitwarden.field.parts import FieldParts
from pitwarden.field.rows import RowBuilder
from pitwarden.pulse import Part, Turns, part

INBOX: Final = 256


class Requests:
    """Of one table, in one epoch. `say` publishes an answer; `give` hands a command to its device's driver."""

    def __init__(
        self,
        parts: FieldParts,
        rows: RowBuilder,
        log: TableLog,
        topics: Topics,
        meters: FieldMeters,
        *,
        say: Callable[[str, Record], None],
        give: Callable[[str, str, CommandName], None],
    ) -> None:
        self._journal, self._topics, self._meters, self._say = parts.journal, topics, meters, say
        self._desk = Desk(
            remembered=self._remembered, offer=log.offer, reply=self._answer_input, keyed=parts.keyed,
            refused=lambda kind: meters.refused("input", kind),
        )  # fmt: skip
        self._desk.epoch_opened(rows.epoch)
        self._orders = Orders(
            rows.epoch, tuple(parts.devices), parts.lockable,
            log_ms=rows.log_ms, settled=log.idle, offer=log.offer, reply=self._answer_command,
            give=give, refused=lambda kind: meters.refused("command", kind),
        )  # fmt: skip
        self.inputs: Turns[Asked] = Turns(INBOX, self._desk.ask)
        self.commands: Turns[Order] = Turns(INBOX, self._orders.take)

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

    def logged(self, row: LogEvent) -> None:
        """Follows the log: what acts on a state from before this row may be stale from here on."""
        self._desk.logged(row)
        self._orders.logged(row)

    def state(self, state: TableState) -> None:
        """The judge said `state`."""
        self._orders.state(state)

    async def _remembered(self, role: Role, terminal: str, ident: str) -> Answered | None:
        answer = await self._journal.answer(role, terminal, ident)
        if answer is None:
            return None
        return Answered(answer.digest, None if answer.at is None else answer.at.number, answer.reason)

    def _answer_input(self, role: Role, terminal: str, reply: InputReply) -> None:
        self._say(self._topics.reply(role, terminal), reply)

    def _answer_command(self, device: str, reply: InputReply) -> None:
        self._say(self._topics.command_reply(device), reply)
