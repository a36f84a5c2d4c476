"""A flooding terminal costs itself alone, the floor comes first, and every input that was not taken is answered."""

import asyncio

from pitwarden.config.models import InputsSection
from pitwarden.field.inputs.fair_inbox import (
    BURST,
    INBOX,
    RATE,
    REMEMBERED,
    SIMULATED_SPEED,
    TERMINAL_INPUTS,
    FairInbox,
)
from pitwarden.field.inputs.input_gate import MOST_TURNED_AWAY, InboundInput, InputGate
from pitwarden_client.events.base import Role
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.dealer_play import KpDeal
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from testkit.brokers.memory_publisher import MemoryPublisher
from testkit.clocks.fake_clock import FakeClock
from testkit.clocks.waiting import until


def asked(role: Role, terminal: str, number: int = 0) -> InboundInput:
    wanted = TerminalInput(id=f"i{number}", person="p7", as_of=None, act=KpDeal())
    return InboundInput(role, terminal, encode(wanted), retained=False)


class Handled:
    def __init__(self) -> None:
        self.done: list[InboundInput] = []

    async def __call__(self, one: InboundInput) -> None:
        self.done.append(one)


async def worked_off(inbox: FairInbox, handled: Handled, count: int) -> None:
    worker = asyncio.create_task(inbox.run())
    await until(lambda: len(handled.done) == count)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert inbox.waiting == 0


async def test_terminals_take_turns_and_the_floor_comes_first() -> None:
    handled = Handled()
    inbox = FairInbox(handled, FakeClock())
    for number in range(3):
        assert inbox.put(asked("dealer", "loud", number)) is None
    for one in (asked("dealer", "quiet"), asked("floor", "f"), asked("supervisor", "s")):
        assert inbox.put(one) is None
    await worked_off(inbox, handled, 6)
    assert [one.terminal for one in handled.done] == ["f", "s", "loud", "quiet", "loud", "loud"]


async def test_a_flood_fills_its_own_queue_and_no_other() -> None:
    handled = Handled()
    inbox = FairInbox(handled, FakeClock())
    said = [inbox.put(asked("dealer", "loud", number)) for number in range(BURST + 5)]
    assert said == [None] * TERMINAL_INPUTS + ["queue_full"] * (BURST - TERMINAL_INPUTS) + ["too_many"] * 5
    assert [inbox.put(asked("floor", "f", number)) for number in range(10)] == [None] * 10
    await worked_off(inbox, handled, TERMINAL_INPUTS + 10)
    assert [one.role for one in handled.done[:10]] == ["floor"] * 10


async def test_a_terminal_may_go_on_at_the_rate() -> None:
    clock = FakeClock()
    handled = Handled()
    inbox = FairInbox(handled, clock)
    for number in range(BURST):
        inbox.put(asked("dealer", "pad", number))
    assert inbox.put(asked("dealer", "pad")) == "too_many"
    await worked_off(inbox, handled, TERMINAL_INPUTS)
    clock.pass_ms(1_000)
    assert [inbox.put(asked("dealer", "pad", number)) for number in range(RATE + 1)] == [None] * RATE + ["too_many"]


async def test_a_simulated_table_may_play_faster_than_people() -> None:
    handled = Handled()
    inbox = FairInbox(handled, FakeClock(), simulated=True)
    for number in range(BURST * SIMULATED_SPEED):
        assert inbox.put(asked("dealer", "pad", number)) != "too_many"
    assert inbox.put(asked("dealer", "pad")) == "too_many"


async def test_invented_names_fill_a_bounded_memory() -> None:
    inbox = FairInbox(Handled(), FakeClock())
    said = [inbox.put(asked("dealer", f"t{number}")) for number in range(INBOX + 10)]
    assert said == [None] * INBOX + ["queue_full"] * 10
    assert len(inbox._allowances) == REMEMBERED  # noqa: SLF001  the bound is the point


class Unused:
    newest = 0

    async def answer(self, role: str, terminal: str, input_id: str) -> None:
        raise AssertionError((role, terminal, input_id))

    def log_ms(self) -> int:
        raise AssertionError

    def offer(self, _pending: object) -> bool:
        raise AssertionError


class Counted:
    def __init__(self) -> None:
        self.kinds: list[str] = []

    def refused(self, where: str, kind: str) -> None:
        assert where == "input"
        self.kinds.append(kind)


async def test_what_was_not_taken_is_answered_with_the_remedy_within_a_bound() -> None:
    bus, counted, topics = MemoryPublisher(), Counted(), Topics("s", "t")
    gate = InputGate(
        Unused(), Unused(), inputs=InputsSection(), link=bus, topics=topics, refusals=counted, time=Unused()
    )
    gate.turn_away(asked("dealer", "pad", 7), "too_many")
    gate.turn_away(InboundInput("dealer", "pad", b"?", retained=False), "queue_full")
    answers = [decode(InputReply, payload) for _, payload, _ in bus.published]
    assert [(answer.id, answer.accepted) for answer in answers] == [("i7", False), ("unreadable", False)]
    assert all("again with the same id" in answer.reason for answer in answers)
    assert {topic for topic, *_ in bus.published} == {topics.reply("dealer", "pad")}
    for number in range(2 * MOST_TURNED_AWAY):
        gate.turn_away(asked("dealer", "pad", number), "too_many")
    assert counted.kinds == ["too_many", "queue_full", *["too_many"] * 2 * MOST_TURNED_AWAY]
    assert len(bus.published) == MOST_TURNED_AWAY
