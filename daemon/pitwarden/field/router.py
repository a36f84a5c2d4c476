"""Routing of inbound MQTT messages to the components of a field half, through bounded queues.

Threat: any client that the broker lets publish.
"""

from dataclasses import dataclass
from typing import Final

import structlog

from pitwarden.bus.messages import InboundMessage, Publisher
from pitwarden.bus.replay import ReplayServer
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden.field.inputs.command_gate import SETTLE_S, CommandGate, CommandKeys, CommandSink, InboundCommand
from pitwarden.field.inputs.fair_inbox import FairInbox
from pitwarden.field.inputs.input_gate import InboundInput, InputGate
from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.retention import ConsumerPositions
from pitwarden.field.log.row_builder import PendingRow, RowBuilder, RowSink
from pitwarden.field.log.sequencer import OWN, LogSequencer
from pitwarden.field.metrics import FieldMetrics
from pitwarden.field.outbound.delivery import JudgeDelivery
from pitwarden.system.clock import LogTime
from pitwarden.system.tasks import Probe, WorkQueue, loop_probe
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import ConsumerPosition, LogHead
from pitwarden_client.events.topics import Topics

# Commands that wait for their gate. A judge sends a few a second at most; beyond it the command is refused, and the
# judge repeats it.
COMMANDS: Final = 256


class InboundQueues:
    """Bounded queues in front of the two gates of a table, in one epoch."""

    def __init__(
        self,
        parts: FieldDependencies,
        rows: RowBuilder,
        log: LogSequencer,
        topics: Topics,
        meters: FieldMetrics,
        *,
        link: Publisher,
        drivers: CommandSink,
    ) -> None:
        self._meters = meters
        self.input_gate = InputGate(
            parts.journal, log, inputs=parts.inputs, link=link, topics=topics, refusals=meters, time=rows.time
        )
        self.input_gate.epoch_opened(rows.epoch)
        self.command_gate = CommandGate(
            rows.epoch, tuple(parts.devices), parts.lockable,
            time=rows.time, log=log, drivers=drivers, link=link, topics=topics, refusals=meters,
            judges=CommandKeys(parts.place.site, parts.place.table, parts.keys.commanders),
        )  # fmt: skip
        self.inputs = FairInbox(self.input_gate.process, parts.clock, simulated=parts.place.simulated)
        self.commands: WorkQueue[InboundCommand] = WorkQueue(COMMANDS, self.command_gate.process)

    def probes(self) -> list[Probe]:
        """Return the liveness probes of both queues."""
        return [loop_probe("field desk", self.inputs), loop_probe("field orders", self.commands, SETTLE_S)]

    def put_input(self, asked: InboundInput) -> None:
        """Enqueue a received input, or answer why not."""
        turned = self.inputs.put(asked)
        if turned is not None:
            self.input_gate.turn_away(asked, turned)

    def put_command(self, order: InboundCommand) -> None:
        """Enqueue a received command."""
        if not self.commands.put(order):
            self._meters.refused("command", "queue_full")


_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Routes:
    """Destinations of inbound messages."""

    requests: InboundQueues
    heads: WorkQueue[LogHead]
    keypads: KeypadTranslator
    permit: PermitDisplay
    delivery: JudgeDelivery
    consumers: ConsumerPositions
    replay: ReplayServer
    meters: FieldMetrics
    log: RowSink
    time: LogTime


class InboundRouter:
    """Router of one table's messages; `judge` is the name under which its judge reports positions."""

    def __init__(self, topics: Topics, judge: str, listeners: Routes) -> None:
        self._topics, self._judge, self._to = topics, judge, listeners
        self._last: ConsumerPosition | None = None

    def on_message(self, message: InboundMessage) -> None:
        """Route a message. One that cannot be decoded is counted and logged."""
        message.ack()
        try:
            self._route(message)
        except BadPayloadError as error:
            self._to.meters.refused("bus", "bad_payload")
            _log.warning("bad payload", topic=message.topic, reason=str(error))

    def _route(self, message: InboundMessage) -> None:
        topics, to = self._topics, self._to
        asked = topics.role_and_terminal(message.topic)
        if asked is not None:
            to.requests.put_input(InboundInput(*asked, message.payload, message.retained))
        elif (device := topics.commanded(message.topic)) is not None:
            to.requests.put_command(InboundCommand(device, message.payload, message.retained))
        elif message.topic == topics.position(self._judge) and not message.retained:
            self._position(decode(ConsumerPosition, message.payload))
        elif message.topic.startswith(f"{topics.root}/positions/"):
            to.consumers.on_position(topics.consumer(message.topic), decode(ConsumerPosition, message.payload))
        elif message.topic == topics.state:
            self._state(decode(TableState, message.payload))
        elif message.topic == topics.head and message.retained:
            to.heads.put(decode(LogHead, message.payload))
        elif message.topic.endswith("/request"):
            to.replay.on_request(message)

    def _position(self, said: ConsumerPosition) -> None:
        before = None if self._last is None else self._last.announce
        if said.announce is not None and said.announce != before:
            self._last = said
            self._to.log.offer(PendingRow(self._judge, said.announce))
        self._to.delivery.position(said)

    def _state(self, state: TableState) -> None:
        to = self._to
        to.requests.command_gate.state(state)
        to.keypads.state(state)
        now = to.time.log_ms()
        applied = to.permit.state(state, now)
        to.meters.on_state(state.as_of, now)
        if applied is not None and not to.log.offer(PendingRow(OWN, applied)):
            to.permit.not_logged(applied)
