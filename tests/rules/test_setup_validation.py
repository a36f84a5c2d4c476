"""A table that the rules do not allow is rejected at start, by key and clause; the lists are read strictly."""

from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from typing import Never, cast

import pytest

from pitwarden.rules import DeviceSetup, HousePolicy, ProfileError, SetupError, TableSetup, load_profile, validate_setup
from pitwarden.rules.profile.game_lists import load_lists, parse_lists
from testkit.tables.rules_table import setup_of

TEXT = (files("pitwarden.rules.profile") / "data" / "profiles" / "lists.toml").read_text(encoding="utf-8")
WAGERS = ("2.18", "2.19", "2.20", "2.22", "2.23", "2.24", "2.25", "2.26")
SHOE = DeviceSetup("shoe", "shoe")
SHUFFLER = DeviceSetup("shuffler", "shuffler", procedure_ref="IC-1")
AUTO = DeviceSetup("shoe", "shoe", automated=True, procedure_ref="IC-2")
READER = DeviceSetup("reader", "reader", player_visible=False)


def table(game: str, decks: int | None = None, positions: int = 6, **changes: object) -> TableSetup:
    made = replace(setup_of("TAB"), profile=load_profile(game, decks), positions=positions, devices=(SHOE, SHUFFLER))
    return replace(made, **cast("dict[str, Never]", changes))  # fields of any type


def refusals(setup: TableSetup) -> list[str]:
    try:
        validate_setup(setup)
    except SetupError as refused:
        return [f"{'.'.join(one.key)} {one.clause}" for one in refused.unfit]
    return []


GOOD = [
    table("triple-attack-blackjack", devices=(SHOE, SHUFFLER, READER)),
    table("double-attack-blackjack", 8),
    table("three-card-blitz"),
    table("three-card-blitz", mode="hand", devices=(SHUFFLER,)),
    table("blackjack-in-between", 2, wagers=("2.26",)),
    table(
        "blackjack-in-between",
        2,
        mode="hand",
        policy=HousePolicy(six_to_five=True, cutting_card=2),
        devices=(SHUFFLER,),
    ),
    table(
        "triple-attack-blackjack", devices=(replace(SHOE, side="left"), replace(SHUFFLER, side="left")), rack="right"
    ),
    table("three-card-blitz", devices=(replace(AUTO, side="right"), SHUFFLER), rack="left"),
    table("triple-attack-blackjack", policy=HousePolicy(cutcard_policy="virtual", cut_tolerance=4, resplit_aces=True)),
    table("double-attack-blackjack", 8, policy=HousePolicy(max_splits=1, dealer_first_confirm=True)),
    table("switch-hands", 6, policy=HousePolicy(reader_up=("A", "K"))),
    table(
        "switch-hands", 6, wagers=("2.24",), policy=HousePolicy(bart_carter=True, batch_swap=True, mid_shoe_entry=False)
    ),
]


@pytest.mark.parametrize("setup", GOOD, ids=lambda setup: f"{setup.profile.game}-{setup.mode}")
def test_a_table_that_the_rules_allow_is_not_refused(setup: TableSetup) -> None:
    assert validate_setup(setup) is setup


@pytest.mark.parametrize(
    ("setup", "named"),
    [
        (table("triple-attack-blackjack", mode="hand"), ["table.mode G-07"]),
        (table("switch-hands", 6, positions=7), ["table.positions G-13"]),
        (table("switch-hands", 6, mode="hand"), ["table.mode G-07"]),
        (table("blackjack-in-between", 2, policy=HousePolicy(six_to_five=True)), ["table.mode G-07"]),
        (table("switch-hands", 6, policy=HousePolicy(six_to_five=True)), ["rules.six_to_five G-07"]),
        (table("triple-attack-blackjack", devices=(SHUFFLER,)), ["devices G-22"]),
        (table("triple-attack-blackjack", devices=(replace(SHOE, side="right"),)), ["devices.shoe.side G-12"]),
        (table("triple-attack-blackjack", devices=(replace(AUTO, side="right"),)), ["devices.shoe.side G-12"]),
        (table("three-card-blitz", devices=(replace(AUTO, side="right"),), rack="right"), ["devices.shoe.side G-12"]),
        (table("three-card-blitz", rack="left"), ["table.rack G-12"]),
        (
            table("triple-attack-blackjack", devices=(SHOE, replace(SHUFFLER, side="right")), rack="right"),
            ["devices.shuffler.side G-12"],
        ),
        (
            table("triple-attack-blackjack", devices=(SHOE, replace(READER, ranks=("A", "K", "9", "2")))),
            ["devices.reader.ranks G-06"],
        ),
        (table("double-attack-blackjack", 8, policy=HousePolicy(resplit_aces=True)), ["rules.resplit_aces PW-SETUP"]),
        (table("three-card-blitz", policy=HousePolicy(cut_tolerance=3)), ["rules.cut_tolerance PW-SETUP"]),
        (table("three-card-blitz", policy=HousePolicy(max_splits=1)), ["rules.max_splits PW-SETUP"]),
        (
            table("switch-hands", 6, policy=HousePolicy(dealer_first_confirm=True)),
            ["rules.dealer_first_confirm PW-SETUP"],
        ),
        (table("triple-attack-blackjack", policy=HousePolicy(reader_up=("A",))), ["rules.reader_up PW-SETUP"]),
        (table("switch-hands", 6, policy=HousePolicy(reader_up=("A", "1"))), ["rules.reader_up PW-SETUP"]),
        (table("three-card-blitz", policy=HousePolicy(cutcard_policy="virtual")), ["rules.cutcard_policy PW-SETUP"]),
        (table("three-card-blitz", mode="hand", devices=(SHOE,)), ["table.mode CB-18"]),
        (table("three-card-blitz", devices=(SHOE, READER)), ["devices.reader G-15"]),
        (table("mississippi-stud"), ["table.mode PW-SETUP"]),
        (
            table("triple-attack-blackjack", devices=(SHOE, replace(SHUFFLER, procedure_ref=None))),
            ["devices.shuffler.procedure G-21"],
        ),
        (
            table("three-card-blitz", devices=(replace(SHOE, automated=True), SHUFFLER)),
            ["devices.shoe.procedure G-21"],
        ),
        (table("blackjack-in-between", 2, wagers=("2.23",)), ["rules.wagers IB-08"]),
        (table("blackjack-in-between", 2, wagers=("2.99",)), ["rules.wagers IB-08"]),
        (table("triple-attack-blackjack", wagers=("2.23",)), ["rules.wagers IB-08"]),
        (table("switch-hands", 6, wagers=("2.22",)), ["rules.wagers SH-12"]),
        (table("switch-hands", 6, wagers=("2A",)), ["rules.wagers SH-12"]),
        (table("triple-attack-blackjack", policy=HousePolicy(bart_carter=True)), ["rules.bart_carter PW-SETUP"]),
        (table("three-card-blitz", policy=HousePolicy(mid_shoe_entry=False)), ["rules.mid_shoe_entry PW-SETUP"]),
        (table("double-attack-blackjack", 8, policy=HousePolicy(batch_swap=True)), ["rules.batch_swap PW-SETUP"]),
    ],
)  # fmt: skip
def test_a_table_that_the_rules_do_not_allow_is_refused_by_key_and_clause(setup: TableSetup, named: list[str]) -> None:
    assert refusals(setup) == named


