"""The slip driver in short: nothing hidden leaves the running service, and a service that tells it is found out."""

from pathlib import Path

import pytest

from pitwarden_client.events.base import Position
from pitwarden_tools.slips.night import SlipRoundRecord, faces_of, faults_of, play_night
from pitwarden_tools.slips.observer import Published
from pitwarden_tools.worlds.command import WorldsJob
from pitwarden_tools.worlds.deal import HouseOptions
from pitwarden_tools.worlds.games import GAMES
from pitwarden_tools.worlds.rows import WorldRow
from pitwarden_tools.worlds.walk import PlayedCourse
from testkit.brokers.mosquitto import MosquittoBroker

_LIVE = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(120)]
TRUSTING = "import pitwarden.rules.transitions.hole_card as hole; hole._nothing_before = lambda _: True\n"
"""A service that takes each `kp.hole_up` at its word."""


@pytest.mark.parametrize("game", [pytest.param(game, marks=_LIVE) for game in GAMES])
async def test_nothing_hidden_leaves_the_running_service(game: str, broker: MosquittoBroker, tmp_path: Path) -> None:
    plan = WorldsJob(HouseOptions(GAMES[game], boxes=3, dealt=True), seed=1_300, rounds=3, epochs=0)
    result = await play_night(plan, broker, tmp_path / "night")
    assert (result.early, result.wrong) == ([], [])
    assert result.rounds == 3
    assert result.published > 2 * 3


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_nor_where_the_field_half_is_killed_in_mid_round(broker: MosquittoBroker, tmp_path: Path) -> None:
    plan = WorldsJob(HouseOptions(GAMES["TAB"], dealt=True), seed=2_000, rounds=2, epochs=1)
    result = await play_night(plan, broker, tmp_path / "night")
    assert (result.early, result.wrong, result.rounds) == ([], [], 2)


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_service_that_trusts_a_mistaken_key_is_found_out(broker: MosquittoBroker, tmp_path: Path) -> None:
    plan = WorldsJob(HouseOptions(GAMES["TAB"], boxes=3, dealt=True), seed=3_585, rounds=1, epochs=0)
    result = await play_night(plan, broker, tmp_path / "night", before=TRUSTING)
    assert any("hole_up" in found for found in result.early)


def record() -> SlipRoundRecord:
    """Two cards on rows 1 and 2 of the course; the second is turned on its row 3. The log has two rows before."""
    played = PlayedCourse(
        [WorldRow("card", faces=(0,)), WorldRow("card", faces=(1,)), WorldRow("key", "hole_up")],
        {1: 1, 2: 3},
        "no slip",
    )
    ends = [Position(epoch="e1", number=number) for number in (3, 4, 6)]
    return SlipRoundRecord(played, {("e1", 3, 0): 1, ("e1", 4, 0): 2}, ends)


@pytest.mark.parametrize(
    ("number", "face", "early", "wrong"),
    [(6, "2C", 0, 0), (5, "2C", 1, 0), (4, "2C", 1, 0), (7, "2C", 0, 0), (6, "3C", 0, 1)],
    ids=["in time", "between two rows", "as drawn", "behind the round", "another face"],
)
def test_what_is_published_is_compared_with_the_row_that_published_it(
    number: int, face: str, early: int, wrong: int
) -> None:
    published = [Published(("e1", 4, 0), face, Position(epoch="e1", number=number))]
    found = faults_of(record(), published, ["e1"])
    assert tuple(map(len, found)) == (early, wrong)


def test_a_card_of_no_round_is_wrong() -> None:
    published = [Published(("e0", 9, 0), "2C", Position(epoch="e1", number=6))]
    assert faults_of(record(), published, ["e1"])[1] == ["row 6 published ('e0', 9, 0), which is no card of its round"]


def test_an_answer_counts_as_a_card() -> None:
    played = PlayedCourse(
        [WorldRow("card", faces=(0, 1)), WorldRow("device", "result", bit=True), WorldRow("stack", faces=(2,))]
    )
    assert faces_of(played) == {1: "AC", 2: "2C", 3: "blackjack", 4: "3C"}
