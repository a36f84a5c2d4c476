"""What a field half hears on the bus, and who of it takes what."""

from dataclasses import dataclass

import structlog
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import ConsumerPosition, LogHead
from pitwarden_client.events.topics import Topics

from pitwarden.bus.messages import Message
from pitwarden.bus.replay import Replay
from pitwarden.field.consumers import Consumers
from pitwarden.field.delivery import Delivery
from pitwarden.field.desk import Asked
from pitwarden.field.keypads import Keypads
from pitwarden.field.log import OWN
from pitwarden.field.meters import FieldMeters
from pitwarden.field.orders import Order
from pitwarden.field.pending import LogTime, Pending, RowSink
from pitwarden.field.permit import PermitShown
from pitwarden.field.requests import Requests
from pitwarden.system.tasks import Turns

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who takes what is heard."""

    requests: Requests
    heads: Turns[LogHead]
    keypads: Keypads
    permit: PermitShown
    delivery: Delivery
    consumers: Consumers
    replay: Replay
    meters: FieldMeters
    log: RowSink
    rows: LogTime


class Ear:
    """Of one table; `judge` is the name under which its judge stores positions."""

    def __init__(self, topics: Topics, judge: str, listeners: Listeners) -> None:
        self._topics, self._judge, self._to = topics, judge, listeners
        self._last: ConsumerPosition | None = None

    def heard(self, message: Message) -> None:
        """Takes a message; one that cannot be read is named and left."""
        message.ack()
        try:
            self._take(message)
        except BadPayloadError as error:
            self._to.meters.refused("bus", "bad_payload")
            _log.warning("bad payload", topic=message.topic, reason=str(error))

    def _take(self, message: Message) -> None:
        topics, to = self._topics, self._to
        asked = topics.role_and_terminal(message.topic)
        if asked is not None:
            to.requests.ask(Asked(*asked, message.payload, message.retained))
        elif (device := topics.commanded(message.topic)) is not None:
            to.requests.order(Order(device, message.payload, message.retained))
        elif message.topic == topics.position(self._judge) and not message.retained:
            self._position(decode(ConsumerPosition, message.payload))
        elif message.topic.startswith(f"{topics.root}/positions/"):
            to.consumers.hear(topics.consumer(message.topic), decode(ConsumerPosition, message.payload))
        elif message.topic == topics.state:
            self._state(decode(TableState, message.payload))
        elif message.topic == topics.head and message.retained:
            to.heads.put(decode(LogHead, message.payload))
        elif message.topic.endswith("/request"):
            to.replay.ask(message)

    def _position(self, said: ConsumerPosition) -> None:
        before = None if self._last is None else self._last.announce
        if said.announce is not None and said.announce != before:
            self._last = said
            self._to.log.offer(Pending(self._judge, said.announce))
        self._to.delivery.position(said)

    def _state(self, state: TableState) -> None:
        to = self._to
        to.requests.orders.state(state)
        to.keypads.state(state)
        now = to.rows.log_ms()
        applied = to.permit.state(state, now)
        to.meters.state_heard(state.as_of, now)
        if applied is not None and not to.log.offer(Pending(OWN, applied)):
            to.permit.not_logged(applied)
