"""A game of ranked hands that is data alone: three card poker, played and compared with a second evaluator."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from pitwarden.rules import GameProfile, ProfileError, load_profile, validate_setup
from pitwarden.rules.outcomes.ranked_hands import ranked_outcomes
from pitwarden.rules.outcomes.terms import wager_terms
from pitwarden.rules.profile.library import EXAMPLES
from pitwarden.rules.profile.loading import parse_profile
from pitwarden.rules.profile.pay_tables import PayChoice
from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpReveal, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpNoMoreBets, KpWager
from pitwarden_client.events.outputs import Outcomes, WagerOutcome
from testkit.reference.poker_hands import best_name, strength
from testkit.tables.rules_table import RulesTable, setup_of

TEXT = (EXAMPLES / "three-card-poker.toml").read_text(encoding="utf-8")
ROUNDS = 300
QUEEN = strength(["QS", "2D", "3C"])
BONUS = {"straight_flush": 5, "three_of_a_kind": 4, "straight": 1}
PAIR_PLUS = {"straight_flush": 40, "three_of_a_kind": 30, "straight": 6, "flush": 4, "pair": 1}
ENDING = {"VOID", "DEAD", "HAND_DEAD", "DECK_OUT", "DEV_OUT"}


@cache
def profile() -> GameProfile:
    return load_profile("three-card-poker", 1, (), EXAMPLES)


def table_of(game: GameProfile | None = None, *, table: str = "1") -> RulesTable:
    pay = (PayChoice("pair_plus", table, posted=True),)
    return RulesTable(replace(setup_of("CB"), profile=game or profile(), positions=7, pay=pay)).open()


def wager(table: RulesTable, box: int, kind: str, cents: int) -> None:
    name = "pair_plus" if kind == "pair_plus" else None
    table.key(KpWager(wager="bonus" if name else kind, box=box, cents=cents, name=name))  # type: ignore[arg-type]  # a kind of wager


def told(table: RulesTable) -> dict[tuple[str, str], WagerOutcome]:
    """Return the last outcome of each wager."""
    said = [one for output in table.said if isinstance(output, Outcomes) for one in output.wagers]
    return {(one.hand, one.wager): one for one in said}


def deals(seed: int) -> Iterator[list[list[str]]]:
    """Three random hands, the last the dealer's; in every third round from few ranks, so that rare hands occur."""
    rng = Random(seed)  # noqa: S311  a repeatable sample
    few = [face for face in range(52) if face % 13 in {0, 1, 10, 11, 12}]
    while True:
        for pack in (list(range(52)), list(range(52)), few):
            drawn = [face_name(face) for face in rng.sample(pack, 9)]
            yield [drawn[:3], drawn[3:6], drawn[6:]]


def expected(hand: list[str], dealer: list[str]) -> dict[str, tuple[str, int | None]]:
    """Return the result of each wager of $5, and what it wins in cents, by the second evaluator."""
    mine, theirs = strength(hand), strength(dealer)
    result = "push" if mine == theirs else "win" if mine > theirs else "lose"
    won = 500 if result == "win" else None
    made = {"ante": (result, won), "play": (result, won)}
    if theirs < QUEEN:
        made = {"ante": ("win", 500), "play": ("push", None)}
    name = best_name(hand)
    odds = PAIR_PLUS.get(name)
    made["pair_plus"] = ("win", 500 * odds) if odds else ("lose", None)
    if name in BONUS:
        made["ante_bonus"] = ("win", 500 * BONUS[name])
    return made


