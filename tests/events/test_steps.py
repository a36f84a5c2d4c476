"""The step of a round in words, from the act that was keyed."""

import pytest

from pitwarden_client.events.base import Record
from pitwarden_client.events.dealer_cards import KpStub
from pitwarden_client.events.dealer_play import KpBoxes, KpDecision, KpRoundEnd
from pitwarden_client.events.floor import FtTableOpen
from pitwarden_client.events.steps import step_for_act


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (FtTableOpen(), "the table is open"),
        (KpBoxes(boxes=(1, 3)), "boxes 1, 3 are in play"),
        (KpDecision(box=2, decision="hit"), "box 2: hit"),
        (KpStub(count=24), "the stub is counted: 24"),
        (KpRoundEnd(), "between rounds"),
    ],
)
def test_an_act_that_moves_a_round_is_a_step(act: Record, words: str) -> None:
    assert step_for_act(act) == words


def test_another_act_is_no_step() -> None:
    assert step_for_act(Record()) == ""
