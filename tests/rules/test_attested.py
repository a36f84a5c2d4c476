"""What the house attests: asked for where the text does so before play; refused when missing, strange or too early."""

from dataclasses import replace
from datetime import date

import pytest

from pitwarden.rules import DeviceSetup, HousePolicy, SetupError, TableSetup, load_profile, validate_setup
from pitwarden.rules.setup.requirements import future_attestations, required_attestations
from pitwarden.rules.setup.table_setup import Attestation
from testkit.tables.rules_table import setup_of

SHOE = DeviceSetup("shoe", "shoe")
READER = DeviceSetup("reader", "reader", player_visible=False)
SHUFFLER = DeviceSetup("shuffler", "shuffler", procedure_ref="IC-1")


def table(game: str, decks: int | None, *devices: DeviceSetup, policy: HousePolicy | None = None) -> TableSetup:
    made = replace(setup_of("TAB"), profile=load_profile(game, decks), positions=6, devices=devices)
    return replace(made, policy=policy or HousePolicy(), attested=())


def attesting(setup: TableSetup, *clauses: str, on: str = "2026-01-05") -> TableSetup:
    return replace(setup, attested=tuple(Attestation(clause, "A. Example", on) for clause in clauses))


@pytest.mark.parametrize(
    ("setup", "asked"),
    [
        (table("triple-attack-blackjack", 8, SHOE), ["G-05", "G-11"]),
        (table("triple-attack-blackjack", 8, SHOE, READER), ["G-05", "G-11", "TAB-51"]),
        (replace(table("three-card-blitz", 1, SHUFFLER), mode="hand"), ["G-05"]),
        (table("switch-hands", 6, SHOE), ["G-05", "G-11", "G-16"]),
        (table("switch-hands", 6, SHOE, policy=HousePolicy(batch_swap=True)), ["G-05", "G-11", "G-16", "SH-25"]),
        (
            table("switch-hands", 6, SHOE, policy=HousePolicy(cutcard_policy="virtual")),
            ["G-05", "G-11", "G-16", "SH-25"],
        ),
    ],
    ids=lambda value: value.profile.game if isinstance(value, TableSetup) else "-".join(value),
)
def test_what_the_texts_ask_for_before_play_depends_on_game_devices_and_switches(
    setup: TableSetup, asked: list[str]
) -> None:
    assert [clause.ident for clause in required_attestations(setup)] == asked
    with pytest.raises(SetupError) as refused:
        validate_setup(setup)
    assert [one.key for one in refused.value.unfit] == [("attestations", clause) for clause in asked]
    assert "is missing, and the text asks for it before play" in str(refused.value)
    assert validate_setup(attesting(setup, *asked))


def test_a_number_that_no_house_attests_is_refused() -> None:
    setup = table("triple-attack-blackjack", 8, SHOE)
    with pytest.raises(SetupError) as refused:
        validate_setup(attesting(setup, "G-05", "G-11", "TAB-36", "CB-40"))
    assert [one.key[1] for one in refused.value.unfit] == ["TAB-36", "CB-40"]
    assert validate_setup(attesting(setup, "G-05", "G-11", "TAB-50"))


def test_an_attestation_of_tomorrow_is_refused_with_its_clause() -> None:
    setup = attesting(table("triple-attack-blackjack", 8, SHOE), "G-05", on="2026-01-06")
    assert list(future_attestations(setup, date(2026, 1, 6))) == []
    (late,) = future_attestations(setup, date(2026, 1, 5))
    assert late.key == ("attestations", "G-05", "on")
    assert "2026-01-06, which is yet to come (G-05: 13:69E-1.17(e)" in str(late)
    assert list(future_attestations(replace(setup, attested=None), date(2026, 1, 5))) == []
