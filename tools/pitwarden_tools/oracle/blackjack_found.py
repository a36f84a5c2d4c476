"""Blackjack family: cards found face up, 10s that should not be in the shoe (36.14(a), (b), 26.15(a), (b))."""

from dataclasses import dataclass

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.games import OracleGame
from pitwarden_tools.oracle.said import ExpectedFinding


@dataclass(slots=True)
class FoundCards:
    """Cards found since the shuffle. `waiting`: 10s not destroyed yet; `reshuffle_due`: a shuffle was ordered."""

    game: OracleGame
    face_up: int = 0
    tens: int = 0
    waiting: int = 0
    reshuffle_due: bool = False

    def shuffled(self) -> None:
        """Forget the cards found: all were shuffled."""
        self.face_up = self.tens = 0
        self.reshuffle_due = False

    def not_used(self, now: BlackjackRound, *, up: bool, ten: bool) -> list[ExpectedFinding]:
        """Rack or destroy one more card; the second of a kind since the shuffle voids the round `now`.

        Without a text of the game itself, no round ends: the supervisor rules (SH-23).
        """
        self.face_up += up
        self.tens += ten
        self.waiting += ten
        void_up, void_ten = up and self.face_up > 1, ten and self.tens > 1
        playing = now.dealing
        if not self.game.ends:
            now.void = void_up
            return self.game.book.said("face up", "RACK", "HOLD ALERT") if not void_up else (
                self.game.book.said("face up", "HOLD ALERT", "RACK"))  # fmt: skip
        found = []
        end, maybe = ("VOID SHUFFLE", "") if playing else ("SHUFFLE", "VOID")
        if void_ten and self.reshuffle_due:
            found += self.game.book.said("ten", "DESTROY", "HOLD SHUFFLE VOID RACK")
        elif void_ten:
            found += self.game.book.said("ten", f"{end} DESTROY", f"{maybe} HOLD RACK")
        elif ten:
            found += self.game.book.said("ten", "DESTROY HOLD", "RACK")
        if void_up and self.reshuffle_due:
            found += self.game.book.said("face up", "", "RACK SHUFFLE VOID DESTROY", needed=False)
        elif void_up:
            found += self.game.book.said("face up", end, f"{maybe} RACK DESTROY")
        elif up:
            found += self.game.book.said("face up", "RACK", needed=not ten)
        if void_up or void_ten:
            self.reshuffle_due = True
            now.void = playing or bool(now.boxes)
            numbers = self.game.book.numbers
            ids = [numbers[one] for one, void in (("face up", void_up), ("ten", void_ten)) if void]
            now.void_ids = "|".join(ids) if playing else ""
        return found
