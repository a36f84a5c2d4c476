"""The worlds oracle, short form: no card is published that some course of the round hides. `./run tool worlds`."""

import random
from types import ModuleType

import pytest

from pitwarden.rules.queries.layout import UNMARKED
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions import burn_card, draws, hands, pass_marks
from pitwarden.rules.transitions import disclosure as publish
from pitwarden.rules.transitions import hole_card as hole
from pitwarden.rules.transitions import irregularity_inputs as irregularities
from pitwarden.rules.transitions.draws import reveal_cards
from pitwarden_tools.worlds.command import WorldsJob, contradicted, judge, published_by_core, random_log
from pitwarden_tools.worlds.deal import HouseOptions, course
from pitwarden_tools.worlds.games import GAMES
from pitwarden_tools.worlds.oracle import Oracle
from pitwarden_tools.worlds.rows import RANKS, SUITS, WorldRow
from pitwarden_tools.worlds.walk import PlayedCourse

_ROUNDS = 25


def face(name: str) -> int:
    return SUITS.index(name[-1]) * 13 + RANKS.index(name[:-1])


def rows(text: str) -> list[WorldRow]:
    """Rows from words: a card, `boxes:1,2`, `one_card:2`, `close_attack2`, `ins`, `res:bj`."""
    made = list[WorldRow]()
    for word in text.split():
        name, _, about = word.partition(":")
        if name[-1] in SUITS and name[:-1] in RANKS:
            made.append(WorldRow("card", faces=(face(name),)))
        elif name in {"ins", "res"}:
            made.append(WorldRow("device", "inserted" if name == "ins" else "result", bit=about == "bj"))
        else:
            numbers = tuple(map(int, about.split(","))) if about else ()
            boxes = numbers if name in {"boxes", "misplaced"} else numbers[0] if numbers else None
            two = name.startswith(("close_", "open_", "decision_"))
            made.append(WorldRow("key", name.replace("_", " ", 1) if two else name, boxes))
    return made


DEAL = "boxes:1,2,3 deal 2C 3C 4C close_attack2 9H close_attack3"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealt", [True, False])
def test_nothing_is_published_that_a_world_hides(game: str, dealt: bool) -> None:  # noqa: FBT001  a parameter of the test
    found = judge(WorldsJob(HouseOptions(GAMES[game], dealt=dealt), 50_000, _ROUNDS))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())
    assert found.published > 3 * _ROUNDS


