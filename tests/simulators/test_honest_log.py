"""The honest night's log is exactly the agreement between rules, scenarios and simulators, read by a grammar."""

import re
from itertools import pairwise

import pytest

from pitwarden_client.events.dealer_play import KpBoxes, KpDecision
from pitwarden_client.events.dealer_wagers import KpClose, KpOpen
from pitwarden_client.events.inputs import InputLogged
from pitwarden_simulators.in_memory.rows import InMemoryRow
from pitwarden_simulators.table.setup import CB_AUTO, CB_MANUAL, TAB_SHIELDED, TAB_VISIBLE, SimulatedTableSetup
from testkit.nights.in_memory_night import play

SILENT = ("clock.tick", "permit.applied", "device.health", "device.identified")


def word(row: InMemoryRow) -> str:
    """One word per row; boxes carry their number, decisions their name."""
    if not isinstance(row.data, InputLogged):
        return row.data.kind.removeprefix("shoe.")
    match row.data.act:
        case KpBoxes() as act:
            return f"boxes{len(act.boxes)}"
        case KpDecision() as act:
            return act.decision
        case KpClose() | KpOpen() as act:
            return f"{act.act.removeprefix('kp.')}:{act.window}"
        case act:
            return act.act.removeprefix("kp.")


def words(rows: tuple[InMemoryRow, ...]) -> list[str]:
    return [word(row) for row in rows if row.data.kind not in SILENT]


def tab_round(boxes: int) -> str:
    hand = r"(stand |(hit|double) card |split card |card )*"
    insurance = r"(open:insurance close:insurance )?"
    reader = r"(reader\.inserted reader\.result )?"
    cards = f"(card ){{{boxes}}}"
    deal = f"boxes{boxes} deal {cards}close:attack2 card close:attack3 {cards}card dealt {insurance}{reader}"
    play = f"(bonus_settled {hand}){{{boxes}}}hole_up (insurance_settled )?(dealer_draw card )*"
    return f"{deal}({play}|hole_up (insurance_settled )?)round_end "


TAB_SHUFFLE = r"shuffler\.started shuffler\.done loaded "
TAB_BURN = r"card (burn_request burn_request )?"
TAB_OPENING = rf"ft\.table_open (ft\.inspect ){{3}}ft\.deck_opened ft\.opening {TAB_SHUFFLE}dealer {TAB_BURN}"
TAB_BETWEEN = rf"(unloaded {TAB_SHUFFLE}{TAB_BURN})?(dealer {TAB_BURN})?"


def cb_round(setup: SimulatedTableSetup, boxes: int) -> str:
    cards = f"(stack ){{{boxes + 1}}}" if setup.automated else f"(card ){{{7 * (boxes + 1)}}}"
    unloaded = "unloaded " if setup.automated else ""
    stub = "" if setup.counting else "(stub )?"
    end = r"collected loaded " if len(setup.decks) > 1 else ""
    shuffle = r"shuffler\.started shuffler\.done " + ("" if end else "loaded ")
    deal = f"boxes{boxes} no_more_bets {cards}((play|fold) ){{{boxes}}}{stub}{unloaded}dealer_reveal "
    return f"{deal}(reveal ){{0,{boxes}}}round_end {end}{shuffle}"


def matched(pattern: str, text: str, at: int) -> int:
    found = re.compile(pattern).match(text, at)
    assert found, f"expected {pattern}\nfound {text[at : at + 300]}"
    return found.end()


def without_cutting_card(text: str) -> str:
    return text.replace(" cut ", " ")


@pytest.mark.parametrize("setup", [TAB_SHIELDED, TAB_VISIBLE], ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_fifty_rounds_of_triple_attack_blackjack_read_as_agreed(setup: SimulatedTableSetup, seed: str) -> None:
    played = play(setup, seed, 50)
    text = " ".join(words(played.rows)) + " "
    assert text.count(" cut ") >= 1
    text = without_cutting_card(text)
    at = matched(TAB_OPENING, text, 0)
    for _ in range(50):
        boxes = int(re.compile(r"boxes(\d)").match(text, at)[1])  # type: ignore[index]
        at = matched(tab_round(boxes), text, at)
        at = matched(TAB_BETWEEN, text, at)
    assert at == len(text)


@pytest.mark.parametrize("setup", [CB_AUTO, CB_MANUAL], ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_fifty_rounds_of_three_card_blitz_read_as_agreed(setup: SimulatedTableSetup, seed: str) -> None:
    played = play(setup, seed, 50)
    text = " ".join(words(played.rows)) + " "
    opened = r"ft\.deck_opened ft\.opening shuffler\.started shuffler\.done "
    at = matched(rf"ft\.table_open (ft\.inspect ){{2}}({opened}){{{len(setup.decks)}}}loaded dealer ", text, 0)
    for _ in range(50):
        boxes = int(re.compile(r"boxes(\d)").match(text, at)[1])  # type: ignore[index]
        at = matched(cb_round(setup, boxes), text, at)
    assert at == len(text)
    assert ("stub " in text) is not setup.counting


def test_the_same_seed_gives_the_same_night_and_another_seed_another() -> None:
    assert play(TAB_VISIBLE, "5", 10).rows == play(TAB_VISIBLE, "5", 10).rows
    assert play(TAB_VISIBLE, "5", 10).rows != play(TAB_VISIBLE, "6", 10).rows


def test_rows_are_numbered_without_a_gap_and_time_never_runs_back() -> None:
    rows = play(CB_MANUAL, "1", 5).rows
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert all(a.log_ms <= b.log_ms for a, b in pairwise(rows))
