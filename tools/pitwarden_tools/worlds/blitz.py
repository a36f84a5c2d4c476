"""A round of 3 Card Blitz: wagers, seven cards to each, decisions, the dealer's hand, then the hands (13:69F-51.10)."""

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
    deal: list[AnyStep] = [Stack(hand, HAND) for hand in hands]
    if not stacks:
        deal = [CardStep(hand, up=False) for _ in range(HAND) for hand in hands]
    made = agenda(KeyStep(game.start), *deal, rest=made)
    for box in reversed(boxes):
        bonus = agenda(KeyStep("wager flush_bonus", box), Note(f"bonus{box}"), rest=made)
        made = agenda(KeyStep("wager ante", box), Either((Way(made), Way(bonus, weight=0.6))), rest=None)
    return made