def test_random_rounds_agree_with_a_second_evaluator() -> None:
    seen: set[tuple[str, str]] = set()
    for one, other, dealer in islice(deals(11), ROUNDS):
        table = table_of()
        for box in (1, 2):
            for kind in ("ante", "pair_plus"):
                wager(table, box, kind, 500)
        table.key(KpBoxes(boxes=(1, 2)))
        table.key(KpNoMoreBets())
        for hand in (one, other, dealer):
            table.stack(3, " ".join(hand))
        for box in (1, 2):
            wager(table, box, "play", 500)
            table.decide(box, "play")
        table.key(KpDealerReveal())
        for box in (2, 1):
            table.key(KpReveal(box=box))
        found = {key: (said.result, said.wins) for key, said in told(table).items()}
        wanted = {
            (f"box{box}", kind): made
            for box, hand in ((1, one), (2, other))
            for kind, made in expected(hand, dealer).items()
        }
        assert found == wanted, (one, other, dealer)
        seen |= {(kind, said.line) for (_, kind), said in told(table).items()}
    assert {line for kind, line in seen if kind == "pair_plus"} == {*PAIR_PLUS, "none"}
    assert {line for kind, line in seen if kind == "ante"} == {"higher", "lower", "equal", "dealer_not_qualified"}


def test_no_row_ends_a_round_and_none_claims_a_text() -> None:
    own = [rule for rule in profile().rules if rule.clause.startswith("TCP-")]
    assert own
    assert {word for rule in own for _, verdicts in rule.cases for word in verdicts} & ENDING == set()
    assert [rule.key for rule in profile().rules if rule.basis == "text" and rule.clause.startswith("TCP")] == []


def test_a_table_of_the_example_is_one_that_the_rules_allow() -> None:
    setup = table_of().setup
    devices = tuple(replace(one, procedure_ref="IC-1") for one in setup.devices)
    setup = replace(setup, devices=devices)
    assert validate_setup(setup) is setup
    with pytest.raises(ProfileError, match=r"rules.manual_deal: is missing: say \"rounds\" or \"hands\""):
        validate_setup(setup, frozenset({"manual_deal"}))


def played(table: RulesTable, hand: str, dealer: str, decision: str = "play") -> dict[str, WagerOutcome]:
    """Outcomes of one box, of which no wager is keyed."""
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.stack(3, hand)
    table.stack(3, dealer)
    table.decide(1, decision)
    table.key(KpDealerReveal())
    table.key(KpReveal(box=1))
    table.key(KpRoundEnd())
    return {wager: one for (_, wager), one in told(table).items()}


def test_two_pay_tables_that_differ_and_none_chosen_leave_a_wager_undecided() -> None:
    text = TEXT.replace('flush = "3 to 1"\n', "")
    game = parse_profile("three.toml", text)
    assert text != TEXT
    assert played(table_of(game, table=""), "2H 7H 9H", "QS 8H 5C").keys() == {"ante", "play"}
    pair = played(table_of(game, table=""), "2H 2D 9H", "QS 8H 5C")["pair_plus"]
    assert (pair.result, pair.pays) == ("win", "")


@pytest.mark.parametrize(
    ("lines", "result", "pays", "wins"),
    [('pair = "push"', "push", "", None), ('pair = "3 for 1"', "win", "3 for 1", 1_000)],
)
def test_a_line_may_push_or_pay_for_the_stake(lines: str, result: str, pays: str, wins: int | None) -> None:
    table = table_of(parse_profile("three.toml", TEXT.replace('pair = "1 to 1"', lines)))
    for kind in ("ante", "pair_plus", "play"):
        wager(table, 1, kind, 500)
    made = played(table, "2H 2D 9H", "QS 8H 5C")["pair_plus"]
    assert (made.result, made.pays, made.wins) == (result, pays, wins)


def test_a_game_without_a_qualifying_hand_or_a_row_on_folding() -> None:
    text = TEXT.replace('qualify = ["high_card", "Q"]\nunqualified = ["ante win", "play push"]\n', "")
    made = played(table_of(parse_profile("three.toml", text)), "2H 7D 8C", "JS 8H 5C")
    assert (made["ante"].result, made["ante"].line) == ("lose", "lower")
    game = replace(profile(), rules=tuple(rule for rule in profile().rules if rule.key != "fold"))
    assert played(table_of(game), "2H 7D 8C", "JS 8H 5C", "fold") == {}  # nothing says what a folded hand loses
    assert list(ranked_outcomes(RulesTable(setup_of("CB")).state, wager_terms(RulesTable(setup_of("CB")).state))) == []


