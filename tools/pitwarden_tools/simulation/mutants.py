"""Deliberate bugs, planted one at a time into the service: a simulation that does not find them proves nothing.

Each is a mistake that a change of the service may really bring.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import patch

from pitwarden.bus.link import Link
from pitwarden.field.devices.intake import DeviceIntake
from pitwarden.field.inputs.input_gate import InputGate
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden.field.log.table_clock import TableClock
from pitwarden.journal.database import Database
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from pitwarden.judge.persistence import JudgeRecorder
from pitwarden.judge.processing import JudgingLoop
from pitwarden.judge.publisher import OutputPublisher
from pitwarden.judge.table_judge import TableJudge
from pitwarden.rules.queries.layout import deal_template
from pitwarden.rules.state.state import RulesState
from pitwarden.seal.keys import SigningKey
from pitwarden.seal.signed_rows import sign_epoch_opened
from pitwarden.system.clock import Clock
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339
from pitwarden_client.events.table import EpochOpened, Head, PastState
from pitwarden_client.verification.signed_rows import SigningScope
from pitwarden_drivers.api import DeviceReport
from pitwarden_tools.simulation.night import play_simulated
from pitwarden_tools.simulation.schedule import PER_NIGHT, simulated_nights

Planted = AbstractContextManager[Any]

# Nights of a search at the most: about a minute of simulation.
_NIGHTS: Final = 40


@dataclass(frozen=True, slots=True)
class Mutant:
    """Deliberate bug: `plant` puts it into the service for as long as the context lasts."""

    name: str
    what: str
    plant: Callable[[], Planted]


def time_to_find(mutant: Mutant, seed: int) -> tuple[float, int, Sequence[str]]:
    """Return how many seconds and nights a simulation took to find `mutant`, and its findings; none if it did not."""
    began = time.monotonic()
    for plan in simulated_nights(seed, _NIGHTS * PER_NIGHT):
        with mutant.plant():
            result = play_simulated(plan)
        if result.wrong:
            return time.monotonic() - began, plan.number, result.wrong
    return time.monotonic() - began, _NIGHTS, ()


def _acknowledged_before_commit() -> Planted:
    honest = DeviceIntake.report

    def report(intake: DeviceIntake, device: str, said: DeviceReport) -> None:
        honest(intake, device, said)
        intake.devices.committed(device, said.boot, said.counter)

    return patch.object(DeviceIntake, "report", report)


def _position_before_commit() -> Planted:
    honest = JudgingLoop._judge  # noqa: SLF001  the bug is planted where it would be made

    async def judge(loop: JudgingLoop, rows: list[Any]) -> None:
        loop._receiver.committed(rows[-1].head)  # noqa: SLF001
        loop._positions.publish_position()  # noqa: SLF001
        await honest(loop, rows)

    return patch.object(JudgingLoop, "_judge", judge)


def _published_before_commit() -> Planted:
    honest, pushing = JudgeRecorder.store, OutputPublisher.push
    publishers: dict[JudgeRecorder, OutputPublisher] = {}
    made = JudgingLoop.__init__

    def make(loop: JudgingLoop, *args: Any) -> None:  # noqa: ANN401  those of the constructor
        made(loop, *args)
        publishers[loop._record] = loop._publisher  # noqa: SLF001

    async def store(recorder: JudgeRecorder, received: list[Any], outputs: list[Any], head: Any) -> None:  # noqa: ANN401
        pushing(publishers[recorder], outputs, None)
        await honest(recorder, received, outputs, head)

    def push(publisher: OutputPublisher, outputs: Sequence[Any], state: bytes | None) -> None:
        pushing(publisher, () if outputs else outputs, state)

    return _all(
        patch.object(JudgingLoop, "__init__", make),
        patch.object(JudgeRecorder, "store", store),
        patch.object(OutputPublisher, "push", push),
    )


def _parent_forgotten() -> Planted:
    def opened(signer: SigningKey, scope: SigningScope, _parent: Head | None, past: PastState) -> EpochOpened:
        return sign_epoch_opened(signer, scope, None, past)

    return patch("pitwarden.field.log.epochs.sign_epoch_opened", opened)


def _number_used_again() -> Planted:
    class SameName:
        """Names that are the same at each start."""

        @staticmethod
        def token_hex(size: int) -> str:
            """Return always the same name."""
            return "ab" * size

    return patch("pitwarden_tools.simulation.substitutes.SeededNames", lambda _random: SameName())


def _answers_forgotten() -> Planted:
    async def answer(_journal: FieldJournal, _role: str, _terminal: str, _ident: str) -> None:
        return None

    return patch.object(FieldJournal, "answer", answer)


def _marks_forgotten() -> Planted:
    async def marks(_journal: FieldJournal) -> dict[str, Any]:
        return {}

    return patch.object(FieldJournal, "device_marks", marks)


def _stale_obeyed() -> Planted:
    return patch.object(InputGate, "_staleness", lambda _gate, _as_of: "")


def _never_synced() -> Planted:
    honest = Database._prepare  # noqa: SLF001

    def prepare(database: Database, *args: Any) -> None:  # noqa: ANN401  those of the method
        honest(database, *args)
        database.within.execute("PRAGMA synchronous=OFF")

    return patch.object(Database, "_prepare", prepare)


def _failed_commit_ignored() -> Planted:
    honest = LogSequencer._commit_ended  # noqa: SLF001

    def ended(log: LogSequencer, error: Exception | None) -> None:
        honest(log, None if isinstance(error, TEMPORARY_ERRORS) else error)

    return patch.object(LogSequencer, "_commit_ended", ended)


def _outputs_numbered_anew() -> Planted:
    return patch.object(TableJudge, "resume_chain", lambda _judge, _last, _prevhash="": None)


def _taken_for_published() -> Planted:
    honest = OutputPublisher.start

    async def start(publisher: OutputPublisher) -> None:
        await honest(publisher)
        publisher._published = publisher._committed  # noqa: SLF001

    return patch.object(OutputPublisher, "start", start)


def _loss_ignored() -> Planted:
    honest = Link.publish

    def publish(link: Link, topic: str, payload: bytes, *, retain: bool = False) -> Any:  # noqa: ANN401  a future
        sent = honest(link, topic, payload, retain=retain)
        done = sent.get_loop().create_future()
        done.set_result(None)
        return done

    return patch.object(Link, "publish", publish)


def _gap_accepted() -> Planted:
    honest = LogReceiver.take

    def take(receiver: LogReceiver, payload: bytes) -> Any:  # noqa: ANN401  its result
        found = honest(receiver, payload)
        if receiver.waiting:
            held = next(iter(receiver._held.values()))  # noqa: SLF001
            receiver._accept(held)  # noqa: SLF001
        return found

    return patch.object(LogReceiver, "take", take)


def _ending_unsigned() -> Planted:
    return patch.object(FieldStore, "finish", lambda _store: None)


def _hidden_published() -> Planted:
    def turned(state: RulesState, *, ends: bool) -> frozenset[str]:
        del ends
        plan = deal_template(state.setup, state.round)
        return frozenset() if plan is None else frozenset(slot.target for slot in plan.slots)

    return patch("pitwarden.rules.transitions.disclosure.turned", turned)


def _log_time_by_utc() -> Planted:
    def passed(last: LogEvent, clock: Clock, _anchor: object) -> int:
        return max(clock.utc().utc_ms - parse_rfc3339(last.time), 0)

    return patch("pitwarden.field.log.log_time._passed_ms", passed)


def _clock_believed() -> Planted:
    return patch.object(TableClock, "utc", lambda clock: clock._clock.utc())  # noqa: SLF001


@contextlib.contextmanager
def _all(*patches: Planted) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant("ack_before_commit", "a device's event is acknowledged before its commit", _acknowledged_before_commit),
    Mutant("position_first", "the judge reports rows as stored before their commit", _position_before_commit),
    Mutant("publish_first", "outputs are published before their commit", _published_before_commit),
    Mutant("parent_forgotten", "a new epoch does not name its parent", _parent_forgotten),
    Mutant("number_again", "an epoch's name, and with it its numbers, are used again", _number_used_again),
    Mutant("answers_forgotten", "the answers to inputs are not looked up", _answers_forgotten),
    Mutant("marks_forgotten", "the marks of devices are not read at the start", _marks_forgotten),
    Mutant("stale_obeyed", "an input that acted on an old state is obeyed", _stale_obeyed),
    Mutant("never_synced", "commits are not synced to the disk", _never_synced),
    Mutant("failure_ignored", "a commit that failed counts as done", _failed_commit_ignored),
    Mutant("outputs_anew", "outputs are numbered from 1 after a restart", _outputs_numbered_anew),
    Mutant("taken_for_published", "after a restart all committed outputs count as published", _taken_for_published),
    Mutant("loss_ignored", "a message that the broker did not take counts as delivered", _loss_ignored),
    Mutant("gap_accepted", "the judge accepts a row whose predecessor is missing", _gap_accepted),
    Mutant("ending_unsigned", "an orderly stop does not sign the log's end", _ending_unsigned),
    Mutant("log_time_by_utc", "log time continues by UTC after a start", _log_time_by_utc),
    Mutant("clock_believed", "a clock that is years ahead begins a gaming day", _clock_believed),
    Mutant("hidden_published", "cards that are certain count as face up", _hidden_published),
)
