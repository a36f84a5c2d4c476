"""Hidden cards in rounds with slips, at the core of all five games: no public byte depends on a card that stays hidden.

The logs are those of the worlds oracle: late, missing, early and mistaken keys, wrong boxes, corrections, inputs that
are taken back, new epochs in mid-round.
"""

import random

import pytest

from pitwarden.rules import AnswerDue, RevealDue, RuleOutput, RulesState, public_state
from pitwarden_client.events.outputs import RevealCorrected
from pitwarden_tools.worlds.command import WorldsJob, random_log
from pitwarden_tools.worlds.core import PublishingCore
from pitwarden_tools.worlds.deal import HouseOptions, course
from pitwarden_tools.worlds.games import GAMES
from pitwarden_tools.worlds.rows import WorldRow
from pitwarden_tools.worlds.walk import deck_of

_ROUNDS = 40


def public(house: HouseOptions, rows: list[WorldRow]) -> tuple[list[object], dict[int, int]]:
    """Everything that is public of a log, row by row; and on which row each card or answer became public."""
    said: list[object] = []

    def observe(outputs: tuple[RuleOutput, ...], state: RulesState) -> None:
        cards = [(one, one.face) for one in outputs if isinstance(one, RevealDue)]
        answers = [(one, one.bit) for one in outputs if isinstance(one, AnswerDue)]
        said.append((outputs, cards, answers, public_state(state)))

    core, told = PublishingCore(house.game, stacks=house.stacks, observe=observe), dict[int, int]()
    began, until = len(said), list[object]()
    for number, row in enumerate(rows):
        for card in core.advance(row):
            told.setdefault(card, number)
        until.append(tuple(said[began:]))
        began = len(said)
    return until, told


def with_faces(rows: list[WorldRow], faces: dict[int, int]) -> list[WorldRow]:
    """`rows` with other faces of some cards, and other answers, by their number."""
    made, card = list[WorldRow](), 0
    for row in rows:
        if row.kind == "device" and row.name == "result":
            card += 1
            made.append(row._replace(bit=bool(faces.get(card, row.bit))))
            continue
        numbers = range(card + 1, card + 1 + len(row.faces))
        made.append(row._replace(faces=tuple(faces.get(at, old) for at, old in zip(numbers, row.faces, strict=True))))
        card += len(row.faces)
    return made


def secrets_of(rows: list[WorldRow]) -> tuple[dict[int, int], set[int]]:
    """Faces of the cards by their number, and the numbers of answers."""
    faces, answers, card = dict[int, int](), set[int](), 0
    for row in rows:
        if row.kind == "device" and row.name == "result":
            card += 1
            answers.add(card)
        for face in row.faces:
            card += 1
            faces[card] = face
    return faces, answers


def houses(game: str) -> tuple[HouseOptions, HouseOptions]:
    return HouseOptions(GAMES[game], dealt=True), HouseOptions(GAMES[game], stacks=game == "CB")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("which", [0, 1])
def test_cards_that_stay_hidden_may_lie_in_any_order(game: str, which: int) -> None:
    house = houses(game)[which]
    job, made, moved = WorldsJob(house, 1, 1, epochs=0.3), course(house), 0
    for number in range(90_000, 90_000 + _ROUNDS):
        rng = random.Random(f"{game} {number}")  # noqa: S311  a seeded night
        rows = random_log(job, made, rng).rows
        seen, told = public(house, rows)
        faces, answers = secrets_of(rows)
        hidden = [card for card in faces if card not in told]
        others = dict(zip(hidden, rng.sample([faces[card] for card in hidden], len(hidden)), strict=True))
        others |= {card: rng.randrange(2) for card in answers if card not in told}
        moved += sum(others[card] != faces.get(card) for card in others)
        assert public(house, with_faces(rows, others))[0] == seen, number
    assert moved > _ROUNDS // 2


@pytest.mark.parametrize("game", GAMES)
def test_until_it_is_published_a_card_may_be_another(game: str) -> None:
    house = houses(game)[0]
    job, made, changed = WorldsJob(house, 1, 1), course(house), 0
    for number in range(95_000, 95_000 + _ROUNDS):
        rng = random.Random(f"{game} {number}")  # noqa: S311  a seeded night
        rows = random_log(job, made, rng).rows
        seen, told = public(house, rows)
        faces, _ = secrets_of(rows)
        late = sorted((row, card) for card, row in told.items() if card in faces)
        if not late:
            continue
        until, card = rng.choice(late)
        left = [face for face in deck_of(house.game, rng) if face not in faces.values()]
        other, _ = public(house, with_faces(rows, {card: rng.choice(left)}))
        assert other[:until] == seen[:until], number
        changed += other[until] != seen[until]
    assert changed > _ROUNDS // 4


def test_a_correction_has_no_face() -> None:
    assert set(RevealCorrected.model_fields) == {"kind", "epoch", "event", "index", "slot", "was"}
