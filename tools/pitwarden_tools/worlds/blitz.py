"""A round of 3 Card Blitz: wagers, seven cards to each, decisions, the dealer's hand, then the hands (13:69F-51.10)."""

from collections.abc import Sequence

from pitwarden_tools.worlds.cards import LIKELY, drawn_in_error, exchanged
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.steps import (
    Agenda,
    AnyStep,
    Asked,
    CardStep,
    Either,
    KeyStep,
    Note,
    Stack,
    Turn,
    Way,
    agenda,
)

HAND = 7


def blitz(game: WorldGame, boxes: tuple[int, ...], end: Agenda | None, *, stacks: bool) -> Agenda | None:
    """Return the courses from the wagers to the round's end."""
    made = agenda(KeyStep("round_end"), rest=end)
    for box in boxes:  # built from the end: settlement begins at the dealer's right
        shown = agenda(Turn((f"box{box}.hand",)), KeyStep("reveal", box), rest=made)
        bonus = agenda(Asked(f"bonus{box}", shown, made), rest=None)
        made = agenda(Asked(f"plays{box}", shown, bonus), rest=None)
    made = agenda(Turn(("dealer.hand",)), KeyStep("dealer_reveal"), rest=made)
    for box in reversed(boxes):
        plays = agenda(KeyStep("decision play", box), Note(f"plays{box}"), rest=made)
        folds = agenda(KeyStep("decision fold", box), rest=made)
        made = agenda(Either((Way(plays), Way(folds))), rest=None)
    hands = [*(f"box{box}.hand" for box in boxes), "dealer.hand"]
    made = drawn_in_error(made)
    deal: list[AnyStep] = [Stack(hand, HAND) for hand in hands]
    if not stacks:
        deal = []
        for number in range(HAND, 0, -1):
            made = _pass(hands, number, made)
    made = agenda(KeyStep(game.start), *deal, rest=made)
    for box in reversed(boxes):
        bonus = agenda(KeyStep("wager flush_bonus", box), Note(f"bonus{box}"), rest=made)
        made = agenda(KeyStep("wager ante", box), Either((Way(made), Way(bonus, weight=0.6))), rest=None)
    return made


def _pass(hands: Sequence[str], number: int, rest: Agenda | None) -> Agenda | None:
    """Return one card to each hand, its card `number`; two that follow each other may be exchanged."""
    chain = [rest]
    for at in reversed(range(len(hands))):
        one, boxes = CardStep(hands[at], up=False), [_box(hand) for hand in hands[at : at + 2]]
        ways = [Way(agenda(one, rest=chain[-1]), weight=LIKELY)]
        if len(boxes) > 1:
            other = CardStep(hands[at + 1], up=False)
            ways.append(exchanged(one, other, (boxes[0], number, boxes[1], number), chain[-2]))
        chain.append(agenda(Either(tuple(ways)), rest=None))
    return chain[-1]


def _box(hand: str) -> int:
    whose = hand.partition(".")[0]
    return 0 if whose == "dealer" else int(whose.removeprefix("box"))
