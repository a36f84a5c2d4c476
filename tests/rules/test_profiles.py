"""Profiles are data with a cite in every row; a wrong one is refused by file, row and reason; each row has a check."""

import re
from dataclasses import replace
from importlib.resources import files

import pytest

from pitwarden.rules import DeckSetup, GameProfile, ProfileError, load_profile, profile_digest
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.engine.coverage import rule_deciders, rule_readers
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden.rules.profile.loading import parse_profile
from testkit.tables.rules_table import setup_of

TEXT = (files("pitwarden.rules.profile") / "data" / "profiles" / "three-card-blitz.toml").read_text(encoding="utf-8")
PROFILES = [load_profile(name, default_decks(name)) for name in NAMES]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_row_is_read_and_every_check_has_a_row(profile: GameProfile) -> None:
    read = {key for one in CHECKS for key in one.rules}
    assert [rule.key for rule in profile.rules if not (rule_deciders(rule) or rule_readers(rule))] == []
    assert read <= {rule.key for each in PROFILES for rule in each.rules}
    assert len({one.id for one in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_verdict_by_text_has_a_cite_of_its_game(profile: GameProfile) -> None:
    for rule in profile.rules:
        assert rule.cites
        assert rule.basis != "text" or any(cite.startswith(("13:69F-", "19:47-")) for cite in rule.cites)
        ends = [word for _, words in rule.cases for word in words if word in {"VOID", "DEAD", "DECK_OUT"}]
        assert not ends or rule.basis == "text", "no round ends without a clause that says so"


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("cards = 52", "", "three.toml: cards: a whole number is missing here"),
        ("decks = [1]", "decks = []", "three.toml: decks: the numbers of decks"),
        ("decks = [1]", "decks = [0]", "three.toml: decks: the numbers of decks"),
        ("decks = [1]", "decks = [1, 2]", "three.toml: decks: the game is played with 1 or 2 decks: say how many"),
        ("tens = true", 'tens = "yes"', "three.toml: tens: true or false is missing here"),
        ('name = "three-card-blitz"', "name = 3", "three.toml: name: a text is missing here"),
        ("positions = [1, 2, 3, 4, 5, 6]", 'positions = ["x"]', "three.toml: positions: a list of whole numbers"),
        ('start = ["kp.no_more_bets"]', "start = 5", "three.toml: start: a list of words is missing here"),
        ('to = "all"', 'to = "everyone"', "three.toml: passes[0].to: 'everyone' is none of boxes, dealer, all"),
        ("[[passes]]", "[passes]", "three.toml: passes: a list of tables is missing here"),
        ('cite = "13:69F-51.10(a)"', 'cite = "x"\nhue = 1', "three.toml: passes[0].hue: no such row is known here"),
        ("burn = false", 'burn = false\nmodes = ["foot"]', "three.toml: modes: a way of dealing is one of"),
        ('switch = "manual_deal"', 'switch = "manual"', "three.toml: table.switches[0].switch: 'manual' is none of"),
        ("[[table.switches]]", "[[table.switch]]", "three.toml: table.switch: no such row is known here"),
        ("[[table.switches]]", "[table.switches]", "three.toml: table.switches: a list of tables is missing here"),
        ('clause = "CB-24"\n', 'clause = "CB-24"\nby = 1\n', "three.toml: table.switches[0].by: no such row"),
        ("burn = false", "burn = false\nsurprise = 1", "three.toml: surprise: no such row is known here"),
        ('cites = ["13:69F-51.2(b)5"]', "cites = []", "three.toml: rules.rack.cites: a rule without a cite"),
        ("every = 5", "every = 5.5", "three.toml: rules.stub_manual_shoe.every: neither verdict words"),
        ('two = ["HOLD"]', "two = [1]", "three.toml: rules.rack.two: a list of words is missing here"),
        ('tables.text = { win = "1 to 1" }', "tables.text = {}", "three.toml: pay.ante.tables.text: a pay table has"),
        ('cites = ["13:69F-51.11(b)"]\ntables', "cites = []\ntables", "three.toml: pay.ante.tables.text: a pay table"),
        ("[rules.rack]", "rules.rack = 4\n[rules.other]", "three.toml: "),
        ("cards = 52", "cards = = 52", "three.toml: Invalid value"),
    ],
)  # fmt: skip
def test_a_wrong_profile_is_refused_by_row(old: str, new: str, named: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError) as refused:
        parse_profile("three.toml", TEXT.replace(old, new, 1))
    assert str(refused.value).startswith(named)


