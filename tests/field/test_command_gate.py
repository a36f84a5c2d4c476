"""Commands for devices: once each, fresh, configured, never a lock in a round; others are refused and logged."""

from collections.abc import Callable

import pytest

from pitwarden.field.inputs.command_gate import KEPT_IDS, MOST_AHEAD_MS, CommandGate, CommandKeys, InboundCommand
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.seal.keys import SigningKey
from pitwarden.seal.signed_rows import sign_order
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.dealer_play import KpDeal, KpRoundEnd
from pitwarden_client.events.device import CommandName, DeviceOrder
from pitwarden_client.events.envelope import GENESIS, LogData, LogEvent, rfc3339
from pitwarden_client.events.inputs import InputLogged, InputReply
from pitwarden_client.events.outputs import Permit, TableState
from pitwarden_client.events.table import ClockTick, CommandAccepted, CommandRefused
from pitwarden_client.events.topics import Topics
from testkit.brokers.memory_publisher import MemoryPublisher

TOPICS = Topics("s", "t")


def state(number: int, *, in_round: bool = False, epoch: str = "e") -> TableState:
    return TableState(
        as_of=Position(epoch=epoch, number=number), outputs=0, game="g", round=1, in_round=in_round,
        permit=Permit(granted=False, reasons=(), expires_ms=30_000), irregularities=(), duties=(), rules_version="1",
        profile_digest=GENESIS, simulated=True,
    )  # fmt: skip


class Bench:
    """Commands before a log that the test commits by hand; five rows are there, and a state between rounds."""

    def __init__(self, *judges: str) -> None:
        self.now = 1_000
        self.full = False
        self.waiting: list[PendingRow] = []
        self.rows: list[LogData] = []
        self.given: list[tuple[str, str, CommandName]] = []
        self.bus = MemoryPublisher()
        self.counted: list[tuple[str, str]] = []
        self.orders = CommandGate(
            "e", ("shoe", "shuffler"), {"shoe"},
            time=self, log=self, drivers=self, link=self.bus, topics=TOPICS, refusals=self,
            judges=CommandKeys("s", "t", judges),
        )  # fmt: skip
        for _ in range(5):
            self.logged(ClockTick())
        self.orders.state(state(5))

    @property
    def replies(self) -> list[tuple[str, InputReply]]:
        return [(topic, decode(InputReply, payload)) for topic, payload, _ in self.bus.published]

    @property
    def newest(self) -> int:
        return len(self.rows)

    def log_ms(self) -> int:
        return self.now

    def command(self, device: str, request: str, command: CommandName) -> None:
        self.given.append((device, request, command))

    def refused(self, where: str, kind: str) -> None:
        self.counted.append((where, kind))

    async def idle(self) -> None:
        """All that was offered is committed."""
        while self.waiting:
            self.commit()

    def offer(self, pending: PendingRow) -> bool:
        if not self.full:
            self.waiting.append(pending)
        return not self.full

    def commit(self) -> None:
        pending = self.waiting.pop(0)
        assert isinstance(pending.content, CommandAccepted | CommandRefused | InputLogged)
        row = self.logged(pending.content)
        if pending.done is not None:
            pending.done(row)

    def logged(self, data: LogData) -> LogEvent:
        self.rows.append(data)
        row = LogEvent(
            id=f"e/{len(self.rows)}", source="/s/t/x", type="t", time=rfc3339(0), epoch="e", prevhash=GENESIS,
            simulated=True, tableseq=len(self.rows), logms=0, clocksync=True, clockerror=0, data=data,
        )  # fmt: skip
        self.orders.logged(row)
        return row

    async def ask(self, order: DeviceOrder, device: str = "shoe", *, retained: bool = False) -> None:
        await self.orders.process(InboundCommand(device, encode(order), retained))
        await self.idle()

    @property
    def refusals(self) -> list[str]:
        return [row.reason for row in self.rows if isinstance(row, CommandRefused)]


def order(command: CommandName = "lock", *, number: int = 5, ident: str = "c1", epoch: str = "e") -> DeviceOrder:
    as_of = Position(epoch=epoch, number=number)
    return DeviceOrder(id=ident, command=command, as_of=as_of, until_ms=30_000)


def keyed(act: KpDeal | KpRoundEnd) -> InputLogged:
    return InputLogged(role="dealer", terminal="pad", person="p", input_id="i", as_of=None, act=act)


async def test_a_command_goes_to_its_device_behind_its_own_row() -> None:
    b = Bench()
    await b.orders.process(InboundCommand("shoe", encode(order()), retained=False))
    assert not b.given
    assert not b.replies
    b.commit()
    assert isinstance(b.rows[-1], CommandAccepted)
    assert b.given == [("shoe", "c1", "lock")]
    assert b.replies == [(TOPICS.command_reply("shoe"), InputReply(id="c1", accepted=True, number=6))]


