"""The shipped mosquitto configuration and ACL, by delivery: who gets what, who may say what, who does not get in.

A subscription to `#` is always granted and only filtered, so what counts is what arrives. Whatever has to be absent is
looked for behind a fence: what the broker delivered, or answered, by the same connection after it.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from pitwarden.bus.connection import Connection
from pitwarden_client.events.codec import MAX_BYTES
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import AccessRefusedError, BusError, PublishRefusedError
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.clients import ClientNotes, connection, settings
from testkit.brokers.site_broker import Site, SiteBroker, site_broker

pytestmark = pytest.mark.broker

OURS, THEIRS = Topics("harbor", "ta01"), Topics("harbor", "ta02")
NAMESAKES = [Topics("harbor", login) for login in ("ta01-dealer", "ta01-floor", "historian", "console", "stranger")]
"""Tables that are called as a login is: no login gets anything by its name."""
LAST = b"last"


@pytest.fixture
def shipped(tmp_path: Path) -> Iterator[SiteBroker]:
    made = site_broker(tmp_path / "site")
    with made.broker:
        yield made


READERS = {"historian", "console"}


def said_by_the_service(topics: Topics) -> dict[str, set[str]]:
    """Every topic that the service writes, and who else gets it."""
    screens = {"ta01-dealer", "ta01-floor", "ta01-supervisor"}
    return {
        topics.event("shoe", "shoe.card"): READERS,
        topics.reply("dealer", "ta01-dealer"): {"ta01-dealer"},
        topics.reply("floor", "ta01-floor"): {"ta01-floor"},
        topics.reply("supervisor", "ta01-supervisor"): {"ta01-supervisor"},
        topics.state: {*READERS, *screens},
        topics.irregularities: {*READERS, *screens},
        topics.reveals: {*READERS, *(screens - {"ta01-supervisor"})},
        topics.head: READERS,
        topics.record: READERS,
        topics.status("field"): {*READERS, *screens},
        topics.status("judge"): {*READERS, *screens},
        topics.device_status("shoe"): {*READERS, *screens},
        topics.position("judge"): set(),
        topics.command("shoe"): set(),
        topics.command_reply("shoe"): set(),
        topics.replay("historian", "log"): {"historian"},
        topics.replay("console", "outputs"): {"console"},
        topics.replay_reply("historian"): {"historian"},
        topics.replay("pit", "log"): set(),
    }


WRITES = {
    "ta01-dealer": {OURS.input("dealer", "ta01-dealer")},
    "ta01-floor": {OURS.input("floor", "ta01-floor")},
    "ta01-supervisor": {OURS.input("supervisor", "ta01-supervisor")},
    "historian": {
        OURS.replay_request("historian"), OURS.position("historian"), THEIRS.replay_request("historian"),
        THEIRS.position("historian"),
    },
    "console": {
        OURS.replay_request("console"), OURS.position("console"), THEIRS.replay_request("console"),
        THEIRS.position("console"),
    },
    "stranger": set[str](),
}  # fmt: skip


async def test_everybody_who_listens_to_everything_gets_what_is_his(shipped: SiteBroker) -> None:
    async with AsyncExitStack() as stack:
        heard: dict[str, ClientNotes] = {}
        for name in WRITES:  # the stranger is the last
            who = shipped.site.client(name, shipped.tls)
            stranger, heard[name] = await stack.enter_async_context(connection(who, name, ("#",)))
        other, heard["ta02"] = await stack.enter_async_context(connection(shipped.service("ta02"), "ta02", ("#",)))
        service, own = await stack.enter_async_context(connection(shipped.service("ta01"), "ta01", ("#",)))
        expected = said_by_the_service(OURS)
        for topic in expected:
            await service.send(topic, b"x")
        await own.until(lambda: len(own.messages) == len(expected))
        await _fenced(service, heard, {name: OURS.state for name in WRITES if name != "stranger"})
        await _fenced(other, heard, {"ta02": THEIRS.state})
        assert not await _allowed(stranger, OURS.state)  # it may hear nothing: the answer itself comes behind all else
        for name in WRITES:
            got = {message.topic for message in heard[name].messages if message.payload != LAST}
            assert got == {topic for topic, readers in expected.items() if name in readers}, name
        assert [message.payload for message in heard["ta02"].messages] == [LAST]
        assert not heard["stranger"].messages


async def _fenced(who: Connection, heard: Mapping[str, ClientNotes], by: Mapping[str, str]) -> None:
    """`who` publishes once more, and it has come to each: all that the broker had for them before is there."""
    for topic in set(by.values()):
        await who.send(topic, LAST)
    for name, topic in by.items():
        await heard[name].until(lambda: LAST in heard[name].payloads(topic))  # noqa: B023  awaited here


async def test_no_login_publishes_for_another(shipped: SiteBroker) -> None:
    topics = {
        *said_by_the_service(OURS), *said_by_the_service(THEIRS), *set().union(*WRITES.values()),
        *(topic for namesake in NAMESAKES for topic in said_by_the_service(namesake)),
        OURS.input("supervisor", "ta01-floor"), OURS.input("floor", "ta01-dealer"),
        THEIRS.input("dealer", "ta02-dealer"), "other/site", "$SYS/broker/version", "pitwarden/v1/inland/ta01/state",
    }  # fmt: skip
    async with connection(shipped.service("ta01"), "ta01", ("#",)) as (service, heard):
        for name, may in WRITES.items():
            async with connection(shipped.site.client(name, shipped.tls), name) as (who, _):
                for topic in sorted(topics):
                    assert await _allowed(who, topic) == (topic in may), (name, topic)
        own = set(said_by_the_service(OURS))
        for topic in sorted(topics - set().union(*WRITES.values())):
            assert await _allowed(service, topic) == (topic in own), topic
        await _fenced(service, {"ta01": heard}, {"ta01": OURS.state})
        assert {m.topic for m in heard.messages} <= own | set().union(*WRITES.values())


async def _allowed(who: Connection, topic: str) -> bool:
    try:
        await who.send(topic, b"y")
    except PublishRefusedError:
        return False
    return True


@pytest.mark.parametrize("name", ["ta01-dealer", "ta01-floor", "historian", "stranger"])
async def test_a_will_gives_no_login_a_right(name: str, shipped: SiteBroker) -> None:
    """Try to publish by dying: an offline status, a state, and the input of another role, in the service's name."""
    who = shipped.site.client(name, shipped.tls)
    forged = (OURS.status("field"), OURS.state, OURS.input("supervisor", "ta01-supervisor"))
    async with connection(shipped.service("ta01"), "ta01", ("#",)) as (service, heard):
        for topic in forged:
            async with connection(who, name, will=(topic, b"forged")):
                pass
            # The broker publishes a client's will before it lets in a second one with its id: that one is the fence.
            async with connection(who, name) as (again, _):
                assert not await _allowed(again, topic)
        await service.send(OURS.head, LAST)
        await heard.until(lambda: LAST in heard.payloads(OURS.head))
        assert not [topic for topic in forged if heard.payloads(topic)]