def test_rules_that_are_no_tables_are_refused() -> None:
    keys = "keys = { windows = [], decisions = [], wagers = [], acts = [] }\n"
    head = TEXT[: TEXT.index("[[table.switches]]")] + keys
    with pytest.raises(ProfileError, match="rules: named tables are missing here"):
        parse_profile("three.toml", head + "rules = 4\npasses = []\n")
    assert parse_profile("three.toml", head + "passes = []\n").rules == ()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("windows = []", 'windows = ["attack9"]', "keys.windows: 'attack9' is none of attack2"),
        ('"kp.reveal", ', '"kp.round_end", ', "keys.acts: 'kp.round_end' is none of"),
        (
            'acts = ["kp.dealer_reveal", ',
            "acts = [",
            "a pass ends with 'kp.dealer_reveal', and the game has no",
        ),
        (
            '"kp.decision"',
            '"kp.close insurance"',
            "a pass ends with 'kp.close insurance', and the game has",
        ),
        ("[keys]", "[kees]", "keys: a table is missing here"),
    ],
)
def test_keys_that_no_terminal_knows_or_a_pass_lacks_are_refused(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError, match=re.escape(reason)):
        parse_profile("three.toml", TEXT.replace(old, new))


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="'whist' is no game profile: there are blackjack-in-b"):
        load_profile("whist")
    with pytest.raises(ProfileError, match=r"no game profile \(did you mean three-card-blitz\?\): there are"):
        load_profile("tree-card-blitz")


@pytest.mark.parametrize(
    ("decks", "without", "named"),
    [
        (5, (), "switch-hands.toml: decks: the game is played with 6 or 7 or 8 decks, not with 5"),
        (6, ("hole_card",), "switch-hands.toml: passes: no pass belongs to a variant 'hole_card'"),
    ],
)
def test_a_game_is_not_played_as_its_profile_does_not_say(decks: int, without: tuple[str, ...], named: str) -> None:
    with pytest.raises(ProfileError) as refused:
        load_profile("switch-hands", decks, without)
    assert str(refused.value) == named


def test_a_pack_grows_with_its_decks_and_a_variant_drops_its_pass() -> None:
    seven, eight = load_profile("switch-hands", 7), load_profile("switch-hands", 8)
    assert [(one.total, one.copies) for one in (seven, eight)] == [(364, 7), (416, 8)]
    names = [one.name for one in load_profile("blackjack-in-between", 2, ("hole_card",)).passes]
    assert names == ["first", "up", "second"]


def test_parameters_have_defaults() -> None:
    rule = load_profile("three-card-blitz").rule("rack")
    assert rule is not None
    assert (rule.number("x"), rule.words("x"), rule.param("x", default=False)) == (0, (), False)
    assert (rule.verdicts("x"), rule.number("clause")) == ((), 0)


def test_the_digest_differs_between_set_ups() -> None:
    setup = setup_of("TAB")
    one = profile_digest(setup)
    assert one == profile_digest(setup_of("TAB"))
    assert len(one) == 64
    others = [
        replace(setup, grace_ms=500), replace(setup, decks=(DeckSetup("B"),)),
        replace(setup, inputs=frozenset({"kp.boxes", "kp.deal"})), setup_of("CB"),
    ]  # fmt: skip
    assert len({one, *map(profile_digest, others)}) == 5


def test_a_set_up_knows_its_devices_and_what_is_keyed() -> None:
    setup = setup_of("TAB", inputs=frozenset({"kp.boxes"}))
    assert [setup.kind_of("shoe"), setup.kind_of("ghost"), setup.device("reader")] == ["shoe", None, None]
    assert setup.keyed(("kp.boxes",))
    assert not setup.keyed(("kp.boxes", "kp.cut"))