def test_a_profile_that_contradicts_a_list_is_refused() -> None:
    blitz, triple = table("three-card-blitz"), table("triple-attack-blackjack")
    fifty = replace(triple, profile=replace(triple.profile, total=416))
    slow = replace(blitz.profile, rules=tuple(rule for rule in blitz.profile.rules if rule.key != "card_change_hand"))
    unlisted = replace(triple.profile, name="baccarat", total=416)
    between = table("blackjack-in-between", 2)
    few = replace(between, profile=replace(between.profile, copies=1, total=52))
    assert refusals(fifty) == ["table.game G-01"]
    assert refusals(replace(blitz, profile=slow)) == ["table.game G-18"]
    assert refusals(replace(triple, profile=unlisted)) == ["devices.shuffler G-08"]
    assert refusals(few) == ["table.in_set IB-01"]


def test_a_refusal_names_key_reason_and_clause() -> None:
    with pytest.raises(SetupError) as refused:
        validate_setup(table("triple-attack-blackjack", mode="hand"))
    assert str(refused.value) == (
        "table.mode: Triple attack blackjack is dealt from a dealing shoe, not from the hand (G-07: 13:69E-1.19(b)1)"
    )


def test_all_pairs_of_wagers_but_four_exclude_each_other() -> None:
    allowed = [("2.19", "2.23"), ("2.20", "2.23"), ("2.22", "2.23"), ("2.23", "2.24")]
    pairs = {frozenset(pair) for pair in combinations(WAGERS, 2)}
    assert load_lists().exclusive == pairs - {frozenset(pair) for pair in allowed}


def test_every_list_of_games_is_one_that_a_text_has() -> None:
    lists = load_lists()
    assert [lists.pack_of(game).cards for game in ("switch-hands", "spanish-21", "asia-poker", "supreme-pai-gow")] == [
        52, 48, 53, 54,
    ]  # fmt: skip
    assert set(lists.listed["four_hours"].games) - set(lists.listed["hand"].games) == {"let-it-ride-poker"}  # C-16
    assert "double-down-stud" not in lists.listed["four_hours"].games


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("cards = 52\n", "", "lists.toml: packs.standard.cards: a whole number is missing here"),
        ("games = []  ", 'games = ["x"]  ', "lists.toml: packs: the first pack is the one of all games"),
        ('clause = "G-08"\n', 'clause = "G-08"\nhue = 1\n', "lists.toml: lists.shuffler.hue: no such row"),
        ("[wagers.names]", "[wagers.titles]", "lists.toml: wagers.names: this table is missing"),
        ('"2.25" = ["2.26"]', '"2.25" = ["2.26", "2.26"]', "lists.toml: wagers.exclusive.2.25: 2.25 and 2.26"),
        ('"2.25" = ["2.26"]', '"2.25" = ["9.9"]', "lists.toml: wagers.exclusive.2.25: 2.25 and 9.9 are no two"),
        ('offered = ["2.26"]', 'offered = ["9.9"]', "lists.toml: wagers.games.blackjack-in-between.forbidden: '9"),
        (
            'offered = ["2.26"]\nforbidden = []', 'offered = ["2.26"]\nforbidden = ["2.26"]',
            "lists.toml: wagers.games.blackjack-in-between.offered: a wager is offered and forbidden at once",
        ),
        ("[packs.standard]", "[packs.standard", "lists.toml: "),
        ("[wagers.names]", "[surprise]\n[wagers.names]", "lists.toml: surprise: no such row is known here"),
    ],
)  # fmt: skip
def test_wrong_lists_are_refused_by_row(old: str, new: str, named: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError) as refused:
        parse_lists(TEXT.replace(old, new, 1))
    assert str(refused.value).startswith(named)
