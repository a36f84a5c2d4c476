"""Components of one field half and their wiring, for one epoch."""

from collections.abc import Mapping

import structlog

from pitwarden.bus.certificates import CertificateMonitor
from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.presence import Presence
from pitwarden.bus.replay import ReplayServer
from pitwarden.bus.twins import TwinDetector
from pitwarden.field.commit_handlers import CommitDispatcher, CommitListeners
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.intake import DeviceIntake
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden.field.log.epochs import CheckpointSigner, OpenedEpoch, SealingKey
from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.retention import ConsumerPositions, LogRetention
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden.field.log.ticker import Ticker
from pitwarden.field.metrics import FieldMetrics
from pitwarden.field.outbound.delivery import JudgeDelivery, LogReplaySource
from pitwarden.field.outbound.status import FieldFaults, StatusPublisher
from pitwarden.field.router import InboundQueues, InboundRouter, Routes
from pitwarden.journal.records import DevicePosition
from pitwarden.metrics.families import LINK_DOWNS
from pitwarden.metrics.meter import TableMeter
from pitwarden.system.tasks import WorkQueue
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import Topics, subscribe_filters
from pitwarden_client.mqtt.errors import BusError

_log = structlog.get_logger()


class FieldAssembly:
    """All components of one field half, for one epoch.

    They are created in the order in which they need each other. A component that is needed earlier than it exists is
    called through a method of this class.
    """

    def __init__(
        self, parts: FieldDependencies, opening: OpenedEpoch, stored: int, marks: Mapping[str, DevicePosition]
    ) -> None:
        """Create the components.

        Args:
            parts: Dependencies of the half.
            opening: Epoch that is being opened, with its first rows.
            stored: Place in the journal, from 1, up to which the judge has stored the log; 0 for none.
            marks: Newest position of each device in the log.
        """
        journal, place, rows = parts.journal, parts.place, opening.rows
        self.rows = rows
        topics = Topics(place.site, place.table)
        self._name = f"{place.site}/{place.table}"
        self.link = self._new_link(parts, topics)
        self.statuses = StatusPublisher(
            topics, parts.devices, parts.run, self.link, parts.inputs, simulated=parts.place.simulated
        )
        self.checkpoints = CheckpointSigner(parts.keys.signer, place, parts.keys.replaced)
        permit = PermitDisplay(rows.epoch)
        self.meter = TableMeter(parts.meter, self._name)
        self.meters = FieldMetrics(self.meter, permit, rows.epoch, rows.time.log_ms())
        self.log = LogSequencer(journal, rows)
        # The first rows are offered before any other component exists: an epoch begins with its opening and its key.
        for pending in opening.first:
            self.log.offer(pending)
        self.faults = FieldFaults(journal, self.log, self.statuses)
        clock = opening.clock
        clock.on_change = lambda: self.faults.clock(plausible=clock.is_plausible)
        clock.on_change()
        self.ticker = Ticker(clock, rows.time, self.log, permit, SealingKey(rows, place, parts.keys, self.log))
        keypads = KeypadTranslator(parts.keypads, parts.inputs)
        self.intake = DeviceIntake(marks, self.log, parts.drivers, keypads)
        keypads.display = self.intake.devices
        self.requests = InboundQueues(
            parts, rows, self.log, topics, self.meters, link=self.link, drivers=self.intake.devices
        )
        self.delivery = JudgeDelivery(
            journal, self.link, topics, parts.clock,
            judge=parts.judge, stored=stored,
            faults=self.faults, times=self.meters,
        )  # fmt: skip
        journal.on_growth = self.delivery.committed
        self.heads = WorkQueue(1, self.delivery.head)
        self.replay = ReplayServer("log", topics, LogReplaySource(journal), self.link)
        self.consumer_positions = ConsumerPositions(journal, parts.consumers)
        self.expiry = CertificateMonitor(self.link, parts.clock, self.faults.certificates)
        self.retention = LogRetention(
            journal, clock, self.checkpoints,
            retention=parts.retention, consumers=(parts.judge, *parts.consumers), faults=self.faults,
        )  # fmt: skip
        self.committed = CommitDispatcher(
            self._name,
            CommitListeners(
                self.requests.input_gate, self.requests.command_gate, keypads, self.ticker, self.meters, permit,
                self.intake, self.statuses, self.delivery,
            ),
            rows.time,
        )  # fmt: skip
        self.log.follower = self.committed
        self.log.offers = self.requests.input_gate.rounds
        self._router = InboundRouter(
            topics, parts.judge,
            Routes(
                self.requests, self.heads, keypads, permit, self.delivery, self.consumer_positions, self.replay,
                self.meters, self.log, rows.time,
            ),
        )  # fmt: skip

    def _new_link(self, parts: FieldDependencies, topics: Topics) -> Link:
        return Link(
            parts.broker,
            f"pitwarden-{parts.place.site}-{parts.place.table}-field",
            Presence(
                topics.status("field"),
                lambda: encode(self.statuses.online()),
                encode(PartStatus(online=False, run=parts.run, simulated=parts.place.simulated)),
                TwinDetector(parts.run, self._twin, self._alone).heard,
            ),
            subscribe_filters(topics, "field"),
            on_message=self._on_message,
            on_up=self._up,
            on_down=self._down,
            retry=parts.retry,
        )

    def _on_message(self, message: InboundMessage) -> None:
        self._router.on_message(message)

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's signature
        _log.info("field linked", table=self._name)
        self.faults.linked()
        self.delivery.link(up=True)

    def _twin(self, reason: str) -> None:
        self.faults.twin(reason)

    def _alone(self) -> None:
        self.faults.alone()

    def _down(self, fault: BusError) -> None:
        self.delivery.link(up=False)
        self.meter.count(LINK_DOWNS, "field")
        _log.warning("field link down", table=self._name, reason=str(fault))
        self.faults.link_lost(fault)
