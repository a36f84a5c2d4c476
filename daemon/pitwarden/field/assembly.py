"""The pieces of one table's field half, and who of them hears whom."""

from collections.abc import Mapping
from functools import partial

import structlog

from pitwarden.bus.expiry import Expiry
from pitwarden.bus.link import Link
from pitwarden.bus.message import Message
from pitwarden.bus.presence import Presence
from pitwarden.bus.replay import Replay
from pitwarden.client.mqtt.faults import BusError
from pitwarden.events.base import Record
from pitwarden.events.codec import encode
from pitwarden.events.envelope import LogEvent
from pitwarden.events.lamps import Lamps
from pitwarden.events.rights import hears
from pitwarden.events.status import PartStatus
from pitwarden.events.topics import Topics
from pitwarden.field.checkpoints import Checkpoints
from pitwarden.field.committed import Committed, Followers
from pitwarden.field.consumers import Consumers
from pitwarden.field.delivery import Delivery
from pitwarden.field.devices import DeviceIntake
from pitwarden.field.ear import Ear, Listeners
from pitwarden.field.epoch import Opening, renew_key
from pitwarden.field.housekeeping import Housekeeping
from pitwarden.field.keypads import Keypads
from pitwarden.field.log import TableLog
from pitwarden.field.meters import FieldMeters
from pitwarden.field.parts import FieldParts
from pitwarden.field.permit import PermitShown
from pitwarden.field.requests import Requests
from pitwarden.field.shelf import LogShelf
from pitwarden.field.statuses import Statuses
from pitwarden.field.ticker import Ticker
from pitwarden.field.troubles import Troubles
from pitwarden.journal.rows import DeviceMark
from pitwarden.metrics.families import LINK_DOWNS
from pitwarden.metrics.meter import TableMeter
from pitwarden.pulse import Turns

_log = structlog.get_logger()


class Assembly:
    """Of one epoch. `stored` is up to where the judge has the log; `marks` where each device's own numbers stand.

    Made in the order in which they need each other; who is made later is called by a method below.
    """

    def __init__(self, parts: FieldParts, opening: Opening, stored: int, marks: Mapping[str, DeviceMark]) -> None:
        journal, place, rows = parts.journal, parts.place, opening.rows
        self.rows = rows
        topics = Topics(place.site, place.table)
        self._name = f"{place.site}/{place.table}"
        self.link = self._new_link(parts, topics)
        self.statuses = Statuses(topics, parts.devices, parts.run, self._retain, self._say_online)
        self.checkpoints = Checkpoints(parts.keys.signer, place)
        permit = PermitShown(rows.epoch)
        self.meter = TableMeter(parts.meter, self._name)
        self.meters = FieldMeters(self.meter, permit, rows.epoch, rows.log_ms())
        self.log = TableLog(
            journal, rows, topics,
            on_row=self._logged,
            on_faults=partial(self.statuses.fault, "journal"),
            on_idle=self._log_idle,
            on_commit_ms=self.meters.committed_ms,
        )  # fmt: skip
        for pending in opening.first:
            self.log.offer(pending)
        self.troubles = Troubles(journal, self.log, self.statuses)
        self.ticker = Ticker(
            parts.clock, rows.log_ms, self.log.offer, permit,
            partial(renew_key, rows, place, parts.keys, self.log.offer),
        )  # fmt: skip
        keypads = Keypads(parts.keypads, parts.keyed, self._show)
        self.intake = DeviceIntake(marks, self.log.offer, parts.make_devices, keypads.said)
        self.requests = Requests(
            parts, rows, self.log, topics, self.meters, say=self._say, give=self.intake.devices.command
        )
        self.delivery = Delivery(
            journal, self.link, topics, parts.clock,
            judge=parts.judge, stored=stored,
            sign=lambda place, head: self.checkpoints.sign(place, head, "head"), on_fork=self.troubles.forked,
            on_refused=partial(self.statuses.fault, "delivery"),
            on_stored_ms=self.meters.stored_ms,
        )  # fmt: skip
        journal.on_growth = self.delivery.committed
        self.heads = Turns(1, self.delivery.head)
        self.replay = Replay("log", topics, LogShelf(journal), self.link.publish)
        self.others = Consumers(journal, parts.consumers)
        self.expiry = Expiry(self.link, parts.clock, self.troubles.certificates)
        self.housekeeping = Housekeeping(
            journal, parts.clock, self.checkpoints,
            retention=parts.retention, consumers=(parts.judge, *parts.consumers), on_damage=self.troubles.damaged,
        )  # fmt: skip
        self.committed = Committed(
            self._name,
            Followers(
                self.requests, keypads, self.ticker, self.meters, permit, self.intake, self.statuses, self.delivery
            ),
            rows.log_ms,
        )
        self._ear = Ear(
            topics, parts.judge,
            Listeners(
                self.requests, self.heads, keypads, permit, self.delivery, self.others, self.replay, self.meters,
                self.log.offer, rows.log_ms,
            ),
        )  # fmt: skip

    def _new_link(self, parts: FieldParts, topics: Topics) -> Link:
        return Link(
            parts.broker,
            f"pitwarden-{parts.place.site}-{parts.place.table}-field",
            Presence(
                topics.status("field"),
                lambda: encode(self.statuses.online()),
                encode(PartStatus(online=False, run=parts.run)),
            ),
            hears(topics, "field"),
            on_message=self._heard,
            on_up=self._up,
            on_down=self._down,
            retry=parts.retry,
        )

    def _heard(self, message: Message) -> None:
        self._ear.heard(message)

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's signature
        _log.info("field linked", table=self._name)
        self.troubles.linked()
        self.delivery.link(up=True)

    def _down(self, fault: BusError) -> None:
        self.delivery.link(up=False)
        self.meter.count(LINK_DOWNS, "field")
        _log.warning("field link down", table=self._name, reason=str(fault))
        self.troubles.link_lost(fault)

    def _logged(self, row: LogEvent) -> None:
        self.committed.logged(row)

    def _log_idle(self) -> None:
        self.intake.log_idle()

    def _say(self, topic: str, model: Record) -> None:
        self.link.publish(topic, encode(model))

    def _retain(self, topic: str, model: Record) -> None:
        self.link.publish(topic, encode(model), retain=True)

    def _show(self, keypad: str, lamps: Lamps) -> None:
        self.intake.devices.show(keypad, lamps)

    def _say_online(self) -> None:
        self.link.say_online()