def test_a_folded_hand_with_a_wager_of_its_own_cards_is_turned_and_paid() -> None:
    text = TEXT.replace('loses = ["ante", "pair_plus"]', 'loses = ["ante"]\nturned_with = ["pair_plus"]')
    table = table_of(parse_profile("three.toml", text))
    for kind in ("ante", "pair_plus"):
        wager(table, 1, kind, 500)
    made = played(table, "2H 2D 8C", "JS 8H 5C", "fold")
    assert {wager: one.result for wager, one in made.items()} == {"ante": "lose", "pair_plus": "win"}


def test_a_wager_that_a_box_has_not_made_is_not_decided() -> None:
    table = table_of()
    wager(table, 1, "ante", 500)
    assert played(table, "2H 2D 8C", "QS 8H 5C").keys() == {"ante"}
    folded = table_of()
    wager(folded, 1, "ante", 500)
    assert played(folded, "2H 2D 8C", "QS 8H 5C", "fold").keys() == {"ante"}


def test_a_hand_is_decided_once_its_cards_are_public() -> None:
    table = table_of()
    table.key(KpBoxes(boxes=(1, 2)))
    table.key(KpNoMoreBets())
    for cards in ("2H 2D 8C", "3H 3D 8D", "JS 8H 5C"):
        table.stack(3, cards)
    table.decide(1, "play")
    table.decide(2, "play")
    assert told(table) == {}
    table.key(KpDealerReveal())
    assert told(table) == {}
    table.key(KpReveal(box=2))
    assert {hand for hand, _ in told(table)} == {"box2"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("times = 3", "times = 4", "passes: boxes and dealer have the same number of cards, with community cards 2 or"),
        ('to = "all"', 'to = "boxes"', "passes: boxes and dealer have the same number of cards"),
        ('wagers = ["ante", "play"]', 'wagers = ["ante", "blind"]', "rules.ranked.wagers: 'blind' is no wager of [ke"),
        ('["high_card", "Q"]', '["royal", "Q"]', "rules.ranked.qualify: first a rank of 3 cards (high_card, pair, "),
        ('["high_card", "Q"]', '["high_card", "1"]', "rules.ranked.qualify: first a rank of 3 cards"),
        ('"ante win"', '"pair_plus win"', "rules.ranked.unqualified: 'pair_plus win' is no wager of this row with one"),
        ('"ante win"', '"ante wins"', "rules.ranked.unqualified: 'ante wins' is no wager of this row with one of win"),
        ('on = "ante" ', 'on = "blind" ', "rules.ante_bonus: 'blind' is no wager of [keys]: ante, bonus, pair_plus, p"),
        ("[pay.ante_bonus]", "[pay.other]", "pay.ante_bonus: the pay table of a wager that the rank of a hand decides"),
        ('flush = "3 to 1"', 'full_house = "3 to 1"', "pay.pair_plus.tables.2.full_house: no hand of 3 cards is calle"),
        ("[rules.ranked]", "[rules.compared]", "rules.ante_bonus.by: hands have ranks only where the profile has"),
        ('named = ["pair_plus"]', 'named = ["Pair Plus"]', "keys.named: 'Pair Plus' is no name for a wager: small"),
        ('named = ["pair_plus"]', 'named = ["ante"]', "keys.named: 'ante' is no name for a wager"),
        ('"play", "bonus"]', '"play"]', "keys.wagers: wagers with names are keyed as 'bonus': add it"),
    ],
)  # fmt: skip
def test_a_row_that_no_outcome_could_be_made_of_is_refused(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError) as refused:
        parse_profile("three.toml", TEXT.replace(old, new))
    assert str(refused.value).startswith(f"three.toml: {reason}")
