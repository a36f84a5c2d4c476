"""Judge half of one table: rows from MQTT, each once and in order; judged; committed; and only then published."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Final

import structlog

from pitwarden.bus.certificates import CertificateMonitor
from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.presence import Presence
from pitwarden.bus.replay import WAITING, ReplayServer
from pitwarden.bus.twins import TwinDetector
from pitwarden.journal.database import WRITTEN_BY, claim_journal
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.faults import JudgeFaults
from pitwarden.judge.intake import INBOX, RowIntake
from pitwarden.judge.metrics import JudgeMetrics, state_samples
from pitwarden.judge.persistence import JudgeRetention, JudgeSigner
from pitwarden.judge.processing import JudgingContext, JudgingLoop
from pitwarden.judge.publisher import PAGE_ROWS, OutputPublisher, OutputReplaySource
from pitwarden.judge.record_head import RecordHeadPublisher
from pitwarden.judge.recovery import recover
from pitwarden.judge.shoe_locks import ShoeLocks
from pitwarden.metrics.families import INFO, LINK_DOWNS
from pitwarden.metrics.meter import Sample, TableMeter, half_samples, journal_samples, queue_samples
from pitwarden.rules import RULES_VERSION, profile_digest
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden.seal.signed_rows import sign_order
from pitwarden.system.tasks import Probe, loop_probe
from pitwarden.system.version import VERSION
from pitwarden_client.chain.receiver import HELD_ROWS, LogReceiver
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import Topics, subscribe_filters
from pitwarden_client.mqtt.errors import BusError, TakenOverError

# Reasons that the status line names; the others are counted, so that the line fits a terminal.
_REASONS: Final = 3


def table_status_line(state: bytes | None) -> str:
    """Return the retained `state` in one line; None before the first row was judged."""
    if state is None:
        return "nothing judged yet"
    told = decode(TableState, state)
    permit, count = told.permit, len(told.irregularities)
    more = f" and {len(permit.reasons) - _REASONS} more" if len(permit.reasons) > _REASONS else ""
    deal = "dealing permitted" if permit.granted else f"DEALING WITHHELD: {', '.join(permit.reasons[:_REASONS])}{more}"
    irregular = f"; {count} irregularit{'y' if count == 1 else 'ies'} open" if count else ""
    return f"{deal}{irregular}; rules {told.rules_version} profile {told.profile_digest[:8]}"


_log = structlog.get_logger()


class JudgeHalf:
    """Judge half of one table. It runs until stopped."""

    def __init__(self, parts: JudgeDependencies, receiver: LogReceiver) -> None:
        self._parts, self._receiver = parts, receiver
        self._topics = Topics(parts.identity.site, parts.identity.table)
        self._head_topic = self._topics.head
        self._profile = profile_digest(parts.setup)
        self._signer = derive_checkpoint_key(parts.keys[0])
        self._announced = parts.announced(self._profile)
        self._told: tuple[bytes | None, str] = None, table_status_line(None)
        self._meter = TableMeter(parts.meter, parts.identity.key)
        self._meters = JudgeMetrics(self._meter)
        self._meter.watch(self._samples)
        status = self._topics.status("judge")
        self.link = Link(
            parts.broker,
            f"pitwarden-{parts.identity.site}-{parts.identity.table}-{parts.identity.judge}",
            Presence(
                status,
                self._online,
                encode(PartStatus(online=False, run=parts.run, simulated=parts.simulated)),
                TwinDetector(parts.run, self._twin, self._alone).heard,
            ),
            subscribe_filters(self._topics, "judge"),
            on_message=self._on_message,
            on_up=self._up,
            on_down=self._down,
            retry=parts.retry,
            may_publish=parts.may_publish,
        )
        self._faults = JudgeFaults(parts.journal, parts.identity.key, self.link)
        self._intake = RowIntake(receiver, parts.judge, self._faults, self._meters, parts.clock)
        self._locks = ShoeLocks(parts.lockable, parts.run)
        self.publisher = OutputPublisher(parts.journal, parts.identity.key, self._topics.state, self.link, self)
        self.record_heads = RecordHeadPublisher(
            JudgeSigner(parts.keys, parts.identity.site, parts.identity.table), self.link, self._topics.record,
            parts.clock,
        )  # fmt: skip
        self.work = JudgingLoop(
            parts,
            JudgingContext(
                receiver, self._intake, self.publisher, self.record_heads, self._faults, self._meters, self._locks
            ),
            self,
        )
        self._replay = ReplayServer(
            "outputs", self._topics, OutputReplaySource(parts.journal, parts.identity.key), self.link
        )
        self._expiry = CertificateMonitor(self.link, parts.clock, self._faults.certificates)
        self._retention = JudgeRetention(
            parts.journal, parts.clock, parts.keys[0], (parts.identity.site, parts.identity.table),
            days=parts.keep_days, newest_ms=lambda: parts.judge.state.utc_ms, faults=self,
        )  # fmt: skip

    @classmethod
    async def start(cls, parts: JudgeDependencies) -> "JudgeHalf":
        """Recover the state from the journal and return a half that is ready to run."""
        key, journal = parts.identity.key, parts.journal
        await claim_journal(
            journal.name, await journal.meta(key, WRITTEN_BY), partial(journal.set_meta, key, WRITTEN_BY)
        )
        signer = JudgeSigner(parts.keys, parts.identity.site, parts.identity.table)
        past = await journal.begin_signing(key, signer)
        folded = 0

        def count_row() -> None:
            nonlocal folded
            folded += 1
            parts.on_folded()

        agrees = await recover(parts.judge, parts.journal, parts.keys, count_row)
        receiver = LogReceiver(
            await parts.journal.position(key),
            await parts.journal.followed(key),
            f"/{parts.identity.site}/{parts.identity.table}/",
            is_trusted=parts.judge.is_trusted_opening,
        )
        half = cls(parts, receiver)
        await half._faults.load()
        half._faults.report_past(past)
        half.work.count_recovered(folded)
        half.work.update_state()
        if not agrees:
            half._faults.add("rules_diverged", "what was published differs from what these rules say now")
        await half.publisher.start()
        half.record_heads.begin(await journal.position(key), await journal.last_output(key))
        return half

    def probes(self) -> list[Probe]:
        """Return the liveness probes of all tasks."""
        silence_s = self._parts.broker.silence_s
        return [
            loop_probe("judge work", self.work),
            loop_probe("judge link", self.link, silence_s),
            loop_probe("judge pump", self.publisher, silence_s),
            loop_probe("judge replay", self._replay, silence_s),
        ]

    def _samples(self) -> Iterator[Sample]:
        """Yield everything that is measured only when metrics are read."""
        yield Sample(INFO, 1, ("judge", VERSION, RULES_VERSION, self._profile))
        yield from half_samples("judge", self.link, faults=self._faults.names())
        yield from state_samples(self.work.state)
        yield from queue_samples({
            "rows_to_judge": (self._intake.waiting, INBOX), "rows_out_of_order": (self._receiver.waiting, HELD_ROWS),
            "unpublished_verdicts": (self.publisher.lag, PAGE_ROWS), "verdict_replays": (self._replay.waiting, WAITING),
        })  # fmt: skip
        if self._parts.journal.file is not None:
            yield from journal_samples("judge", self._parts.journal.file)

    def is_between_rounds(self) -> bool:
        """Return whether no round is in progress, as of the last judged row."""
        return self.work.state is None or not decode(TableState, self.work.state).in_round

    def status_line(self) -> str:
        """Return one line for `systemctl status`: the permit, open irregularities, link, faults."""
        broker = f"broker linked ({self.link.address})" if self.link.up else "BROKER LOST"
        names = self._faults.names()
        faults = f"; FAULTS: {', '.join(names)}" if names else ""
        state = self.work.state
        if state is not self._told[0]:  # it is asked twice a second, and a table at rest publishes no other state
            self._told = state, table_status_line(state)
        return f"{self._told[1]}; judge: {broker}{faults}"

    async def run(self, stop: asyncio.Event) -> None:
        """Judge until `stop` is set; then publish the offline status."""
        async with asyncio.TaskGroup() as group:
            link = group.create_task(self.link.run(), name="judge link")
            workers = [
                group.create_task(self.work.run(), name="judge work"),
                group.create_task(self.publisher.run(), name="judge pump"),
                group.create_task(self._replay.run(), name="judge replay"),
                group.create_task(self._retention.run(), name="judge housekeeping"),
                group.create_task(self._faults.salvage(), name="judge salvage"),
                group.create_task(self._expiry.run(), name="judge certificates"),
            ]
            await stop.wait()
            if self.link.up:
                self.record_heads.publish()
            await self.link.close_gracefully()
            for task in (link, *workers):
                task.cancel()

    def _online(self) -> bytes:
        status = PartStatus(
            online=True, run=self._parts.run, faults=self._faults.lines(), version=VERSION,
            rules_version=RULES_VERSION, profile_digest=self._profile, broker=self.link.address,
            simulated=self._parts.simulated, two_persons=tuple(sorted(set(self._parts.setup.policy.two_persons))),
        )  # fmt: skip
        return encode(status)

    def _on_message(self, message: InboundMessage) -> None:
        if message.topic.endswith("/request"):
            message.ack()
            self._replay.on_request(message)
            return
        if message.topic == self._head_topic:
            message.ack()
            self._intake.on_head(message.payload)
            return
        self._intake.put(message)
        self.work.wake()

    def damaged(self, reason: str) -> None:
        """Withhold the permit because of damage found while the service runs.

        The file is quarantined at the next start.
        """
        self._faults.fault("journal_damaged", reason)
        self._faults.distrust = "the judge's journal is damaged: verify the decks"
        self.work.update_state()
        self.publisher.push((), self.work.state)

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's signature
        self._faults.clear("client_id_conflict", "acl_denied")
        self.publisher.link(up=True)
        self.speak_again()
        _log.info("judge linked", table=self._parts.identity.key)

    def speak_again(self) -> None:
        """Publish the position and the state, and the outputs after the mark: nothing left meanwhile."""
        self.publish_position(hello=True)
        self.publisher.push((), self.work.state)
        self.record_heads.publish()

    def _down(self, fault: BusError) -> None:
        self.publisher.link(up=False)
        self._meter.count(LINK_DOWNS, "judge")
        if isinstance(fault, TakenOverError):
            self._faults.add("client_id_conflict", str(fault))
        _log.warning("judge link down", table=self._parts.identity.key, reason=str(fault))

    def _twin(self, reason: str) -> None:
        _log.error("twin seen", table=self._parts.identity.key, reason=reason)
        self._faults.fault("client_id_conflict", reason)

    def _alone(self) -> None:
        self._faults.report_cleared("client_id_conflict")

    def publishing_refused(self, reason: str) -> None:
        """Handle that the broker refused a topic of the outputs."""
        self._faults.fault("acl_denied", reason)

    def publish_position(self, *, hello: bool = False) -> None:
        """Publish up to which row the log is stored, and by which rules it is judged.

        The announcement is repeated each time, since no client may have received the previous one.
        """
        said = self._receiver.position(hello=hello).model_copy(update={"announce": self._announced})
        self.link.publish(self._topics.position(self._parts.identity.judge), encode(said))

    def state_published(self, state: bytes) -> None:
        """Handle that the broker has `state`: send the lock commands that it requires.

        Commands wait until all received rows are judged, since a command that acts on an old state is refused.
        """
        if self._locks and not self._intake.waiting:
            place = self._parts.identity
            for shoe, order in self._locks.due(decode(TableState, state), self._parts.judge.state.log_ms):
                signed = sign_order(self._signer, place.site, place.table, shoe, order)
                self.link.publish(self._topics.command(shoe), encode(signed))
