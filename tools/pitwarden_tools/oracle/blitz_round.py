"""Round of 3 Card Blitz: the hands, each player's decision, and the order of showing (51.10, 51.12(b))."""

from typing import Final

from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Setup, TextSilentError, find

HAND: Final = 7
BONUSES: Final = ("flush_bonus", "progressive")


class BlitzRound:
    """Round from its first input to its end."""

    def __init__(self, setup: Setup) -> None:
        """Begin an empty round."""
        self.setup = setup
        self.announced = self.started = self.void = self.extra = self.played = self.lost = False
        self.dealt = self.found = 0
        self.boxes: list[int] = []
        self.decided: dict[int, str] = {}
        self.revealed: list[int] = []
        self.dealer_shown = False
        self.wagers: dict[tuple[int, str], int | None] = {}

    def active(self, box: int) -> bool:
        """Return whether the box has an active wager: Play, or a bonus next to a folded hand (51.10(d)1, (e)1)."""
        return self.decided.get(box) == "play" or any((box, kind) in self.wagers for kind in BONUSES)

    @property
    def phase(self) -> str:
        """Name of the part of the round, for the report of what was reached."""
        if self.void:
            return "void"
        if not self.started:
            return "bets closed" if self.announced else "bets"
        if self.dealer_shown:
            return "settlement"
        return "decisions" if self.decided else "deal" if self.dealt < self.due else "dealt"

    @property
    def due(self) -> int:
        """Number of cards of the deal: seven to each player and seven to the dealer (51.10(a))."""
        return HAND * (len(self.boxes) + 1)

    @property
    def places_known(self) -> bool:
        """True if the number of hands is keyed."""
        return self.setup.knows("kp.boxes", "kp.no_more_bets", "kp.round_end")

    @property
    def goes_on(self) -> bool:
        """True if the round is certainly not over: its end is keyed, and the dealer's hand is not turned yet."""
        return self.places_known and not self.void and not self.dealer_shown

    def wagered(self, boxes: list[int]) -> list[ExpectedFinding]:
        """Set the boxes with a wager, at most as many as the layout has."""
        if len(boxes) > self.setup.positions or max(boxes) > self.setup.positions:
            return [find("G-13", "refused")]
        if self.started or self.announced:
            raise TextSilentError
        self.boxes = boxes
        return []

    def decision(self, box: int, decision: str) -> list[ExpectedFinding]:
        """Apply a player's one decision; at the first decision every hand is complete (51.10(a), (d))."""
        if not self.places_known:
            self.played = True
            if self.dealt < self.due or self.dealt % HAND:
                raise TextSilentError  # 51.12(b): a wrong count voids, and these keys do not show which one is right
            return list(ANYTHING)
        if box not in self.boxes:
            return [find("", "refused", needed=bool(self.boxes))]
        if not self.started or box in self.decided or self.dealer_shown:
            raise TextSilentError
        first = not self.decided
        self.decided[box] = decision
        return self.dealt_right() if first else []

    def dealt_right(self) -> list[ExpectedFinding]:
        """Check the deal: fewer cards than due and no complete hands make a hand incorrect.

        Else the floorperson inspects.
        """
        if self.dealt == self.due:
            return []
        if self.dealt < self.due and self.dealt % HAND:
            self.void = True
            return [find("CB-36", "VOID SHUFFLE")]
        return [find("CB-36", "HOLD", "ALERT", needed=self.dealt - self.found != self.due)]

    def dealer_reveal(self) -> list[ExpectedFinding]:
        """Reveal the dealer's hand, once all players have made a decision (51.10(d))."""
        if not self.started or self.dealer_shown:
            raise TextSilentError
        self.dealer_shown = True
        if not self.places_known:
            return list(ANYTHING)
        if self.setup.knows("kp.decision") and set(self.boxes) - set(self.decided):
            wrong = self.dealt_right() if not self.decided else []
            return [find("CB-27", "ALERT", needed=not wrong, fresh=True), *wrong]
        return []

    def reveal(self, box: int) -> list[ExpectedFinding]:
        """Reveal a hand, from the farthest right, counterclockwise, after the dealer's (51.10(e))."""
        if not self.places_known or not self.setup.knows("kp.dealer_reveal", "kp.decision"):
            return [find("", "refused", needed=False), find("CB-27|CB-28", "ALERT", needed=False)]
        if box not in self.boxes:
            return [find("", "refused")]
        if box in self.revealed or box not in self.decided or not self.active(box) or not self.started:
            raise TextSilentError
        turn = not self.revealed or box < min(self.revealed)
        farther = [other for other in self.boxes if other > box and self.active(other)]
        self.revealed.append(box)
        if not self.dealer_shown:
            return [find("CB-27|CB-28", "ALERT", fresh=True)]
        return (
            [find("CB-28", "ALERT", needed=not turn, fresh=True)]
            if not turn or set(farther) - set(self.revealed)
            else []
        )