@pytest.mark.parametrize("game", GAMES)
def test_nor_in_two_rounds_of_one_log(game: str) -> None:
    found = judge(WorldsJob(HouseOptions(GAMES[game], rounds=2, dealt=True), 60_000, _ROUNDS // 2))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize("number", [1_003_706, 1_004_319, 1_005_494, 1_005_749])
def test_a_card_before_its_pass_is_not_shown_by_a_mistaken_key(number: int) -> None:
    """It may have been drawn in error; long runs of the oracle found these rounds."""
    found = judge(WorldsJob(HouseOptions(GAMES["TAB"], dealt=True), number, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize(("game", "number"), [("TAB", 6_003_805), ("IB", 6_002_455)])
def test_a_mistaken_key_of_a_dealers_card_shows_no_card(game: str, number: int) -> None:
    """It came before the deal was done, or where no text asks the dealer for a card; a long run found these rounds."""
    found = judge(WorldsJob(HouseOptions(GAMES[game], dealt=True), number, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize("number", [1_003_547, 1_008_620])
def test_a_late_stand_at_a_split_hand_proves_no_card(number: int) -> None:
    """The card may have been drawn in error; long runs of the oracle found these rounds."""
    found = judge(WorldsJob(HouseOptions(GAMES["DAB"], dealt=True), number, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize("dealt", [True, False])
def test_a_refuted_10_shows_no_card_drawn_in_error(dealt: bool) -> None:  # noqa: FBT001  a parameter of the test
    """The deal seemed one card short, and the card drawn in error seemed to be the hole card."""
    found = judge(WorldsJob(HouseOptions(GAMES["DAB"], dealt=dealt), 1_008_378, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


def test_a_dealer_keyed_in_mid_play_moves_no_card_to_a_hand() -> None:
    """A hit seemed the burn card, and a card drawn in error seemed a hit."""
    found = judge(WorldsJob(HouseOptions(GAMES["IB"], dealt=True), 2_003_661, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


def test_a_swap_before_the_boxes_shows_no_hand() -> None:
    """It was refused, since the boxes were keyed late; the cards lie exchanged all the same."""
    found = judge(WorldsJob(HouseOptions(GAMES["CB"]), 2_006_230, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize(
    ("number", "dealt"),
    [(4_001_004, False), (4_002_012, False), (4_001_514, False), (4_011_210, True)],
    ids=["found face up", "found, hole shown", "read twice", "decision ahead"],
)
def test_a_waiting_card_is_not_shown_by_a_second_key(number: int, dealt: bool) -> None:  # noqa: FBT001  a parameter
    """A card drawn in error waits face down; a mistaken key about it turns it in no world."""
    found = judge(WorldsJob(HouseOptions(GAMES["DAB"], dealt=dealt), number, 1, odd=0.9))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


def test_nor_where_hands_are_dispensed_as_stacks() -> None:
    found = judge(WorldsJob(HouseOptions(GAMES["CB"], stacks=True), 70_000, _ROUNDS))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize(("game", "number", "stacks"), [("SH", 2_109_732, False), ("CB", 2_205_707, True)])
def test_a_new_epoch_makes_no_key_early(game: str, number: int, *, stacks: bool) -> None:
    """An act that nothing but a floor row separates from its key is not early."""
    house = HouseOptions(GAMES[game], dealt=not stacks, stacks=stacks)
    played = random_log(WorldsJob(house, number, 1), course(house), random.Random(f"{game} {number}"))  # noqa: S311
    epoch = next(at for at, row in enumerate(played.rows, start=1) if row.kind == "floor")
    assert epoch not in played.seen.values(), "no act is between the key and the epoch"
    found = judge(WorldsJob(house, number, 1))
    assert (dict(found.true), dict(found.possible), found.proofs) == ({}, {}, ())


@pytest.mark.parametrize("game", GAMES)
def test_a_world_is_left_of_every_honest_log_and_all_of_it_is_published(game: str) -> None:
    job = WorldsJob(HouseOptions(GAMES[game], dealt=True), 80_000, 1, slips=0, odd=0, epochs=0)
    made = course(job.house)
    for number in range(20):
        played = random_log(job, made, random.Random(number))  # noqa: S311  a seeded night
        told = published_by_core(job, played)
        assert contradicted(job, made, played, told) == ("", True)
        assert set(told) == set(played.seen), "all that was seen is said, and nothing else"


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        (f"{DEAL} 5D 6D 7D AS bonus_settled:1", {7, 8}),  # the last two: a second card may have been forgotten
        (f"{DEAL} 5D 6D 7D AS dealt bonus_settled:1", {8}),
        (f"{DEAL.replace('9H', 'AH')} 2D 4D JC 3D open_insurance one_card:2", {7, 8}),
        ("boxes:1,2,3 deal QD dealer 2C 3C 4C close_attack2", {1}),
        (f"{DEAL} 5D 6D 7D AS dealt hole_up", {8}),
    ],
    ids=["no word of the deal", "dealt", "forgotten", "burn", "mistaken turn"],
)
def test_the_oracle_knows_which_cards_a_log_leaves_hidden(text: str, hides: set[int]) -> None:
    oracle = Oracle(course(HouseOptions(GAMES["TAB"], boxes=3, dealt=True)), slips=1)
    for row in rows(text):
        oracle.advance(row)
    assert oracle.hidden() >= hides
    assert oracle.hidden().isdisjoint(set(range(1, 7)) - hides)


def test_a_core_without_the_guard_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "guarded", lambda _setup, _plan, played: len(played.deal.dealt))
    found = judge(WorldsJob(HouseOptions(GAMES["DAB"]), 1, _ROUNDS))
    assert found.possible


def test_a_core_that_believes_every_turn_of_the_hole_card_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hole, "_nothing_before", lambda _: True)
    job = WorldsJob(HouseOptions(GAMES["TAB"], boxes=3, dealt=True), 1, 1)
    played = PlayedCourse(rows=rows(f"{DEAL} 5D 6D 7D AS dealt hole_up"))
    proof, _ = contradicted(job, course(job.house), played, published_by_core(job, played))
    assert "dealer.hole" in proof


def burn_shown(state: RulesState) -> RulesState:
    """Return `state` as of a core that takes one press for a request to see the burn card."""
    return reveal_cards(state, [(state.shoe.burn, "burn")] if state.shoe.burn else [])


def shown_as_next(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` as of a core that publishes a card drawn in error as soon as it is keyed."""
    return reveal_cards(state, [(card, "found")])


@pytest.mark.parametrize(
    ("module", "name", "fault", "text", "place"),
    [
        (irregularities, "_next", shown_as_next, f"{DEAL} 5D 6D 7D AS dealt 2H drawn_in_error", "waiting.down"),
        (
            hands,
            "_in_turn",
            lambda *_: True,
            f"{DEAL} 5D 6D 7D AS dealt bonus_settled:1 decision_hit:2 2S",
            "waiting.down",
        ),
        (pass_marks, "SKIPPED", UNMARKED, "boxes:1 deal 2C 3C close_attack3", "waiting.down"),
        (irregularities, "_pass_is_whole", lambda _: False, f"{DEAL} 5D 6D 7D AS drawn_in_error dealt", "dealer.hole"),
        (draws, "_put_back", draws.place_card, f"{DEAL} 5D ten 6D 7D AS ten_refuted dealt", "dealer.hole"),
        (publish, "swapped_cards", lambda *_: (), f"{DEAL} 5D 6D 7D AS dealt misplaced:1,2,0,2", "dealer.hole"),
        (burn_card, "asked", burn_shown, "dealer QD boxes:1 deal 2C close_attack2 burn_request", "burn"),
    ],
    ids=["drawn in error", "hit out of turn", "a close is missing", "unread and error", "refuted", "swap", "burn card"],
)
def test_each_planted_fault_is_found_out(  # noqa: PLR0917  the parts of a planted fault
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, fault: object, text: str, place: str
) -> None:
    job = WorldsJob(HouseOptions(GAMES["TAB"], boxes=3, dealt=True), 1, 1)
    played, made = PlayedCourse(rows=rows(text)), course(HouseOptions(GAMES["TAB"], boxes=3, dealt=True))
    assert contradicted(job, made, played, published_by_core(job, played)) == ("", True)
    monkeypatch.setattr(module, name, fault)
    proof, _ = contradicted(job, made, played, published_by_core(job, played))
    assert place in proof