@pytest.mark.parametrize("command", ["unlock", "report_count"])
async def test_what_holds_no_card_back_is_done_in_a_round_too(command: CommandName) -> None:
    b = Bench()
    b.logged(keyed(KpDeal()))
    b.orders.state(state(6, in_round=True))
    await b.ask(order(command))
    assert b.given == [("shoe", "c1", command)]


REFUSED: dict[str, tuple[Callable[[Bench], object], DeviceOrder]] = {
    "stale": (lambda _: None, order(epoch="other")),
    "stale: a number that is not there": (lambda _: None, order(number=6)),
    "stale: too late": (lambda b: setattr(b, "now", 30_001), order()),
    "stale: from another clock": (lambda b: setattr(b, "now", 29_999 - MOST_AHEAD_MS), order()),
    "in_round: a key since": (lambda b: b.logged(keyed(KpDeal())), order()),
    "in_round: the round's end is not seen": (lambda b: b.logged(keyed(KpRoundEnd())), order()),
    "in_round: the judge says so": (lambda b: b.orders.state(state(5, in_round=True)), order()),
    "in_round: the judge speaks of another epoch": (lambda b: b.orders.state(state(5, epoch="x")), order()),
    "in_round: a key that is being committed": (lambda b: b.offer(PendingRow("pad", keyed(KpDeal()))), order()),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_a_command_on_another_state_than_the_present_one_is_refused(why: str) -> None:
    b = Bench()
    happens, wanted = REFUSED[why]
    happens(b)
    await b.ask(wanted)
    assert b.counted == [("command", why.partition(":")[0])]
    assert b.given == []
    assert b.refusals == [why.partition(":")[0]]
    assert not b.replies[-1][1].accepted


async def test_a_repeated_command_is_not_done_twice() -> None:
    b = Bench()
    await b.ask(order())
    await b.ask(order())
    await b.ask(order("unlock"))
    assert b.given == [("shoe", "c1", "lock")]
    assert b.refusals == ["repeated"]
    assert [reply.accepted for _, reply in b.replies] == [True, False, False]
    await b.ask(order("unlock", ident="c2", number=7))
    assert b.given[1:] == [("shoe", "c2", "unlock")]


async def test_a_retained_command_is_never_obeyed_and_its_id_stays_free() -> None:
    b = Bench()
    await b.ask(order(), retained=True)
    assert b.given == []
    assert b.refusals == ["retained"]
    await b.ask(order())
    assert b.given == [("shoe", "c1", "lock")]


async def test_only_a_shoe_that_the_table_file_names_is_locked_or_unlocked() -> None:
    b = Bench()
    for command in ("lock", "unlock"):
        await b.ask(order(command, ident=command), "shuffler")
    assert b.given == []
    assert b.refusals == ["not_configured"]
    await b.ask(order("report_count"), "shuffler")
    assert b.given == [("shuffler", "c1", "report_count")]


async def test_endless_forgeries_are_answered_each_and_logged_once_a_reason() -> None:
    b = Bench()
    for n in range(50):
        await b.orders.process(InboundCommand(f"made-up-{n}", encode(order()), retained=False))
        await b.orders.process(InboundCommand("shoe", b'{"half":', retained=False))
        await b.idle()
    assert len(b.replies) == 100
    assert not any(reply.accepted for _, reply in b.replies)
    assert b.refusals == ["unknown_device", "unreadable"]
    assert b.given == []


async def test_a_full_log_refuses_and_the_same_command_may_be_sent_again() -> None:
    b = Bench()
    b.full = True
    await b.ask(order())
    assert b.given == []
    b.full = False
    await b.ask(order())
    assert b.given == [("shoe", "c1", "lock")]


async def test_what_is_remembered_is_bounded() -> None:
    b = Bench()
    for n in range(KEPT_IDS + 20):
        await b.ask(order("report_count", ident=f"c{n}"))
    assert len(b.orders._used) == KEPT_IDS  # noqa: SLF001  what must not grow


async def test_only_a_command_that_the_judge_signed_for_this_device_is_obeyed() -> None:
    judge, thief = SigningKey.generate(), SigningKey.generate()
    b = Bench(judge.public)
    good = sign_order(judge, "s", "t", "shoe", order())
    forged = [
        order(),
        sign_order(thief, "s", "t", "shoe", order()),
        sign_order(judge, "s", "t2", "shoe", order()),
        sign_order(judge, "s", "t", "shuffler", order()),
        good.model_copy(update={"command": "unlock"}),
        good.model_copy(update={"until_ms": 30_001}),
        good.model_copy(update={"as_of": Position(epoch="e", number=4)}),
        good.model_copy(update={"signer": thief.public}),
    ]
    for one in forged:
        await b.ask(one)
        why = "no trusted key" if one.signer == thief.public else "signature"
        assert why in b.replies[-1][1].reason
    assert (b.given, b.refusals) == ([], ["unreadable"])
    await b.ask(good)
    assert b.given == [("shoe", "c1", "lock")]
