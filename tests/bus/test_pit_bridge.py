"""The shipped bridge to the pit, by delivery: what crosses, in which direction, and whose. Nothing else does."""

from pathlib import Path

import pytest

from pitwarden.doctor.topics import bridge_state_topic
from pitwarden_client.events.topics import Topics
from testkit.brokers.clients import connection
from testkit.brokers.pit_bridge import bridged

pytestmark = pytest.mark.broker

OURS, THEIRS = Topics("harbor", "ta01"), Topics("harbor", "ta02")
OUT = {
    OURS.event("shoe", "shoe.card"), OURS.state, OURS.irregularities, OURS.reveals, OURS.head, OURS.record,
    OURS.status("field"), OURS.status("judge"), OURS.device_status("shoe"), OURS.replay("historian", "log"),
    OURS.replay("historian", "outputs"), OURS.replay_reply("historian"), OURS.reply("floor", "ta01-floor"),
}  # fmt: skip
STAYS = {
    OURS.position("judge"), OURS.command("shoe"), OURS.command_reply("shoe"), OURS.reply("dealer", "ta01-dealer"),
    OURS.reply("supervisor", "ta01-supervisor"), OURS.reply("floor", "another"), OURS.replay("pit", "log"),
    OURS.replay_reply("pit"),
}  # fmt: skip
IN = {OURS.input("floor", "ta01-floor"), OURS.replay_request("historian"), OURS.position("historian")}
FORGED = {
    *OUT, *STAYS, OURS.input("dealer", "ta01-dealer"), OURS.input("supervisor", "ta01-supervisor"),
    OURS.input("floor", "another"), OURS.replay_request("pit"), OURS.position("pit"), THEIRS.state,
    THEIRS.input("floor", "ta01-floor"), THEIRS.command("shoe"), "pitwarden/v1/inland/ta01/inputs/floor/ta01-floor",
    "other/site",
}  # fmt: skip


async def test_only_what_is_listed_crosses_and_only_in_its_direction(tmp_path: Path) -> None:
    with bridged(tmp_path / "bridge") as made:
        service = made.controller.service("ta01")
        async with (
            connection(made.person("historian"), "historian", ("#",)) as (pit, heard_in_the_pit),
            connection(service, "ta01", (f"{OURS.root}/#",)) as (table, heard_at_the_table),
            connection(made.controller.service("ta02"), "ta02", (f"{THEIRS.root}/#",)) as (other, heard_next_door),
        ):
            await table.send(OURS.state, b"the bridge is there", retain=True)
            await heard_in_the_pit.until(lambda: bool(heard_in_the_pit.payloads(OURS.state)))
            for topic in sorted(STAYS | OUT):
                await table.send(topic, b"of the table")
            await other.send(THEIRS.state, b"of the table")
            await table.send(OURS.head, b"the last")
            await heard_in_the_pit.until(lambda: b"the last" in heard_in_the_pit.payloads(OURS.head))
            crossed = {each.topic for each in heard_in_the_pit.messages if each.payload == b"of the table"}
            assert crossed == OUT
            for topic in sorted(FORGED | IN):
                await pit.send(topic, b"of the pit")
            await pit.send(OURS.position("historian"), b"the last")
            await heard_at_the_table.until(
                lambda: b"the last" in heard_at_the_table.payloads(OURS.position("historian"))
            )
            assert {each.topic for each in heard_at_the_table.messages if each.payload == b"of the pit"} == IN
            assert [each.payload for each in heard_next_door.messages] == [b"of the table"]


async def test_what_is_retained_arrives_retained_and_the_doctor_sees_the_bridge(tmp_path: Path) -> None:
    with bridged(tmp_path / "bridge") as made:
        statuses = f"{OURS.root}/status/+"
        async with (
            connection(made.person("early"), "early", (statuses,)) as (_, early),
            connection(made.controller.service("ta01"), "ta01", (bridge_state_topic("+"),)) as (table, bridge),
        ):
            await table.send(OURS.status("field"), b"online", retain=True)
            await bridge.until(lambda: b"1" in bridge.payloads(bridge_state_topic("ta01-bridge")))
            await early.until(lambda: bool(early.messages))
        async with connection(made.person("late"), "late", (statuses,)) as (_, late):
            await late.until(lambda: bool(late.messages))
            assert [(each.payload, each.retained) for each in late.messages] == [(b"online", True)]
        made.broker.kill()
        async with connection(made.controller.service("ta01"), "ta01", (bridge_state_topic("+"),)) as (_, bridge):
            await bridge.until(lambda: b"0" in bridge.payloads(bridge_state_topic("ta01-bridge")))
