"""Players of a night of the blackjack family: their decisions, and cards that are late, early or unwanted."""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_tools.oracle.blackjack_shoe import OracleShoe
from pitwarden_tools.oracle.games import TRIPLE
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.points import rank, total

STAND: Final = 16


@dataclass(slots=True)
class OraclePlayers(OracleShoe):
    """Players. `settles`: surrendered hands, at once; `refused`: an exposed card.

    `skipped`: boxes that get their cards last.
    """

    settles: bool = False
    refused: str = ""
    skipped: list[Box] = field(default_factory=list)

    def player(self, box: Box) -> None:
        """Play one player's bonus wagers and decisions."""
        if self.game is TRIPLE:
            self.append(f"kp.bonus_settled {box.number}")
        self._decisions(box)

    def _decisions(self, box: Box) -> None:
        while (hand := box.hand) is not None:
            if self.chance(self.trouble / 8):
                self._in_error(box)
                continue
            choice = self._choice(box)
            self.append(f"kp.decision {box.number} {choice}")
            box.decide(choice)
            if choice == "surrender" and (self.settles or self.trouble) and self.chance(0.5):
                self.append(f"kp.settled {box.number} first_attack")
            if choice == "hit" and not hand.split and not self.refused and self.chance(self.trouble / 8):
                self.append(f"kp.skipped {box.number}")
                if self.wild and self.chance(0.7):
                    self.skipped.append(box)
                else:
                    self.append(f"kp.opt {box.number} dead")
                return
            while box.owed:
                box.take(self._next())

    def _next(self) -> str:
        """Return the card that another player refused, else the next one from the shoe (36.14(e))."""
        card, self.refused = self.refused or self.draw(), ""
        return card

    def after_the_others(self, box: Box) -> None:
        """Deal the card after all other players have theirs (36.14(i))."""
        self.append(f"kp.opt {box.number} take")
        box.take(self._next())
        self._decisions(box)

    def _in_error(self, box: Box) -> None:
        """Draw a card that no player requested: the next hit gets it, or its player refuses it, and gets no more."""
        if self.refused:
            self.append(f"kp.decision {box.number} stand")
            box.decide("stand")
            return
        card = self.draw()
        how = self.rng.choice(("exposed", "unexposed"))
        self.append(f"kp.drawn_in_error {how}")
        if self.wild and how == "exposed" and self.chance(0.5):
            self.append(f"kp.refuse {box.number}", f"kp.decision {box.number} stand")
            self.refused = card
            box.decide("stand")
            return
        choice = "hit" if not box.forbids("hit") else "double"
        self.append(f"kp.decision {box.number} {choice}")
        box.decide(choice)
        box.take(card)
        while box.owed:
            box.take(self.draw())

    def _choice(self, box: Box) -> str:
        hand = box.hand
        if hand is None:
            return "stand"
        if not box.forbids("split") and self._splits(box) and self.chance(0.5):
            return "split"
        if self.game.book.duty("surrender", "") and not box.forbids("surrender") and self.chance(0.1):
            return "surrender"
        if self.chance(0.1):
            return "double"
        return "hit" if not box.forbids("hit") and total(hand.cards)[0] < STAND and self.chance(0.8) else "stand"

    def _splits(self, box: Box) -> bool:
        """Return whether our sources decide a split: of aces, and of a second one, only 36.9 and 26.10 do."""
        return self.game.ends or (len(box.hands) == 1 and rank(box.hands[0].cards[0]) != "A")
