"""`pitwarden watch` in a real terminal, from the contract alone: three stories, and what it says when it is stale."""

from pathlib import Path

import pytest

from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.processes.terminal import terminal

pytestmark = [pytest.mark.broker, pytest.mark.slow]

Night = tuple[PublishedMessage, ...]


@pytest.fixture
def jam() -> Night:
    return published_night("cb-auto", "1", 3, "shoe_jam")


@pytest.fixture
def ten() -> Night:
    return published_night("tab-shielded", "2", 2, "stray_ten")


@pytest.fixture
def stub() -> Night:
    return published_night("cb-manual", "1", 6, "stub_overdue")


def says(*words: bytes) -> "Says":
    return Says(words)


class Says:
    """Takes the first state that has all of these words."""

    def __init__(self, words: tuple[bytes, ...]) -> None:
        self._words = words

    def __call__(self, said: PublishedMessage) -> bool:
        return said.channel.name == "state" and all(word in said.payload for word in self._words)


def watch(table: ReplayedTable, port: int, *words: str) -> tuple[str, ...]:
    at = "/".join(table.topics.root.split("/")[2:])
    return ("watch", "--broker", f"mqtt://127.0.0.1:{port}", "--table", at, *words)


async def test_a_jam_voids_a_round_and_the_shuffle_clears_it(
    broker: MosquittoBroker, tmp_path: Path, jam: Night
) -> None:
    async with replayed_table("cb-auto", jam, broker.port, tmp_path) as table:
        await table.publish_next(until=lambda said: b'"slot":"box5.3"' in said.payload)
        async with terminal(*watch(table, broker.port)) as screen:
            await screen.sees(
                "silent/cb-auto | three-card-blitz | round 1 | box 5 is up | SIMULATED",
                "PERMIT granted", "no open irregularity", "dealer 4C 8S 9C 9S 10S KS 8H", "box 5 7D AS QD",
                "deck A in play, 28 drawn, no stub counted in 0 rounds, shuffler counted 52",
                "shoe online, passed inspection 18:00 UTC",
            )  # fmt: skip
            await screen.sees_no("STALE")
            await table.publish_next(until=says(b"CB-38"))
            await screen.sees(
                "round 2 | no more bets: the deal", "PERMIT withheld: CB-38 holds the table",
                ">1 CB-38 VOID SHUFFLE (open): The dealing shoe failed during the deal. The round is void",
                "13:69F-51.12(d) (text); round 2, deck B, shoe",
                "The dealer acts. Cleared when: the wagers are returned and the round ends; then deck B is shuffled.",
            )  # fmt: skip
            await screen.sees_no("dealer 4C")  # a card of the round before
            screen.press("a")
            await screen.sees("to key anything, start with --role and --person")
            await table.publish_next(until=says(b'"irregularities":[]', b'"granted":true'))
            await screen.sees("no open irregularity", "PERMIT granted")
            screen.press("q")
            await screen.waits(lambda: screen.closed)


async def test_a_stray_ten_holds_the_table_until_the_floorperson_destroys_it(
    broker: MosquittoBroker, tmp_path: Path, ten: Night
) -> None:
    async with replayed_table("tab-shielded", ten, broker.port, tmp_path) as table:
        await table.publish_next(until=says(b"TAB-37"))
        words = watch(table, broker.port, "--role", "floor", "--person", "f7")
        async with terminal(*words, columns=60, rows=20) as screen:
            await screen.sees(
                ">1 TAB-37 DESTROY HOLD (open): A 10 was found in the shoe", "13:69F-36.14(b) (text)",
                "The floorperson acts. Cleared when: the floorperson destroys the 10.",
            )  # fmt: skip
            assert screen.style(">1 TAB-37")[1], "an open irregularity stands out"
            screen.press("c")
            await screen.sees("ft.ten_destroyed", "enter keys this")
            screen.press("\r")
            await screen.sees("ft.ten_destroyed: accepted as row")
            [(role, wanted)] = table.keyed
            assert (role, wanted.person, wanted.act.act) == ("floor", "f7", "ft.ten_destroyed")
            assert wanted.as_of is not None
            assert wanted.as_of.number == len(table.rows)
            await table.publish_next(until=says(b'"irregularities":[]'))
            await screen.sees("no open irregularity")


async def test_an_overdue_stub_count_is_acknowledged_and_refuted_only_by_who_may(
    broker: MosquittoBroker, tmp_path: Path, stub: Night
) -> None:
    async with replayed_table("cb-manual", stub, broker.port, tmp_path) as table:
        await table.publish_next(until=says(b'"status":"due"'))
        words = watch(table, broker.port, "--role", "dealer", "--person", "d1")
        async with terminal(*words) as screen:
            await screen.sees(
                "duty DUE: Count the stub of deck A. It was last counted 5 rounds ago. CB-14 13:69F-51.7(e)",
                "the dealer acts",
            )
            await table.publish_next(until=says(b"CB-14", b"overdue", b'"status":"open"'))
            await screen.sees(
                "duty OVERDUE: Count the stub",
                "CB-14 HOLD (open): The stub of deck A was last counted 6 rounds ago (limit 5)",
                "Cleared when: deck A is counted complete or the floorperson verifies deck A.",
            )  # fmt: skip
            screen.press("a")
            await screen.sees("CB-14 is about an act of your own, or of your role: another acknowledges it")
            screen.press("r")
            await screen.sees("refute irregularity=")
            screen.press("counted\r")
            await screen.sees("a dealer may not key refute")
            screen.press("\x1b")
            assert table.keyed == []
            await table.publish_next(until=says(b'"irregularities":[]', b'"duties":[]'))
            await screen.sees("no open irregularity")
            await screen.sees_no("duty")
            await screen.sees("stub ")


async def test_a_screen_says_that_it_is_stale_and_keys_nothing_on_it(
    broker: MosquittoBroker, tmp_path: Path, jam: Night
) -> None:
    async with replayed_table("cb-auto", jam, broker.port, tmp_path) as table:
        await table.publish_next(until=says(b"CB-38"))
        async with terminal(*watch(table, broker.port, "--role", "floor", "--person", "f7")) as screen:
            await screen.sees(">1 CB-38")
            await _gone(table, "judge")
            await screen.sees("STALE: the judge is offline", "PERMIT not known now; it was withheld")
            screen.press("a")
            await screen.sees("what is shown is stale: nothing is keyed on it")
            await _gone(table, "field")
            await screen.sees("STALE: the table's controller is offline", "shoe lost")
            broker.kill()
            await screen.sees("STALE: no connection to 127.0.0.1")
            assert screen.style("STALE")[0] != "default"
            assert table.keyed == []


async def test_a_pit_is_one_line_for_each_table(
    broker: MosquittoBroker, tmp_path: Path, jam: Night, ten: Night
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    async with (
        replayed_table("cb-auto", jam, broker.port, one) as first,
        replayed_table("tab-shielded", ten, broker.port, two) as second,
    ):
        await first.publish_next(until=says(b"CB-38"))
        await second.publish_next(until=says(b"TAB-37"))
        async with terminal(*watch(first, broker.port, "--table", "silent/tab-shielded")) as screen:
            await screen.sees(
                "silent/cb-auto: round 2, 1 open, WITHHELD: CB-38 holds the table",
                "silent/tab-shielded: round 2, 1 open, WITHHELD: TAB-37 holds the table", ">1 CB-38",
            )  # fmt: skip
            screen.press("n")
            await screen.sees(">1 TAB-37")


async def _gone(table: ReplayedTable, part: str) -> None:
    await table.publish(table.topics.status(part), encode(PartStatus(online=False, run="told")), retain=True)
