"""Shoe of a night of the blackjack family, from its loading to the last card, with foreign cards in it."""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_tools.oracle.games import GAMES, OracleGame
from pitwarden_tools.oracle.night import RANKS, SUITS, OracleNight, VoidError

DEEPEST: Final = 0.75


@dataclass(slots=True)
class OracleShoe(OracleNight):
    """Shoe with a complete set, its cutting card, and the cards found in it."""

    cards: list[str] = field(default_factory=list)
    drawn: int = 0
    cut_at: int = 0
    cut_seen: bool = False
    face_up: int = 0
    tens: int = 0

    @property
    def game(self) -> OracleGame:
        """Game that is played."""
        return GAMES[self.setup.game]

    @property
    def full(self) -> int:
        """Number of cards of a set."""
        return self.game.pack(self.setup.in_set)

    def load(self) -> None:
        """Load a complete shuffled set, with foreign cards."""
        ranks = (*RANKS, "10") if self.game.tens else RANKS
        cards = [f"{rank}{suit}" for rank in ranks for suit in SUITS]
        cards *= self.full // len(cards)
        self.rng.shuffle(cards)
        for at in range(self.rng.randrange(100, 300) if self.trouble else 0):
            if self.chance(self.trouble / 4):
                odd = self.rng.choice((f"10{self.rng.choice(SUITS)}", f"{cards[at]} up", f"{cards[at]} up", "JKR"))
                if odd.endswith("up"):
                    cards[at] = odd
                elif odd == "JKR" or not self.game.tens:
                    cards.insert(at, odd)
        self.cards, self.drawn, self.face_up, self.tens = cards, 0, 0, 0
        self.cut_at, self.cut_seen = self.rng.choice((10, 30, 60, round(self.full * DEEPEST))), False
        self.append(f"sh.load A {self.full}")

    def draw(self) -> str:
        """Return the next usable card; found cards are racked or destroyed."""
        while True:
            card = self.cards.pop(0)
            ten, up = card.startswith("10") and not self.game.tens, card.endswith("up")
            self.drawn += not ten and card != "JKR"
            self.append(f"sh.card {card}")
            if self.drawn >= self.cut_at and not self.cut_seen and not self.setup.bart_carter:  # 2B.4(f)
                self.cut_seen = True
                self.append("sh.cut")
            self.tens += ten
            self.face_up += up
            if ten:
                self.append("ft.ten_destroyed")
            if (ten and self.tens > 1) or (up and self.face_up > 1):
                raise VoidError
            if not (ten or up or card == "JKR"):
                return card

    def burn(self) -> None:
        """Burn one card face down; not with the Bart Carter shuffle (2B.7(c))."""
        if self.setup.bart_carter:
            return
        try:
            self.draw()
        except VoidError:
            self.reshuffle()

    def reshuffle(self) -> None:
        """Reshuffle at the end of a shoe: 36.7(l)."""
        self.append(f"sh.unload {self.full - self.drawn}")
        self.machine("A", self.full)
        self.load()
        self.burn()
