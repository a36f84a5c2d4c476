"""One round of triple attack blackjack: what was dealt, keyed and read so far."""

from dataclasses import dataclass, field, replace

from pitwarden_simulators.oracle.hands import Box
from pitwarden_simulators.oracle.said import Setup

CHECKED = frozenset({"A", "K", "Q", "J"})
DEAL_KEYS = ("kp.boxes", "kp.deal", "kp.close", "kp.round_end")


@dataclass(slots=True)
class Round:
    """Whose card comes next: phase `idle`, `first`, `attack2`, `up`, `attack3`, `second`, `hole`, `play`, `dealer`."""

    setup: Setup
    reader_out: bool = False
    inspected: bool = False
    phase: str = "idle"
    announced: bool = False
    void: bool = False
    boxes: list[Box] = field(default_factory=list)
    dealer: list[str] = field(default_factory=list)
    insurance: str = ""
    insurance_settled: bool = False
    answer: str = ""
    inserted: bool = False
    answered: bool = False
    misuse: str = ""
    hole_up: bool = False
    draw_asked: bool = False
    loose: str = ""
    loose_known: str = ""

    def copy(self) -> "Round":
        """This round as it is now."""
        return replace(self, boxes=[box.copy() for box in self.boxes], dealer=list(self.dealer))

    @property
    def dealing(self) -> bool:
        """Whether a round is being played."""
        return self.phase != "idle" or self.announced

    @property
    def unexplained(self) -> bool:
        """A card that nothing asked for and nobody spoke of, or a reader that has not answered yet."""
        return bool(self.loose and not self.loose_known) or (self.inserted and not self.answered)

    @property
    def needs_card(self) -> bool:
        """Whether a card is certainly due."""
        return self.phase in {"first", "up", "second", "hole"} or any(box.owed for box in self.boxes)

    @property
    def undecided(self) -> list[Box]:
        """The boxes whose decisions are outstanding, from the dealer's left."""
        return [box for box in self.boxes if box.undecided]

    @property
    def moot(self) -> bool:
        """36.11(c): the dealer's total has no effect on any hand."""
        hands = [hand for box in self.boxes if not box.dead for hand in box.hands]
        return all(hand.settled_without_dealer for hand in hands)

    def named(self, number: int) -> Box | None:
        """The active box `number`."""
        return next((box for box in self.boxes if box.number == number), None)

    def left_of(self, box: Box) -> list[Box]:
        """The boxes between the dealer's left and `box`."""
        return self.boxes[: self.boxes.index(box)]
