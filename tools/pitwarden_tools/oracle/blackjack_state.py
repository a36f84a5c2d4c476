"""One round of the blackjack family: what was dealt, keyed and read so far."""

from dataclasses import dataclass, field, replace

from pitwarden_tools.oracle.games import WINDOWS, OracleGame
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.said import ExpectedFinding, Setup

NOT_DEALING = WINDOWS | {"idle", "play", "dealer", "lost"}


@dataclass(slots=True)
class BlackjackRound:
    """Whose card comes next: phase `idle`, those of the game's deal in their order, `play`, `dealer`, `lost`.

    `took`: the dealer used the exposed card that nobody else took; `laid`: the deal was said to be done in its regular
    order, so that the last box's second card is known not to be the hole card.
    """

    setup: Setup
    game: OracleGame
    reader_out: bool = False
    inspected: bool = False
    phase: str = "idle"
    announced: bool = False
    void: bool = False
    short: bool = False
    boxes: list[Box] = field(default_factory=list)
    dealer: list[str] = field(default_factory=list)
    drawn: int = 0
    steps: set[str] = field(default_factory=set)
    insurance: str = ""
    insurance_settled: bool = False
    answer: str = ""
    inserted: bool = False
    answered: bool = False
    misuse: str = ""
    hole_up: bool = False
    draw_asked: bool = False
    took: bool = False
    loose: str = ""
    loose_known: str = ""
    laid: bool = False

    def copy(self) -> "BlackjackRound":
        """This round as it is now."""
        boxes = [box.copy() for box in self.boxes]
        return replace(self, boxes=boxes, dealer=list(self.dealer), steps=set(self.steps))

    @property
    def dealing(self) -> bool:
        """Whether a round is being played."""
        return self.phase != "idle" or self.announced

    @property
    def begins(self) -> bool:
        """Whether no card of a round is dealt yet."""
        return self.phase in {"idle", self.game.deal[0]} and not self.drawn

    @property
    def unexplained(self) -> bool:
        """A card that nothing asked for and nobody spoke of, or a reader that has not answered yet."""
        return bool(self.loose and not self.loose_known) or (self.inserted and not self.answered)

    @property
    def needs_card(self) -> bool:
        """Whether a card is certainly due; to a skipped box only once its player has taken the option (36.14(i))."""
        return self.phase not in NOT_DEALING or any(box.owed and not box.late for box in self.boxes)

    @property
    def undecided(self) -> list[Box]:
        """The boxes whose decisions are outstanding, from the dealer's left."""
        return [box for box in self.boxes if box.undecided]

    def unsure(self, box: Box) -> bool:
        """Whether a card of `box` may be the hole card, so that nothing may be said by it."""
        return not self.laid and box is self.boxes[-1]

    @property
    def moot(self) -> bool:
        """36.11(c), 26.12(c): the dealer's total has no effect on any hand, as far as our sources say."""
        return all(box.settled_without_dealer(self.game.name) for box in self.boxes)

    def missing(self, step: str) -> bool:
        """Whether `step` stands between the deal and any additional card, is keyed here, and was not done."""
        if step not in self.game.steps or not self.setup.knows(KEYS[step]):
            return False
        if step == "choices":
            return any(not box.chosen for box in self.boxes)
        return step not in self.steps

    def early(self) -> list[ExpectedFinding]:
        """2.26(e), 2B.7(e), (f): what comes before any additional card and before the reader is used."""
        steps = [step for step in self.game.steps if self.missing(step)]
        return [one for step in steps for one in self.game.book.duty(step, "ALERT HOLD")]

    def named(self, number: int) -> Box | None:
        """The active box `number`."""
        return next((box for box in self.boxes if box.number == number), None)

    def left_of(self, box: Box) -> list[Box]:
        """The boxes between the dealer's left and `box`."""
        return self.boxes[: self.boxes.index(box)]


KEYS = {"ib": "kp.ib_settled", "antes": "kp.antes_collected", "choices": "kp.choice"}
