"""The field half of one table: devices and terminals into one log, and the log on its way to the judge."""

import asyncio
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.metadata import version
from typing import Final

import structlog

from pitwarden.bus.expiry import Expiry
from pitwarden.bus.faults import BusError
from pitwarden.bus.link import Link, Presence
from pitwarden.bus.message import Message
from pitwarden.bus.replay import WAITING, Replay
from pitwarden.bus.sender import WINDOW
from pitwarden.events.base import Record
from pitwarden.events.codec import encode
from pitwarden.events.commands import CommandName
from pitwarden.events.envelope import LogEvent
from pitwarden.events.inputs import InputReply, Role
from pitwarden.events.lamps import Lamps
from pitwarden.events.topics import Topics
from pitwarden.field.afterwards import Afterwards
from pitwarden.field.checkpoints import Checkpoints
from pitwarden.field.closing import close_log, drained
from pitwarden.field.consumers import Consumers
from pitwarden.field.delivery import Delivery
from pitwarden.field.desk import Answered, Asked, Desk
from pitwarden.field.devices import DeviceIntake, device_parts
from pitwarden.field.ear import INBOX, Ear, Listeners
from pitwarden.field.epoch import Opening, new_sealer, open_epoch
from pitwarden.field.housekeeping import Housekeeping
from pitwarden.field.keypads import Keypads
from pitwarden.field.log import OWN, QUEUE_ROWS, TableLog
from pitwarden.field.meters import FieldMeters, of_devices
from pitwarden.field.orders import SETTLE_S, Order, Orders
from pitwarden.field.parts import FieldParts
from pitwarden.field.pending import Pending
from pitwarden.field.permit import PermitShown
from pitwarden.field.shelf import LogShelf
from pitwarden.field.statuses import Statuses
from pitwarden.field.ticker import Ticker
from pitwarden.field.told import tell
from pitwarden.field.troubles import Troubles
from pitwarden.journal.rows import DeviceMark
from pitwarden.journal.writer import WRITTEN_BY, claim
from pitwarden.metrics.families import INFO, LINK_DOWNS
from pitwarden.metrics.meter import Reading, TableMeter
from pitwarden.metrics.readings import of_clock, of_half, of_journal, of_queues
from pitwarden.pulse import Part, Turns, part

SHOWN_LAG: Final = 100  # rows; less is on its way

_log = structlog.get_logger()


