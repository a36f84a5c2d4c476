"""Round of the blackjack family after its deal: choices, insurance, the reader, play, the dealer's hand.

19:47-36.7(f) to (k), 36.10, 36.11, 2.26(e), 2B.7(e) to (i).
"""

from collections.abc import Iterator

from pitwarden_tools.worlds.cards import FORESEEN, UNREAD_CARD, WAITING_UP, errors
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.rows import MARKED, points_of, rank_of
from pitwarden_tools.worlds.steps import (
    Agenda,
    Asked,
    CardStep,
    DealerPlay,
    Either,
    KeyStep,
    Note,
    Play,
    Sensed,
    Turn,
    Way,
    agenda,
)

SLIP = "slip"
"""The cost of a slip; a round has k of them at most."""

_STANDS = 17
_LIMIT = 21


def play(game: WorldGame, boxes: tuple[int, ...], end: Agenda | None) -> Agenda | None:
    """Return the courses from the last card of the deal to the round's end."""
    over = agenda(KeyStep("round_end"), rest=end)
    turned = agenda(Turn(("dealer.hole",)), KeyStep("hole_up"), DealerPlay(), rest=over)
    made = turned
    for box in reversed(boxes):  # 36.14(i): a card that was not dealt comes before the hole card is revealed
        due = agenda(CardStep(f"box{box}.hit", up=True), Play(box, game.exposed), rest=made)
        made = agenda(Asked(f"owed{box}", due, made), rest=None)
    for box in reversed(boxes):
        made = agenda(*([KeyStep("bonus_settled", box)] if game.bonus else []), Play(box, game.exposed), rest=made)
    answered = agenda(Asked("blackjack", turned, made), rest=None)
    looked = agenda(Sensed("inserted"), Sensed("result"), rest=answered)
    read = agenda(Asked("marked", looked, made), rest=None)
    closed = agenda(KeyStep("close insurance"), rest=read)
    # The reader is used while insurance is open (36.10(b) forbids it, and names no remedy).
    sealed = Sensed("result", hides=True)
    early = agenda(Sensed("inserted"), sealed, Turn(("answer",)), KeyStep("close insurance"), rest=answered)
    asked = agenda(KeyStep("open insurance"), Either((Way(closed), Way(early, SLIP))), rest=None)
    made = agenda(Asked("ace", asked, read), rest=None)
    if game.choice:
        for box in reversed(boxes):
            made = _choice(box, made)
    return agenda(KeyStep(game.after), rest=made) if game.after else made


def _choice(box: int, rest: Agenda | None) -> Agenda | None:
    pair = Turn((f"box{box}.down0", f"box{box}.down1"))
    switched = agenda(pair, Note(f"switched{box}"), KeyStep("choice switch", box), rest=rest)
    return agenda(Either((Way(agenda(KeyStep("choice keep", box), rest=rest)), Way(switched))), rest=None)


def hand_of(hand: Play, lies: dict[str, list[int]], facts: frozenset[str]) -> list[int]:
    """Return the numbers of the cards of a player's hand, 0 for one that was not read."""
    box = f"box{hand.box}"
    pair = ("down0", "down1") if f"switched{hand.box}" in facts else ("first", "last")
    split = f"split{hand.box}" in facts
    own = pair if not split else pair[1:] if hand.half else pair[:1]
    places = [f"{box}.{place}" for place in own] + [f"{box}{hand.half}.hit"]
    return [card for place in places for card in lies.get(place, [])]


def ways_of(hand: Play, cards: list[int], faces: list[int], facts: frozenset[str], rest: Agenda | None) -> list[Way]:
    """Return how a player may continue with a hand of `cards`; all ways where one of them was not read."""
    box, half = hand.box, hand.half
    known = bool(cards) and min(cards) > 0
    values = [faces[card] for card in cards] if known else []
    total = points_of(values) if known else None
    done = Way(rest)
    if total is not None and total >= _LIMIT:
        return [done]
    hit = CardStep(f"box{box}{half}.hit", up=True)
    ways = [
        Way(agenda(KeyStep("decision stand", box), rest=rest), weight=2),
        Way(agenda(KeyStep("decision hit", box), hit, hand, rest=rest), weight=1.5),
        Way(agenda(KeyStep("decision double", box), hit, rest=rest), weight=0.3),
    ]
    if total is None:
        ways.append(done)
    if UNREAD_CARD not in facts:
        ways += errors(agenda(hand, rest=rest), exposed=hand.exposed)
    if WAITING_UP in facts:
        ways.append(Way(agenda(KeyStep("refuse", box), rest=rest)))
    if hand.exposed and not half and f"split{box}" not in facts:
        ways += _not_dealt(box, rest)
    if f"split{box}" not in facts and (total is None or _pair(values)):
        # A split ace is dealt one card (36.9(e)).
        aces = total is not None and values[0] % 13 == 0
        second = agenda(CardStep(f"box{box}b.hit", up=True), *([] if aces else [hand._replace(half="b")]), rest=rest)
        first = agenda(hit, *([] if aces else [hand]), rest=second)
        ways.append(Way(agenda(KeyStep("decision split", box), Note(f"split{box}"), rest=first), weight=2))
    return ways


def _not_dealt(box: int, rest: Agenda | None) -> Iterator[Way]:
    """Yield how a requested card may be forgotten: its player takes it after the others, or the hand is dead."""
    asked = KeyStep("decision hit", box)
    yield Way(agenda(asked, KeyStep("skipped", box), Note(f"owed{box}"), rest=rest), FORESEEN, 0.02)
    yield Way(agenda(asked, KeyStep("skipped_dead", box), rest=rest), FORESEEN, 0.01)


def dealer_ways(cards: list[int], faces: list[int], rest: Agenda | None) -> list[Way]:
    """Return how the dealer may continue: below 17 the dealer draws, unless nothing depends on it (36.11(c))."""
    known = len(cards) > 1 and min(cards) > 0
    total = points_of([faces[card] for card in cards]) if known else None
    more = agenda(KeyStep("dealer_draw"), CardStep("dealer.hit", up=True), DealerPlay(), rest=rest)
    if total is None:
        return [Way(more), Way(rest)]
    return [Way(rest)] if total >= _STANDS else [Way(more), Way(rest, weight=0.1)]


def answer_to(question: str, lies: dict[str, list[int]], faces: list[int], facts: frozenset[str]) -> bool | None:
    """Return the answer to a question about public cards and facts; None where a card was not read."""
    if question == "blackjack":
        answers = lies.get("answer", [])
        return bool(answers) and faces[answers[-1]] == 1
    if question in {"ace", "marked"}:
        up = lies.get("dealer.up", [])
        if not up or up[0] == 0:
            return None
        return rank_of(faces[up[0]]) in ({"A"} if question == "ace" else MARKED)
    return question in facts


def _pair(values: list[int]) -> bool:
    return len(values) == 2 and min(10, values[0] % 13 + 1) == min(10, values[1] % 13 + 1)  # noqa: PLR2004  a pair
