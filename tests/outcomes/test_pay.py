"""Pay tables: those of the texts stand, others are refused at start unless approved; a table file says which."""

from dataclasses import replace
from fractions import Fraction

import pytest

from pitwarden.rules import HousePolicy, SetupError, TableSetup, load_profile, validate_setup
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden.rules.profile.pay_tables import PayChoice, parse_odds
from testkit.tables.rules_table import setup_of

PROFILES = {name: load_profile(name, default_decks(name)) for name in NAMES}


def refused(game: str, *pay: PayChoice, policy: HousePolicy | None = None) -> list[str]:
    setup: TableSetup = replace(
        setup_of("TAB"), profile=PROFILES[game], positions=6, devices=setup_of("TAB").devices[:1], pay=pay,
        policy=policy or HousePolicy(),
    )  # fmt: skip
    try:
        validate_setup(setup)
    except SetupError as error:
        return [f"{'.'.join(one.key)} {one.clause}: {one.reason}" for one in error.unfit]
    return []


def test_every_pay_table_of_the_texts_stands_once_it_is_posted() -> None:
    for name, profile in PROFILES.items():
        for table in profile.pay:
            assert refused(name, PayChoice(table.wager, table.name, posted=True)) == []
            assert "is not posted" in refused(name, PayChoice(table.wager, table.name))[0]


@pytest.mark.parametrize(
    ("game", "choice", "reason"),
    [
        ("triple-attack-blackjack", PayChoice("suited_royals", posted=True), "say which pay table is posted"),
        ("triple-attack-blackjack", PayChoice("streak", "A", posted=True), "have no pay table for streak"),
        ("three-card-blitz", PayChoice("blind", "4", posted=True), "'4' is no pay table of blind: 1, 2, 3"),
        ("three-card-blitz", PayChoice("blind", "1", posted=True, lines=(("blitz", "5 to 1"),)), "blitz pays 4 to 1"),
        ("three-card-blitz", PayChoice("blind", "1", posted=True, lines=(("bliz", "4 to 1"),)), "bliz is no line"),
        (
            "three-card-blitz",
            PayChoice("blind", "1", posted=True, lines=(("bliz", "4 to 1"),), approved="DGE-1"),
            "bliz is no line",
        ),
        (
            "blackjack-in-between",
            PayChoice("ib", "A", posted=True, lines=(("one_card_spread", "11 to 1"),)),
            "one_card_spread pays at least 12 to 1",
        ),
        (
            "blackjack-in-between",
            PayChoice("ib", "A", posted=True, lines=(("one_card_spread", "twice"),)),
            "one_card_spread pays at least 12 to 1",
        ),
        ("blackjack-in-between", PayChoice("ib", "A", posted=True, minimum=5, maximum=4), "minimum is above"),
    ],
)
def test_what_no_text_has_is_refused(game: str, choice: PayChoice, reason: str) -> None:
    assert len(refused(game, choice)) == 1
    assert reason in refused(game, choice)[0]


def test_what_is_at_least_the_text_or_approved_stands() -> None:
    more = PayChoice("ib", "A", posted=True, lines=(("one_card_spread", "13 to 1"), ("two_card_spread", "6 to 1")))
    other = PayChoice("blind", "1", posted=True, lines=(("blitz", "5 to 1"),), approved="DGE-1")
    assert refused("blackjack-in-between", more) == []
    assert refused("three-card-blitz", other) == []
    assert len(refused("three-card-blitz", other, other)) == 1


@pytest.mark.parametrize(
    ("game", "policy", "named"),
    [
        ("triple-attack-blackjack", HousePolicy(draw="S17"), "rules.draw G-14"),
        ("double-attack-blackjack", HousePolicy(draw="H17"), "rules.draw G-14"),
        ("three-card-blitz", HousePolicy(draw="S17"), "rules.draw PW-SETUP"),
        ("switch-hands", HousePolicy(bettors=2), "rules.bettors SH-26"),
        ("three-card-blitz", HousePolicy(bettors=2), "rules.bettors PW-SETUP"),
        ("triple-attack-blackjack", HousePolicy(both_blackjacks="paid"), "rules.both_blackjacks PW-SETUP"),
        ("triple-attack-blackjack", HousePolicy(blackjack_against_21="win"), "rules.blackjack_against_21 PW-SETUP"),
        ("switch-hands", HousePolicy(early_window="alert"), "rules.early_window PW-SETUP"),
    ],
)
def test_a_switch_that_the_text_does_not_allow_is_refused(game: str, policy: HousePolicy, named: str) -> None:
    assert [one.split(":")[0] for one in refused(game, policy=policy)] == [named]


def test_switches_that_the_text_has() -> None:
    assert refused("triple-attack-blackjack", policy=HousePolicy(draw="H17", bettors=3)) == []
    assert refused("switch-hands", policy=HousePolicy(draw="S17", bettors=1, both_blackjacks="paid")) == []


def test_odds_are_read_or_are_words() -> None:
    assert [parse_odds(pays) for pays in ("40 to 1", "3 to 2", "push", "Jackpot Meter 1", "0 to 1")] == [
        Fraction(40), Fraction(3, 2), Fraction(0), None, None,
    ]  # fmt: skip
