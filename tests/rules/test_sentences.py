"""Sentences for people whose numbers a scenario file cannot compare: they must not contradict the table."""

from pathlib import Path

from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden_client.events.outputs import Irregularity, Notice

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def sentences(name: str) -> list[str]:
    """Return what a scenario publishes for people, in its order."""
    played = play_scenario(parse_scenario((SCENARIOS / name).read_text(encoding="utf-8"), name))
    said = [one for line in played.judged for step in line.steps for one in step.outputs]
    return [one.sentence for one in said if isinstance(one, Irregularity | Notice)]


def test_a_notice_on_a_pass_counts_the_card_that_was_drawn_ahead() -> None:
    said = sentences("dab/DAB-19-notice-counts-all-cards.scn")
    assert "5 cards are out, 4 are expected. No card is revealed until a correction is entered." in said


def test_between_rounds_no_next_card_takes_the_place_of_a_second_ten() -> None:
    first, second = sentences("tab/TAB-37-two-tens-between-rounds.scn")
    assert "use the next card" in first
    each = "Destroy each, then shuffle all cards before the next round."
    assert second == f"More than one 10 was found in the shoe. {each}"


def test_in_a_void_round_no_next_card_takes_the_place_of_a_ten() -> None:
    *_, third = sentences("tab/TAB-37-third-ten-in-a-void-round.scn")
    assert third == "A 10 was found in the shoe. The floorperson destroys it."


def test_a_burn_card_is_no_round_that_was_dealt_without_the_permit() -> None:
    burned, dealt = sentences("lifecycle/PW-PERMIT-burn-card-is-no-round.scn")
    aside = "A card that belongs to no round was drawn while dealing was not permitted."
    assert burned == f"{aside} The floorperson decides."
    assert dealt == "A card was drawn while dealing was not permitted (1 round so far). The floorperson decides."
