"""A void that is refuted: what was dealt and keyed meanwhile counts, card for card, and nothing hidden is published."""

import pytest

from pitwarden.rules.queries.layout import placed_cards
from pitwarden.rules.state.round import MOST_ASIDE
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events import floor as ft
from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.dealer_irregularities import KpFaceUp
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDecision, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpClose, KpNoMoreBets
from testkit.tables.rules_table import RulesTable, dealt_table, setup_of, words


def laid(state: RulesState) -> dict[str, str]:
    return {slot.name: face_name(draw.face) for slot, draw in placed_cards(state.setup, state.round)}


def refute(table: RulesTable, sentence: str) -> list[str]:
    case = next(one for one in table.state.cases if one.live and sentence in one.said.sentence)
    return words(table.key(ft.Refute(irregularity=case.said.ref, reason="seen on the recording")))


def test_cards_of_the_deal_that_were_dealt_in_the_void_follow_the_refuted_one() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.draw("2C", up=True)
    table.draw("3C")
    table.draw("4C")
    assert refute(table, "face up")[:1] == ["CB-35 refuted"]
    assert list(laid(table.state).values()) == ["2C", "3C", "4C"]


def test_stacks_of_the_deal_that_were_dealt_in_the_void_count_in_order() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.stack(7, "2H 3H 4H 5S 6S 7S 8S")
    table.key(KpFaceUp())
    assert table.state.round.void
    table.stack(7, "2C 3C 4C 5D 6D 7D 8D")
    said = refute(table, "face up")
    assert not any(one.startswith("reveal") for one in said)
    assert table.state.round.deal.stacks == (7, 7)
    assert [face_name(card.face) for card in table.state.round.deal.dealt][7:] == [
        "2C",
        "3C",
        "4C",
        "5D",
        "6D",
        "7D",
        "8D",
    ]


def test_a_pass_that_ended_in_the_void_has_ended_and_the_deal_stays_sealed_until_the_hole_card_is_shown() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpDeal())
    table.draw("9C")
    table.draw("8C", up=True)
    table.draw("7D", up=True)
    assert table.state.round.void
    table.key(KpClose(window="attack2"))
    table.draw("6S")
    said = refute(table, "than permitted")
    assert not any(one.startswith("reveal") for one in said)
    assert laid(table.state) == {"box1.1": "9C", "box2.1": "7D", "dealer.1": "6S"}
    assert table.state.round.deal.marks == (2,)
    assert table.state.round.exceptions.found_doubt


def test_a_decision_that_was_keyed_in_the_void_has_its_card() -> None:
    table = dealt_table()
    table.draw("8C", up=True)
    table.draw("7D", up=True)
    table.key(KpDecision(box=1, decision="hit"))
    table.draw("2H")
    refute(table, "than permitted")
    hand = table.state.round.play.hands[0]
    assert [face_name(card.face) for card in hand.cards] == ["5C", "6D", "7D"]
    assert [face_name(card.face) for card in table.state.round.exceptions.extras] == ["2H"]
    assert "reveal dealer.2" in words(table.key(KpHoleUp())) + words(table.key(KpHoleUp()))


@pytest.mark.parametrize("rows", [MOST_ASIDE - 1, MOST_ASIDE + 20])
def test_a_void_round_sets_a_bounded_number_of_rows_aside(rows: int) -> None:
    table = dealt_table()
    table.draw("8C", up=True)
    table.draw("7D", up=True)
    for _ in range(rows):
        table.draw("2H")
    assert len(table.state.round.exceptions.aside) == min(rows, MOST_ASIDE)


def test_a_new_round_has_nothing_of_the_void_one() -> None:
    table = dealt_table()
    table.draw("8C", up=True)
    table.draw("7D", up=True)
    table.draw("2H")
    table.finish()
    assert not table.state.round.open
    table.key(KpBoxes(boxes=(1,)))
    assert table.state.round.exceptions.aside == ()
