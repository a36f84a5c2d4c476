"""The shipped ACL for halves that run apart, by delivery: what each login says and hears, and nothing else.

Whatever has to be absent is looked for behind a fence: the broker answered the refused message, or it delivered, by the
same connection, one that was sent after it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.bus.connection import Connection
from pitwarden_client.events.topics import Half, Topics
from pitwarden_client.mqtt.errors import PublishRefusedError
from testkit.brokers.clients import connection
from testkit.brokers.site_broker import SiteBroker, acl_of_separate_halves, site_broker

pytestmark = pytest.mark.broker

OURS, THEIRS = Topics("harbor", "ta01"), Topics("harbor", "ta02")
EVERYBODY = "\nuser people\ntopic readwrite pitwarden/#\n"
SAYS: dict[Half, set[str]] = {
    "field": {
        OURS.event("shoe", "shoe.card"), OURS.reply("floor", "ta01-floor"), OURS.head, OURS.device_status("shoe"),
        OURS.command_reply("shoe"), OURS.replay("historian", "log"), OURS.replay_reply("historian"),
        OURS.status("field"),
    },
    "judge": {
        OURS.state, OURS.irregularities, OURS.reveals, OURS.record, OURS.position("judge"),
        OURS.command("shoe"), OURS.replay("historian", "outputs"), OURS.replay_reply("historian"), OURS.status("judge"),
    },
}  # fmt: skip
HEARS: dict[Half, set[str]] = {
    "field": {
        OURS.position("judge"), OURS.position("historian"), OURS.input("floor", "ta01-floor"),
        OURS.input("dealer", "ta01-dealer"), OURS.state, OURS.head, OURS.command("shoe"),
        OURS.replay_request("historian"), OURS.status("field"), OURS.status("judge"), OURS.device_status("shoe"),
    },
    "judge": {
        OURS.event("shoe", "shoe.card"), OURS.head, OURS.replay_request("historian"), OURS.status("field"),
        OURS.status("judge"), OURS.state, OURS.command_reply("shoe"),
    },
}  # fmt: skip
OTHERS = {
    OURS.input("dealer", "ta01-dealer"), OURS.input("floor", "ta01-floor"), OURS.replay_request("historian"),
    OURS.position("historian"), THEIRS.event("shoe", "shoe.card"), THEIRS.state, THEIRS.reveals, THEIRS.head,
    Topics("harbor", "ta01-field").reveals, Topics("harbor", "ta01-judge").event("shoe", "shoe.card"),
    Topics("inland", "ta01").state,
}  # fmt: skip
ALL = sorted(SAYS["field"] | SAYS["judge"] | OTHERS)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SiteBroker]:
    made = site_broker(
        tmp_path / "site", acl=acl_of_separate_halves() + EVERYBODY, logins=("ta01-field", "ta01-judge", "people")
    )
    with made.broker:
        yield made


async def allowed(who: Connection, topic: str, payload: bytes, *, retain: bool = False) -> bool:
    """Whether the broker acknowledged it; when not, it said why: it is not authorized (0x87)."""
    [answer] = await asyncio.gather(who.send(topic, payload, retain=retain), return_exceptions=True)
    assert answer is None or (isinstance(answer, PublishRefusedError) and "Not authorized" in str(answer)), answer
    return answer is None


@pytest.mark.parametrize("half", ["field", "judge"])
async def test_a_half_says_its_own_and_nothing_else(half: Half, site: SiteBroker) -> None:
    async with AsyncExitStack() as stack:
        _, heard = await stack.enter_async_context(connection(site.service("people"), "people", ("pitwarden/#",)))
        who, _ = await stack.enter_async_context(connection(site.service(f"ta01-{half}"), half))
        assert {topic for topic in ALL if await allowed(who, topic, b"x")} == SAYS[half]
        await who.send(OURS.status(half), b"last")
        await heard.until(lambda: b"last" in heard.payloads(OURS.status(half)))
        assert {message.topic for message in heard.messages} == SAYS[half]


@pytest.mark.parametrize("half", ["field", "judge"])
async def test_a_half_receives_what_it_needs_and_nothing_else(half: Half, site: SiteBroker) -> None:
    async with AsyncExitStack() as stack:
        people, _ = await stack.enter_async_context(connection(site.service("people"), "people"))
        _, heard = await stack.enter_async_context(connection(site.service(f"ta01-{half}"), half, ("#",)))
        for topic in ALL:
            await people.send(topic, b"x")
        await people.send(OURS.head, b"last")
        await heard.until(lambda: b"last" in heard.payloads(OURS.head))
        assert {message.topic for message in heard.messages} == HEARS[half]


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
@pytest.mark.parametrize(
    ("half", "forged", "own"),
    [
        ("field", OURS.reveals, OURS.head),
        ("field", OURS.irregularities, OURS.head),
        ("field", OURS.state, OURS.head),
        ("judge", OURS.event("shoe", "shoe.card"), OURS.reveals),
        ("judge", OURS.head, OURS.reveals),
    ],
)
async def test_what_a_half_forges_does_not_arrive_and_what_it_says_next_does(
    half: Half, forged: str, own: str, protocol: str, site: SiteBroker
) -> None:
    """A broker of MQTT 3.1.1 acknowledges what it refuses: what it delivers next tells that it had handled it."""
    login = replace(site.service(f"ta01-{half}"), protocol="5" if protocol == "5" else "3.1.1")
    async with AsyncExitStack() as stack:
        people, _ = await stack.enter_async_context(connection(site.service("people"), "people"))
        await people.send(forged, b"true", retain=True)
        _, heard = await stack.enter_async_context(connection(site.service("people"), "ear", ("pitwarden/#",)))
        who, _ = await stack.enter_async_context(connection(login, half))
        assert await allowed(who, forged, b"forged") == (protocol == "3.1.1")
        assert await allowed(who, forged, b"", retain=True) == (protocol == "3.1.1"), "what is retained was cleared"
        await who.send(own, b"fence")
        await heard.until(lambda: b"fence" in heard.payloads(own))
        assert heard.payloads(forged) == [b"true"]
        _, later = await stack.enter_async_context(connection(site.service("people"), "later", (forged,)))
        await later.until(lambda: len(later.messages) == 1)
        assert later.payloads(forged) == [b"true"]


@pytest.mark.parametrize("half", ["field", "judge"])
async def test_a_half_that_dies_says_nothing_in_the_others_name(half: Half, site: SiteBroker) -> None:
    """A client's will is said before a second one with its id is let in: what that one says then is the fence."""
    other: Half = "judge" if half == "field" else "field"
    login = site.service(f"ta01-{half}")
    async with AsyncExitStack() as stack:
        _, heard = await stack.enter_async_context(connection(site.service("people"), "people", ("pitwarden/#",)))
        for name in (other, half):
            will = (OURS.status(name), b"will")
            await stack.enter_async_context(connection(login, half, will=will))
        who, _ = await stack.enter_async_context(connection(login, half))
        await who.send(OURS.status(half), b"fence")
        await heard.until(lambda: b"fence" in heard.payloads(OURS.status(half)))
        assert heard.payloads(OURS.status(half)) == [b"will", b"fence"]
        assert not heard.payloads(OURS.status(other))
