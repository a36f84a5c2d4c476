"""B35: bytes that are no message are counted on every topic that is heard, and the next message is handled."""

import asyncio
from pathlib import Path

from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.metrics.meter import Meter
from pitwarden_client.events.codec import MAX_BYTES, decode, encode
from pitwarden_client.events.dealer_play import KpHoleUp
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.ports.memory import NullModem
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import build
from pitwarden_tools.simulation.halves import SITE, field_half, judge_half
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop
from testkit.brokers.memory_broker import MemoryBroker
from testkit.clocks.waiting import until
from testkit.nights.in_memory_night import EVENING
from testkit.processes.metrics_samples import Samples
from testkit.simulated_service.substitutes import substituted

TOPICS = Topics(SITE, TAB_SHIELDED.table)
HEARD = (
    TOPICS.input("dealer", "pad"), TOPICS.command("shoe"), TOPICS.position("judge"), TOPICS.position("historian"),
    TOPICS.state, TOPICS.head, TOPICS.replay_request("historian"), TOPICS.event("shoe", "shoe.card"),
)  # fmt: skip
BAD = (b'{"half":', b"\xff\x00", b"[]", b"null", b"[" * 10_000, b'{"id":1e999}', b"x" * (MAX_BYTES + 1), b"")
TABLE = f"{SITE}/{TAB_SHIELDED.table}"


async def hostile(folder: Path, clock: LoopClock, bus: MemoryBroker, replies: list[bytes], meter: Meter) -> None:
    field_journal = await FieldJournal.open(folder / "field.sqlite")
    judge_journal = await JudgeJournal.open(folder / "judge.sqlite")
    shoe = NullModem(build(TAB_SHIELDED, "7").devices["shoe"], clock)
    field = await field_half(TAB_SHIELDED, clock, field_journal, {"shoe": shoe}, meter=meter)
    judge = await judge_half(TAB_SHIELDED, judge_journal, clock, meter=meter)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(field.run(stop), name="field half")
        group.create_task(judge.run(stop), name="judge half")
        await until(lambda: field.link.up and judge.link.up and field.delivery.lag == 0, pause=0.1)
        for number, bad in enumerate(BAD):
            for topic in HEARD:
                await bus.publish(topic, bad)
            good = TerminalInput(id=f"good-{number}", person="p1", as_of=None, act=KpHoleUp())
            await bus.publish(TOPICS.input("dealer", "pad"), encode(good))
            answered = f'"id":"good-{number}","accepted":true'.encode()
            await until(lambda: any(answered in each for each in replies), pause=0.1)  # noqa: B023  awaited here
        await until(lambda: field.delivery.lag == 0, pause=0.1)
        stop.set()
    await field_journal.close()
    await judge_journal.close()


def test_bad_messages_are_counted_and_the_next_one_is_handled(tmp_path: Path) -> None:
    replies: list[bytes] = []
    meter = Meter()
    loop = SimulatedLoop()

    def tap(topic: str, payload: bytes) -> None:
        if topic == TOPICS.reply("dealer", "pad"):
            replies.append(payload)

    bus = MemoryBroker(tap)
    with substituted(bus, lambda _line: None, "bad"), asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(hostile(tmp_path, LoopClock(loop, EVENING), bus, replies, meter))
    said = [decode(InputReply, each) for each in replies]
    assert [each.id for each in said if each.accepted] == [f"good-{number}" for number in range(len(BAD))]
    counted = Samples(meter.text().decode())
    each = len(BAD)
    assert counted.of("pitwarden_rejected_total", TABLE, "input", "unreadable") == each
    assert counted.of("pitwarden_rejected_total", TABLE, "command", "unreadable") == each
    assert counted.of("pitwarden_rejected_total", TABLE, "row", "no_row") == each
    assert counted.of("pitwarden_rejected_total", TABLE, "bus", "bad_payload") >= 2 * each
