"""Facts that a case awaits become the facts and the sentence of a published irregularity.

tests/scenarios/test_scenarios.py holds facts and sentences of all scenarios against each other.
"""

import pytest

from pitwarden.rules.profile.facts import UNSAID, ClearingStep, Fact, clearing_steps, deck_fact, fact, remedy_text
from pitwarden_client.events.outputs import Irregularity


@pytest.mark.parametrize(
    ("awaits", "steps", "sentence"),
    [
        (((fact("noted"),),), [[("noted", None)]], "the floorperson's ruling"),
        (
            ((fact("round_end"),), (deck_fact("shuffled", "A"), deck_fact("loaded", "A"))),
            [[("round_end", None)], [("shuffled", "A"), ("loaded", "A")]],
            "the wagers are returned and the round ends; then deck A is shuffled or deck A goes into the shoe",
        ),
        (((deck_fact("counted", "B"), Fact(UNSAID, "B")),), [[("counted", "B")]], "deck B is counted complete"),
        ((), [], ""),
    ],
)
def test_facts_become_steps_and_alternatives(
    awaits: tuple[ClearingStep, ...], steps: list[list[tuple[str, str | None]]], sentence: str
) -> None:
    made = clearing_steps(awaits)
    assert [[(fact.kind, fact.subject) for fact in step] for step in made] == steps
    assert remedy_text(made) == sentence


def test_a_table_with_more_decks_than_the_contract_has_room_for_is_cut() -> None:
    made = clearing_steps((tuple(deck_fact("returned", f"d{n}") for n in range(100)),) * 100)
    assert (len(made), {len(step) for step in made}) == (64, {32})
    case = Irregularity(
        ref="e-1-0", catalogue="X", clauses=(), verdicts=("HOLD",), basis="house", status="open", actor="dealer",
        clears=remedy_text(made), clears_facts=made, sentence="s",
    )  # fmt: skip
    assert len(case.clears) == 500
