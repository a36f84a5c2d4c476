"""Form (b) of docs/explanation/secrecy.md: before its input, a card may be another."""

import random
from functools import cache

import pytest

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.table.setup import CB_AUTO, CB_MANUAL, TAB_SHIELDED, TAB_VISIBLE, SimulatedTableSetup
from testkit.secrecy.disclosure_oracle import HiddenValue, by_kind
from testkit.secrecy.night_variants import answers, for_an_undealt, oracle
from testkit.secrecy.observations import first_difference
from testkit.simulated_service.night import SimulatedNight, SimulatedNightPlan, play

played = cache(play)


def check_equal_until_published(night: SimulatedNight, other: SimulatedNight, secret: HiddenValue) -> None:
    assert first_difference(night.observed.before(secret.public), other.observed.before(secret.public)) == ""
    assert first_difference(night.observed, other.observed) != "", "what became public was the same"


def check_swaps(programme: SimulatedNightPlan, seed: str, each: int) -> set[str]:
    """Swap up to `each` cards of every kind, one night for each; return the kinds that were swapped."""
    chance = random.Random(seed)  # noqa: S311  a test's choice, no secret
    night = played(programme)
    kinds = set()
    for kind, secrets in by_kind(oracle(night).secrets):
        cards = [secret for secret in secrets if secret.cycle is not None]
        for secret in chance.sample(cards, min(each, len(cards))):
            other = play(programme, for_an_undealt(night, secret, chance.randrange(1_000)))
            check_equal_until_published(night, other, secret)
            kinds.add(kind)
    return kinds


@pytest.mark.parametrize("setup", [TAB_SHIELDED, TAB_VISIBLE], ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1"])
def test_a_card_of_triple_attack_blackjack(setup: SimulatedTableSetup, seed: str) -> None:
    kinds = check_swaps(SimulatedNightPlan(setup, seed, 2), seed, 1)
    assert kinds >= {"first", "up", "second", "hit", "hole"}


@pytest.mark.parametrize("setup", [CB_AUTO, CB_MANUAL], ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", ["1"])
def test_a_card_of_three_card_blitz(setup: SimulatedTableSetup, seed: str) -> None:
    kinds = check_swaps(SimulatedNightPlan(setup, seed, 2), seed, 1)
    assert kinds == {"hand of a box", "hand dealer"}


@pytest.mark.parametrize("setup", [TAB_SHIELDED, TAB_VISIBLE], ids=lambda setup: setup.table)
def test_the_answer_of_the_reader(setup: SimulatedTableSetup) -> None:
    programme = SimulatedNightPlan(setup, "2", 3)
    night = played(programme)
    secrets = answers(night)
    assert secrets
    for number, secret in enumerate(secrets, start=1):
        check_equal_until_published(night, play(programme, lies_at=number), secret)


def fault(name: str) -> Fault:
    return next(fault for fault in load_faults() if fault.name == name)


def test_an_answer_that_comes_before_insurance_is_closed() -> None:
    programme = SimulatedNightPlan(TAB_SHIELDED, "1", 2, (fault("early_reader_insert"),))
    night = played(programme)
    number, secret = next((n, s) for n, s in enumerate(answers(night), start=1) if s.public > s.row)
    check_equal_until_published(night, play(programme, lies_at=number), secret)


@pytest.mark.parametrize(
    ("setup", "name"),
    [(TAB_SHIELDED, "reader_misuse_shielded"), (TAB_VISIBLE, "reader_misuse_visible")],
    ids=["shielded", "visible"],
)
def test_an_answer_on_a_wrong_up_card_is_never_published(setup: SimulatedTableSetup, name: str) -> None:
    programme = SimulatedNightPlan(setup, "1", 2, (fault(name),))
    night = played(programme)
    number = next(n for n, secret in enumerate(answers(night), start=1) if not secret.public)
    assert first_difference(night.observed, play(programme, lies_at=number).observed) == ""
