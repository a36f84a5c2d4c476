"""The judge half of one table: rows from MQTT, each once and in order; judged; committed; and only then said."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Final

import structlog

from pitwarden.bus.expiry import Expiry
from pitwarden.bus.faults import BusError, TakenOverError
from pitwarden.bus.link import Link, Presence, RetryPolicy
from pitwarden.bus.message import Message
from pitwarden.bus.receiver import HELD_ROWS, Forked, LogReceiver, LogRow
from pitwarden.bus.replay import WAITING, Replay
from pitwarden.bus.settings import BrokerSettings
from pitwarden.clock import Clock
from pitwarden.events.codec import decode, encode
from pitwarden.events.inputs import InputLogged
from pitwarden.events.outputs import TableState
from pitwarden.events.status import PartStatus
from pitwarden.events.table import Attested, Head, JudgeAnnounced
from pitwarden.events.topics import Topics
from pitwarden.journal.faults import REFUSALS
from pitwarden.journal.judge import JudgeJournal
from pitwarden.journal.judge_rows import OutputRow, ReceivedRow, Snapshot
from pitwarden.journal.salvage import rescue
from pitwarden.journal.writer import WRITTEN_BY, claim
from pitwarden.judge.fold import context_of, fold
from pitwarden.judge.housekeeping import Housekeeping
from pitwarden.judge.locks import ShoeLocks
from pitwarden.judge.meters import JudgeMeters, of_state
from pitwarden.judge.pump import PAGE_ROWS, OutputPump
from pitwarden.judge.rows import row_of
from pitwarden.judge.shelf import OutputShelf
from pitwarden.judge.shown import shown
from pitwarden.judge.table import Identity, TableJudge
from pitwarden.metrics.families import INFO, LINK_DOWNS
from pitwarden.metrics.meter import Meter, Reading, TableMeter
from pitwarden.metrics.readings import of_half, of_journal, of_queues
from pitwarden.pulse import Part, part
from pitwarden.rules import RULES_VERSION, SnapshotError, TableSetup, profile_digest, state_to_bytes
from pitwarden.seal.faults import SnapshotTooLargeError
from pitwarden.seal.keys import PrivateKey
from pitwarden.seal.snapshot import seal_snapshot

INBOX: Final = 1_000  # more than the sender's window; what does not fit comes again
SNAPSHOT_ROWS: Final = 200
STORE_RETRY_S: Final = 0.25
DISTRUST: Final = "distrust"

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class JudgeParts:
    """What a judge half is made of."""

    identity: Identity
    setup: TableSetup
    judge: TableJudge
    journal: JudgeJournal
    keys: tuple[PrivateKey, ...]
    broker: BrokerSettings
    retry: RetryPolicy
    run: str
    simulated: bool
    clock: Clock
    keep_days: int
    lockable: frozenset[str] = frozenset()
    meter: Meter = field(default_factory=Meter)


@dataclass(slots=True)
class _Batch:
    rows: list[LogRow] = field(default_factory=list)
    heard: list[tuple[int, Message]] = field(default_factory=list)


class JudgeHalf:
    """Judges one table until stopped."""

    def __init__(self, parts: JudgeParts, receiver: LogReceiver) -> None:
        self._parts, self._receiver = parts, receiver
        self._topics = Topics(parts.identity.site, parts.identity.table)
        self._profile = profile_digest(parts.setup)
        self._inbox: deque[tuple[int, Message]] = deque()
        self._meter = TableMeter(parts.meter, parts.identity.key)
        self._meters = JudgeMeters(self._meter)
        self._meter.watch(self._readings)
        self._wake = asyncio.Event()
        self._faults: dict[str, str] = {}
        self._distrust = self._kept_distrust = ""
        self._committed_state: bytes | None = None
        self._duplicates = 0
        self._locks = ShoeLocks(parts.lockable, parts.run)
        self._since_snapshot = 0
        status = self._topics.status("judge")
        self.link = Link(
            parts.broker,
            f"pitwarden-{parts.identity.site}-{parts.identity.table}-{parts.identity.judge}",
            Presence(status, self._online, encode(PartStatus(online=False, run=parts.run))),
            [self._topics.events, self._topics.replay_requests, self._topics.head],
            on_message=self._heard,
            on_up=self._up,
            on_down=self._down,
            retry=parts.retry,
        )
        self.pump = OutputPump(
            parts.journal, parts.identity.key, self._topics.state, self.link.publish,
            lambda reason: self._fault("acl_denied", reason), on_state=self._command_shoes,
        )  # fmt: skip
        self._replay = Replay(
            "outputs", self._topics, OutputShelf(parts.journal, parts.identity.key), self.link.publish
        )
        self._expiry = Expiry(self.link, parts.clock, self._certificates)
        self._housekeeping = Housekeeping(
            parts.journal, parts.clock, parts.keys[0], (parts.identity.site, parts.identity.table),
            days=parts.keep_days, on_damage=self._damaged,
        )  # fmt: skip
        self.progress = 0
        """Counts rounds of judging, for a watchdog."""

    @classmethod
    async def start(cls, parts: JudgeParts) -> "JudgeHalf":
        """Folds what the journal holds and makes the half ready to run."""
        key, journal = parts.identity.key, parts.journal
        await claim(journal.path, await journal.meta(key, WRITTEN_BY), partial(journal.set_meta, key, WRITTEN_BY))
        agrees = await fold(parts.judge, parts.journal, parts.keys)
        receiver = LogReceiver(
            await parts.journal.position(key),
            await parts.journal.followed(key),
            f"/{parts.identity.site}/{parts.identity.table}/",
            believed=parts.judge.believed,
        )
        half = cls(parts, receiver)
        if parts.journal.damage is not None:
            half._distrust = "the judge's journal was damaged: verify the decks"
            half._faults["journal_damaged"] = f"the old one is kept as {parts.journal.damage.kept_as}"
        else:
            half._distrust = half._kept_distrust = await parts.journal.meta(key, DISTRUST) or ""
        half._committed_state = half._state()
        if not agrees:
            half._faults["rules_diverged"] = "what was published differs from what these rules say now"
        await half.pump.start()
        return half

    def parts(self) -> list[Part]:
        """What a watchdog has to see working."""
        silence_s = self._parts.broker.silence_s
        return [
            part("judge work", self),
            part("judge link", self.link, silence_s),
            part("judge pump", self.pump, silence_s),
            part("judge replay", self._replay, silence_s),
        ]

    def poke(self) -> None:
        """Makes the judging turn."""
        self._wake.set()

    def _readings(self) -> Iterator[Reading]:
        """Everything that is measured only when somebody asks."""
        yield Reading(INFO, 1, ("judge", version("pitwarden"), RULES_VERSION, self._profile))
        yield from of_half("judge", linked=self.link.up, faults=self._faults)
        yield from of_state(self._committed_state)
        yield from of_queues({
            "rows_to_judge": (len(self._inbox), INBOX), "rows_out_of_order": (self._receiver.waiting, HELD_ROWS),
            "unpublished_verdicts": (self.pump.lag, PAGE_ROWS), "verdict_replays": (self._replay.waiting, WAITING),
        })  # fmt: skip
        yield from of_journal("judge", self._parts.journal.path)

    def shown(self) -> str:
        """One line for a person: may the dealer deal, and what is open."""
        broker = "broker linked" if self.link.up else "BROKER LOST"
        faults = f"; FAULTS: {', '.join(sorted(self._faults))}" if self._faults else ""
        return f"{shown(self._committed_state)}; judge: {broker}{faults}"

    async def run(self, stop: asyncio.Event) -> None:
        """Judges until `stop` is set; then says goodbye."""
        async with asyncio.TaskGroup() as group:
            link = group.create_task(self.link.run(), name="judge link")
            workers = [
                group.create_task(self._work(), name="judge work"),
                group.create_task(self.pump.run(), name="judge pump"),
                group.create_task(self._replay.run(), name="judge replay"),
                group.create_task(self._housekeeping.run(), name="judge housekeeping"),
                group.create_task(self._salvage(), name="judge salvage"),
                group.create_task(self._expiry.run(), name="judge certificates"),
            ]
            await stop.wait()
            await self.link.close_gracefully()
            for task in (link, *workers):
                task.cancel()

    def _online(self) -> bytes:
        faults = tuple(f"{name}: {detail}"[:500] for name, detail in sorted(self._faults.items()))
        status = PartStatus(
            online=True, run=self._parts.run, faults=faults, version=version("pitwarden"), rules_version=RULES_VERSION,
            profile_digest=self._profile,
        )  # fmt: skip
        return encode(status)

    def _fault(self, name: str, detail: str) -> None:
        if self._faults.get(name) != detail:
            self._faults[name] = detail
            self.link.say_online()

    def _heard(self, message: Message) -> None:
        if message.topic.endswith("/request"):
            message.ack()
            self._replay.ask(message)
            return
        if message.topic == self._topics.head:
            message.ack()
            self._begin(message.payload)
            return
        if message.retained or len(self._inbox) >= INBOX:
            self._meters.refused("retained" if message.retained else "queue_full")
            message.ack()  # an event is never retained; and what does not fit comes again
            return
        self._inbox.append((self._parts.clock.mono_ms(), message))
        self._wake.set()

    def _damaged(self, reason: str) -> None:
        """Damage found while the service runs: the permit is withheld; the file is set aside at the next start."""
        self._fault("journal_damaged", reason)
        self._distrust = "the judge's journal is damaged: verify the decks"
        self._committed_state = self._state()
        self.pump.push((), self._committed_state)

    def _certificates(self, found: tuple[str, ...]) -> None:
        self._faults.pop("certificates", None)
        if found:
            self._faults["certificates"] = "; ".join(found)
        self.link.say_online()

    async def _salvage(self) -> None:
        """What can be read of a record that was set aside at the start; said in the status."""
        damage = self._parts.journal.damage
        if damage is not None:
            found = await rescue(damage.kept_as)
            self._fault("journal_damaged", f"the old one is kept as {damage.kept_as}; {found}")

    def _begin(self, payload: bytes) -> None:
        """Nothing is stored here, and there the oldest rows are gone: the log begins behind them, with a HOLD."""
        if self._receiver.taken is not None:
            return
        behind = self._parts.judge.begins(payload)
        if behind is not None:
            self._distrust = "the log's oldest rows are gone and were never judged here: verify the decks"
            _log.warning("log begins behind trimmed rows", epoch=behind.at.epoch, number=behind.at.number)
            self._receiver.begin(behind)

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's signature
        self._faults.pop("client_id_conflict", None)
        self._faults.pop("acl_denied", None)
        self._say_position(hello=True)
        self.pump.link(up=True)
        self.pump.push((), self._committed_state)
        _log.info("judge linked", table=self._parts.identity.key)

    def _down(self, fault: BusError) -> None:
        self.pump.link(up=False)
        self._meter.count(LINK_DOWNS, "judge")
        if isinstance(fault, TakenOverError):
            self._faults["client_id_conflict"] = str(fault)
        _log.warning("judge link down", table=self._parts.identity.key, reason=str(fault))

    def _say_position(self, *, hello: bool = False) -> None:
        """What is stored, and by which rules it is judged: each time, since nobody may have heard it the last time."""
        announce = JudgeAnnounced(
            judge=self._parts.identity.judge,
            rules_version=RULES_VERSION,
            profile_digest=self._profile,
            attested=tuple(
                Attested(clause=one.clause, by=one.by, on=one.on, reference=one.reference)
                for one in self._parts.setup.attested or ()
            ),
        )
        said = self._receiver.position(hello=hello).model_copy(update={"announce": announce})
        self.link.publish(self._topics.position(self._parts.identity.judge), encode(said))

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            self.progress += 1
            while self._inbox:
                batch = self._take()
                if batch.rows:
                    await self._judge(batch.rows)
                    self._meters.committed((at for at, _ in batch.heard), self._parts.clock.mono_ms())
                await self._keep_distrust()
                if batch.rows or self._receiver.duplicates > self._duplicates:
                    self._say_position()  # to duplicates too: whoever sends them does not know that they are stored
                self._duplicates = self._receiver.duplicates
                for _, message in batch.heard:
                    message.ack()

    def _command_shoes(self, state: bytes) -> None:
        """Once the broker has `state` and all that came is judged: what acts on an old state is refused anyway."""
        if self._locks and not self._inbox:
            for shoe, order in self._locks.due(decode(TableState, state), self._parts.judge.state.log_ms):
                self.link.publish(self._topics.command(shoe), encode(order))

    async def _keep_distrust(self) -> None:
        """A reason to withhold the permit outlives a restart."""
        if self._distrust != self._kept_distrust:
            with suppress(*REFUSALS):
                await self._parts.journal.set_meta(self._parts.identity.key, DISTRUST, self._distrust)
                self._kept_distrust = self._distrust

    def _take(self) -> _Batch:
        batch = _Batch()
        while self._inbox:
            arrived, message = self._inbox.popleft()
            batch.heard.append((arrived, message))
            taken = self._receiver.take(message.payload)
            self._meters.taken(self._receiver)
            batch.rows.extend(taken.rows)
            if taken.garbage is not None:
                self._meters.refused("no_row")
                _log.warning("not a row of this table", topic=message.topic, reason=taken.garbage)
            if taken.forked is not None:
                self._meters.refused("forked")
                batch.rows.extend(self._adopted(taken.forked))
        return batch

    def _adopted(self, forked: Forked) -> tuple[LogRow, ...]:
        """The rules hear of a fork by its first row, whose parent is not where they are: they HOLD."""
        self._fault("log_forked", forked.reason)
        if not self._receiver.adoptable(forked):
            self._distrust = "the log forked: verify the decks"
            return ()
        _log.error("log.forked", reason=forked.reason, epoch=forked.row.at.epoch)
        return self._receiver.adopt(forked).rows

    async def _judge(self, rows: list[LogRow]) -> None:
        received, outputs = [], list[OutputRow]()
        for row in rows:
            event = row_of(row.at, row.event, self._parts.judge, simulated=self._parts.simulated)
            said = self._parts.judge.say(event, await self._parts.judge.judge(event))
            self._locks.saw(event)
            self._meters.judged(said)
            received.append(ReceivedRow(row.at, row.hash, row.body, damaged=row.event is None))
            outputs.extend(
                OutputRow(each.event.outputseq, row.at, each.event.index, each.hash, self._topic(each.event.data.kind),
                          each.payload)
                for each in said
            )  # fmt: skip
        head = rows[-1].head
        await self._store(received, outputs, head)
        self._receiver.committed(head)
        if any(_verifies(row) for row in rows):
            self._distrust = ""
        self._committed_state = self._state()
        self.pump.push(outputs, self._committed_state)
        self._since_snapshot += len(rows)
        if self._since_snapshot >= SNAPSHOT_ROWS:
            await self._snapshot(head)

    async def _store(self, received: list[ReceivedRow], outputs: list[OutputRow], head: Head) -> None:
        """Commits; while the journal takes nothing, nothing is said and nothing acknowledged."""
        while True:
            try:
                await self._parts.journal.store(self._parts.identity.key, received, outputs, head)
            except REFUSALS as error:
                self._fault("journal_full", str(error))
                self.progress += 1
                await asyncio.sleep(STORE_RETRY_S)
            else:
                if self._faults.pop("journal_full", None) is not None:
                    self.link.say_online()
                return

    def _topic(self, kind: str) -> str:
        public = kind in {"reveal", "reader.revealed", "outcomes"}
        return self._topics.reveals if public else self._topics.irregularities

    def _state(self) -> bytes | None:
        if not self._parts.judge.state.epoch:
            return None  # no row was judged yet: there is nothing to say
        return encode(self._parts.judge.public(simulated=self._parts.simulated, withheld=self._distrust))

    async def _snapshot(self, head: Head) -> None:
        profile = self._profile
        key = self._parts.identity.key
        try:
            plain = state_to_bytes(self._parts.judge.state)
            box = seal_snapshot(self._parts.keys[0], context_of(key, head.at, profile), plain)
        except SnapshotError:
            return  # in mid-round; the next batch tries again
        except SnapshotTooLargeError as error:
            self._fault("snapshot_too_large", str(error))
            return
        with suppress(*REFUSALS):  # a snapshot spares time at the next start, and no more
            await self._parts.journal.put_snapshot(key, Snapshot(head.at, RULES_VERSION, profile, box))
        self._since_snapshot = 0


def _verifies(row: LogRow) -> bool:
    """Whether the floor says in `row` that a deck was verified."""
    data = None if row.event is None else row.event.data
    return isinstance(data, InputLogged) and data.act.act == "ft.deck_verified"
