"""Round on the table as the lines key it, for macros that continue it."""

import re
from dataclasses import dataclass, field
from typing import Final

_ENDS: Final = frozenset({"stand", "double", "surrender", "fold", "play"})
"""Decisions after which a hand decides no more."""
_BOX: Final = re.compile(r"\A[0-9]{1,2}\Z")


@dataclass(slots=True)
class RoundOnTable:
    """Boxes of the round in play, in deal order; those that decided, whose bonuses are settled, with a blackjack."""

    boxes: list[int] = field(default_factory=list)
    decided: set[int] = field(default_factory=set)
    bonus_settled: set[int] = field(default_factory=set)
    blackjacks: set[int] = field(default_factory=set)

    def follow(self, word: str, args: tuple[str, ...]) -> None:
        """Follow a line. One that is not valid is refused when it is read, and changes nothing here."""
        box = int(args[0]) if args and _BOX.match(args[0]) else 0
        decision = args[1] if word == "kp.decision" and len(args) > 1 else word.removeprefix("kp.")
        if word in {"kp.boxes", "kp.round_end"}:
            self.decided, self.bonus_settled, self.blackjacks = set(), set(), set()
            self.boxes = _listed(args) if word == "kp.boxes" else []
        elif word == "kp.bonus_settled":
            self.bonus_settled.add(box)
        elif decision in _ENDS:
            self.decided.add(box)


def _listed(texts: tuple[str, ...]) -> list[int]:
    found: list[int] = []
    for text in texts:
        low, _, high = text.partition("-")
        if _BOX.match(low) and _BOX.match(high or low):
            found.extend(range(int(low), int(high or low) + 1))
    return found