class FieldHalf:
    """Runs one table's field half until stopped."""

    def __init__(self, parts: FieldParts, opening: Opening, stored: int, marks: Mapping[str, DeviceMark]) -> None:
        """Use `start`."""
        rows = opening.rows
        self._parts, self._rows = parts, rows
        self._topics = Topics(parts.place.site, parts.place.table)
        self._checkpoints = Checkpoints(parts.keys.signer, parts.place)
        self._statuses = Statuses(self._topics, parts.devices, parts.run, self._retain, self._say_online)
        self._permit = PermitShown(rows.epoch)
        self._name = f"{parts.place.site}/{parts.place.table}"
        self._meter = TableMeter(parts.meter, self._name)
        self._meters = FieldMeters(self._meter, self._permit, rows.epoch, rows.log_ms())
        self._meter.watch(self._readings)
        self._afterwards: Afterwards[LogEvent] = Afterwards(self._noted)
        self.log = TableLog(
            parts.journal, rows, self._topics,
            on_row=self._logged,
            on_faults=lambda names: self._statuses.fault("journal", names),
            on_idle=self._log_idle,
            on_commit_ms=self._meters.committed_ms,
        )  # fmt: skip
        self._ticker = Ticker(parts.clock, rows.log_ms, self.log.offer, self._permit, self._renew_key)
        self._desk = Desk(
            remembered=self._remembered, offer=self.log.offer, reply=self._reply, keyed=parts.keyed,
            refused=lambda kind: self._meters.refused("input", kind),
        )  # fmt: skip
        self._desk.epoch_opened(rows.epoch)
        self._asked: Turns[Asked] = Turns(INBOX, self._desk.ask)
        self._orders = Orders(
            rows.epoch, tuple(parts.devices), parts.lockable,
            log_ms=rows.log_ms, settled=self.log.idle, offer=self.log.offer, reply=self._reply_order,
            give=self._command, refused=lambda kind: self._meters.refused("command", kind),
        )  # fmt: skip
        self._ordered: Turns[Order] = Turns(INBOX, self._orders.take)
        self._keypads = Keypads(parts.keypads, parts.keyed, self._show)
        self._troubles = Troubles(parts.journal, self.log, self._statuses)
        self.link = Link(
            parts.broker,
            f"pitwarden-{parts.place.site}-{parts.place.table}-field",
            Presence(
                self._topics.status("field"),
                lambda: encode(self._statuses.online()),
                encode(self._statuses.offline()),
            ),
            [
                self._topics.positions, self._topics.inputs, self._topics.state, self._topics.head,
                self._topics.replay_requests, self._topics.commands,
            ],
            on_message=self._heard,
            on_up=self._up,
            on_down=self._down,
            retry=parts.retry,
        )  # fmt: skip
        self._replay = Replay("log", self._topics, LogShelf(parts.journal), self.link.publish)
        self.delivery = Delivery(
            parts.journal, self.link, self._topics, parts.clock,
            judge=parts.judge, stored=stored,
            sign=lambda place, head: self._checkpoints.sign(place, head, "head"), on_fork=self._troubles.forked,
            on_refused=lambda names: self._statuses.fault("delivery", names),
            on_stored_ms=self._meters.stored_ms,
        )  # fmt: skip
        parts.journal.on_growth = self.delivery.committed
        self._heads = Turns(1, self.delivery.head)
        self._expiry = Expiry(self.link, parts.clock, self._troubles.certificates)
        self._others = Consumers(parts.journal, parts.consumers)
        self._housekeeping = Housekeeping(
            parts.journal, parts.clock, self._checkpoints,
            retention=parts.retention, consumers=(parts.judge, *parts.consumers), on_damage=self._troubles.damaged,
        )  # fmt: skip
        self._ear = Ear(
            self._topics, parts.judge,
            Listeners(
                self._asked, self._ordered, self._heads, self._orders, self._keypads, self._permit, self.delivery,
                self._others, self._replay, self._meters, self.log.offer, rows.log_ms,
            ),
        )  # fmt: skip
        for pending in opening.first:
            self.log.offer(pending)
        self._intake = DeviceIntake(marks, self.log.offer, parts.make_devices, self._keypads.said)

    @classmethod
    async def start(cls, parts: FieldParts) -> "FieldHalf":
        """Opens an epoch behind what the journal holds and makes the half ready to run."""
        await claim(
            parts.journal.path, await parts.journal.meta(WRITTEN_BY), partial(parts.journal.set_meta, WRITTEN_BY)
        )
        await parts.journal.reserve.keep()
        stored = (await parts.journal.positions()).get(parts.judge, 0)
        opening = await open_epoch(parts.journal, parts.place, parts.keys, parts.clock)
        marks = await parts.journal.device_marks()
        half = cls(parts, opening, min(stored, parts.journal.place), marks)
        half._troubles.set_aside()
        return half

    def parts(self) -> list[Part]:
        """What a watchdog has to see working."""
        silence_s, devices = self._parts.broker.silence_s, self._intake.devices
        return [
            part("field log", self.log),
            part("field link", self.link, silence_s),
            part("field delivery", self.delivery),
            part("field ticker", self._ticker),
            part("field desk", self._asked),
            part("field orders", self._ordered, SETTLE_S),
            part("field heads", self._heads),
            part("field replay", self._replay, silence_s),
            part("field consumers", self._others.turns),
            *device_parts(devices),
        ]

    def _readings(self) -> Iterator[Reading]:
        """Everything that is measured only when somebody asks."""
        parts, placed = self._parts, self._intake.devices
        yield Reading(INFO, 1, ("field", version("pitwarden"), "", ""))
        yield from of_half("field", linked=self.link.up, faults=self._statuses.online().faults)
        yield from of_devices(self._statuses.devices, placed.stats)
        yield from self._meters.permit(self._rows.log_ms())
        yield from of_queues({
            "log": (self.log.waiting, QUEUE_ROWS), "inputs": (self._asked.waiting, INBOX),
            "commands": (self._ordered.waiting, INBOX),
            "unstored_rows": (self.delivery.lag, WINDOW), "log_replays": (self._replay.waiting, WAITING),
        })  # fmt: skip
        yield from of_journal("field", parts.journal.path)
        yield from of_clock(parts.clock)

    def shown(self) -> str:
        """One line for a person: what is there, and what is not."""
        broker = "broker linked" if self.link.up else "BROKER LOST"
        behind = f", judge {self.delivery.lag} rows behind" if self.delivery.lag > SHOWN_LAG else ""
        return f"{broker}{behind}; {self._statuses.shown()}"

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop` is set; then commits what came, says goodbye and leaves."""
        async with asyncio.TaskGroup() as group:
            log = group.create_task(self.log.run(), name="field log")
            link = group.create_task(self.link.run(), name="field link")
            rest = [
                group.create_task(self._afterwards.run(), name="field afterwards"),
                group.create_task(self.delivery.run(), name="field delivery"),
                group.create_task(self._ticker.run(), name="field ticker"),
                group.create_task(self._asked.run(), name="field desk"),
                group.create_task(self._ordered.run(), name="field orders"),
                group.create_task(self._heads.run(), name="field heads"),
                group.create_task(self._replay.run(), name="field replay"),
                group.create_task(self._others.turns.run(), name="field consumers"),
                group.create_task(self._housekeeping.run(), name="field housekeeping"),
                group.create_task(self._troubles.salvage(), name="field salvage"),
                group.create_task(self._expiry.run(), name="field certificates"),
            ]
            devices = group.create_task(self._intake.devices.run(), name="field devices")
            await stop.wait()
            devices.cancel()
            await drained(self.log)
            self._afterwards.now()
            await self.link.close_gracefully()
            for task in (log, link, *rest):
                task.cancel()
        await close_log(self._parts.journal, self._checkpoints, self._parts.judge, self.delivery.stored)

    def _log_idle(self) -> None:
        self._intake.log_idle()

    def _logged(self, row: LogEvent) -> None:
        self._desk.logged(row)
        self._orders.logged(row)
        self._keypads.logged(row.source.rpartition("/")[2], row.tableseq, row.data)
        self._ticker.logged(row)
        self._meters.logged(row, self._rows.log_ms())
        tell(self._name, row, self._permit.reasons)
        self._afterwards.put(row)

    def _noted(self, row: LogEvent) -> None:
        """What nobody waits for: the row has left, and the judge may be at it."""
        self._intake.logged(row)
        self._statuses.logged(row)
        self._meters.add_up(self._rows.log_ms())
        self._ticker.poke()
        self.delivery.poke()

    def _renew_key(self) -> None:
        sealer = new_sealer(self._parts.place, self._parts.keys, self._rows.epoch)

        def use(_row: LogEvent) -> None:
            self._rows.sealer = sealer

        self.log.offer(Pending(OWN, sealer.announcement, done=use))

    async def _remembered(self, role: Role, terminal: str, ident: str) -> Answered | None:
        answer = await self._parts.journal.answer(role, terminal, ident)
        if answer is None:
            return None
        return Answered(answer.digest, None if answer.at is None else answer.at.number, answer.reason)

    def _reply(self, role: Role, terminal: str, reply: InputReply) -> None:
        self.link.publish(self._topics.reply(role, terminal), encode(reply))

    def _show(self, keypad: str, lamps: Lamps) -> None:
        self._intake.devices.show(keypad, lamps)

    def _command(self, device: str, request: str, command: CommandName) -> None:
        self._intake.devices.command(device, request, command)

    def _reply_order(self, device: str, reply: InputReply) -> None:
        self.link.publish(self._topics.command_reply(device), encode(reply))

    def _heard(self, message: Message) -> None:
        self._ear.heard(message)

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's signature
        _log.info("field linked", table=self._name)
        self._troubles.linked()
        self.delivery.link(up=True)

    def _down(self, fault: BusError) -> None:
        self.delivery.link(up=False)
        self._meter.count(LINK_DOWNS, "field")
        _log.warning("field link down", table=self._name, reason=str(fault))
        self._troubles.link_lost(fault)

    def _retain(self, topic: str, model: Record) -> None:
        self.link.publish(topic, encode(model), retain=True)

    def _say_online(self) -> None:
        self.link.say_online()