def strangers(shipped: SiteBroker, folder: Path) -> dict[str, BrokerSettings]:
    """Who must not get in, by what is wrong with them."""
    foreign = Site(folder, trustme.CA())
    cert, key = foreign.certificate("ta01-dealer")
    good = shipped.site.client("ta01-dealer", shipped.tls)
    wrong = folder / "wrong"
    wrong.write_text("wrong")
    return {
        "nobody's certificate": replace(good, cert=None, key=None),
        "another authority's certificate": replace(good, cert=cert, key=key),
        "no TLS at the TLS port": settings(shipped.tls),
        "a broker that another authority signed": replace(good, ca=foreign.ca),
        "nobody at the services' port": settings(shipped.plain),
        "a wrong password": replace(shipped.service("ta01"), password_file=wrong),
        "a login that is no table": shipped.service("ta99"),
    }


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # paho leaves a socket whose handshake failed to the collector
async def test_who_is_not_known_does_not_get_in(shipped: SiteBroker, tmp_path: Path) -> None:
    folder = tmp_path / "foreign"
    folder.mkdir()
    for what, who in strangers(shipped, folder).items():
        stranger = Connection(who, "stranger", lambda _: None)
        with pytest.raises(BusError) as refused:
            await stranger.open()
        await stranger.dropped()
        if "password" in what or "login" in what or "services'" in what:
            assert isinstance(refused.value, AccessRefusedError), what
        del stranger, refused
    gc.collect()


async def test_the_longest_row_passes_and_a_longer_message_costs_its_sender_alone(shipped: SiteBroker) -> None:
    topic = OURS.event("shoe", "shoe.stack")
    async with connection(shipped.service("ta01"), "ta01", (OURS.events,)) as (service, heard):
        await service.send(topic, b"x" * 100_000)
        await heard.until(lambda: len(heard.messages) == 1)
        async with connection(shipped.site.client("ta01-dealer", shipped.tls), "pad") as (hostile, _):
            with pytest.raises(BusError):
                await hostile.send(OURS.input("dealer", "ta01-dealer"), b"x" * (2 * MAX_BYTES))
        await service.send(topic, b"still here")
        await heard.until(lambda: len(heard.messages) == 2)
