from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.bus.sender import MAX_STALL_MS, REFUSED_MS, STALL_MS, LogSender, SendBatch
from pitwarden.journal.records import NewRow
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.base import Position
from testkit.journals.log_rows import SOURCE, log_of

if TYPE_CHECKING:
    from pitwarden_client.events.table import Head


def up(head: int, stored: int = 0, window: int = 10) -> LogSender:
    sender = LogSender(head, stored, window)
    sender.link(up=True)
    return sender


def test_it_sends_up_to_the_window_and_goes_on_as_the_judge_stores() -> None:
    sender = up(25)
    assert sender.batch(0) == SendBatch(0, 10)
    sender.sent(10, 0)
    assert sender.batch(0) is None
    sender.on_position(4, hello=False, now=1)
    assert sender.batch(1) == SendBatch(10, 4)
    sender.sent(14, 1)
    assert (sender.lag, sender.batch(1)) == (21, None)
    sender.committed(26)
    assert sender.lag == 22


def test_it_goes_back_after_a_stall_ever_more_slowly_and_at_once_on_hello() -> None:
    sender, now, waits = up(5), 0, []
    for _ in range(8):
        assert sender.batch(now) == SendBatch(0, 5)
        sender.sent(5, now)
        assert sender.batch(now) is None
        wake = sender.wake_at(now)
        assert wake is not None
        assert sender.batch(wake - 1) is None
        waits.append(wake - now)
        now = wake
    assert waits == [STALL_MS, 2_000, 4_000, 8_000, 16_000, MAX_STALL_MS, MAX_STALL_MS, MAX_STALL_MS]
    sender.on_position(0, hello=True, now=now)
    assert sender.batch(now) == SendBatch(0, 5)
    sender.sent(5, now)
    assert sender.wake_at(now) == now + STALL_MS


def test_a_judge_without_its_journal_gets_everything_again_and_an_old_position_changes_nothing() -> None:
    sender = up(5, stored=5)
    assert (sender.batch(0), sender.wake_at(0)) == (None, None)
    sender.on_position(3, hello=False, now=0)
    assert sender.batch(0) is None
    sender.on_position(0, hello=True, now=0)
    assert sender.batch(0) == SendBatch(0, 5)


def test_nothing_is_sent_while_the_link_is_down_and_all_again_after() -> None:
    sender = up(5)
    sender.sent(5, 0)
    sender.link(up=False)
    assert (sender.batch(99), sender.wake_at(99)) == (None, None)
    sender.link(up=True)
    assert sender.batch(99) == SendBatch(0, 5)


def test_a_refused_row_is_sent_again_slowly_until_the_judge_has_it() -> None:
    sender = up(5)
    sender.sent(5, 0)
    sender.refuse(3, 10)
    assert sender.refused
    assert (sender.batch(10), sender.wake_at(10)) == (None, 10 + REFUSED_MS)
    assert sender.batch(10 + REFUSED_MS) == SendBatch(0, 5)
    sender.on_position(5, hello=False, now=20_000)
    assert not sender.refused


@dataclass
class Crossing:
    """A log on its way over a broker that loses, repeats, reorders and forgets, to a judge that is killed at times."""

    rows: list[NewRow]
    chance: Random
    loss: float
    window: int
    judged: list[Position] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sender = up(1, window=self.window)
        self.receiver = LogReceiver(None, [], SOURCE)
        self.places = {(row.at.epoch, row.at.number): place for place, row in enumerate(self.rows, 1)}
        self.wire: list[bytes] = []
        self.stored: Head | None = None

    def happens(self, share: float) -> bool:
        return self.chance.random() < self.loss * share

    def step(self, number: int) -> None:
        now = number * 100
        self.sender.committed(min(len(self.rows), 1 + number // 2))
        batch = self.sender.batch(now)
        if batch is not None:
            for row in self.rows[batch.after : batch.after + batch.limit]:
                self.carry(row.body)
            self.sender.sent(batch.after + batch.limit, now)
        if self.happens(0.05):
            self.wire.clear()
            self.sender.link(up=False)
            self.sender.link(up=True)
            self.say(now, hello=True)
        for _ in range(min(len(self.wire), self.chance.randint(0, 5))):
            self.judge(self.wire.pop(0), now)

    def carry(self, payload: bytes) -> None:
        if not self.happens(1):
            self.wire.insert(self.chance.randint(max(0, len(self.wire) - 3), len(self.wire)), payload)
        if self.happens(1):
            self.wire.append(payload)

    def judge(self, payload: bytes, now: int) -> None:
        taken = self.receiver.take(payload)
        assert (taken.forked, taken.garbage) == (None, None)
        if taken.rows and self.happens(0.1):  # killed between what it took and what it stored
            self.receiver = LogReceiver(self.stored, {at.epoch for at in self.judged}, SOURCE)
            self.say(now, hello=True)
        elif taken.rows:
            self.judged += [row.at for row in taken.rows]
            self.stored = taken.rows[-1].head
            self.receiver.committed(self.stored)
            self.say(now, hello=False)

    def say(self, now: int, *, hello: bool) -> None:
        if hello or not self.happens(1):
            at = self.receiver.position().at
            place = 0 if at is None else self.places[at.epoch, at.number]
            self.sender.on_position(place, hello=hello, now=now)


@settings(deadline=None)
@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=4),
    loss=st.sampled_from([0.0, 0.1, 0.5]),
    window=st.integers(1, 20),
    seed=st.integers(0, 2**32),
)
def test_every_row_arrives_once_in_order_whatever_the_network_and_the_judge_do(
    lengths: list[int], loss: float, window: int, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311  the network is no adversary that guesses
    crossing = Crossing(log_of(*lengths), chance, loss, window)
    for number in range(20_000):
        crossing.step(number)
        if crossing.sender.stored == len(crossing.rows):
            break
    assert crossing.judged == [row.at for row in crossing.rows]
    assert crossing.sender.lag == 0
