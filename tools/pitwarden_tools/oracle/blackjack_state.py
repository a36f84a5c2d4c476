"""State of one round of the blackjack family: what was dealt, keyed and read so far."""

from dataclasses import dataclass, field, replace

from pitwarden_tools.oracle.games import WINDOWS, OracleGame
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.said import ExpectedFinding, Setup

NOT_DEALING = WINDOWS | {"idle", "play", "dealer", "lost"}


@dataclass(slots=True)
class BlackjackRound:
    """Round whose phase names the owner of the next card: `idle`, a pass of the deal, `play`, `dealer`, `lost`.

    `took`: the dealer used an exposed, unclaimed card; `laid`: the end of the deal was keyed in its regular order, so
    that the last box's second card is known not to be the hole card. `void_ids`: the numbers that voided it.
    `wagers`: cents by box, bettor and kind; `settled`: those keyed one by one; `perhaps_placed`: those that a table may
    refuse. `stray_insert`: the reader was used with
    no hole card out. `reader_doubt`: it came back, perhaps in mid-round. `turned_early`: the hole card was keyed as
    turned while a hand was undecided. `offered`: insurance was opened. `dealt_on`: a key came behind the deal.
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
    loose_refuted: bool = False  # a card was taken for a 10, and waits, or was dealt behind: no text says what follows
    laid: bool = False
    void_ids: str = ""
    wagers: dict[tuple[int, int, str], int | None] = field(default_factory=dict)
    settled: set[tuple[int, str]] = field(default_factory=set)
    perhaps_placed: set[tuple[int, str]] = field(default_factory=set)
    stray_insert: bool = False
    turned_early: bool = False
    offered: bool = False
    dealt_on: bool = False
    reader_doubt: bool = False
    collect_doubt: bool = False

    def copy(self) -> "BlackjackRound":
        """Return a copy of this round."""
        boxes = [box.copy() for box in self.boxes]
        return replace(
            self, boxes=boxes, dealer=list(self.dealer), steps=set(self.steps), wagers=dict(self.wagers),
            settled=set(self.settled), perhaps_placed=set(self.perhaps_placed),
        )  # fmt: skip

    @property
    def dealing(self) -> bool:
        """True if a round is being played."""
        return self.phase != "idle" or self.announced

    @property
    def begins(self) -> bool:
        """True if no card of a round is dealt yet."""
        return self.phase in {"idle", self.game.deal[0]} and not self.drawn

    @property
    def unexplained(self) -> bool:
        """True if there is an unrequested card without a key, or a reader that has not answered yet."""
        return bool(self.loose and not self.loose_known) or (self.inserted and not self.answered)

    @property
    def needs_card(self) -> bool:
        """True if a card is certainly due; to a skipped box only once its player has taken the option (36.14(i))."""
        return self.phase not in NOT_DEALING or any(box.owed and not box.late for box in self.boxes)

    @property
    def undecided(self) -> list[Box]:
        """Boxes whose decisions are outstanding, from the dealer's left."""
        return [box for box in self.boxes if box.undecided]

    @property
    def goes_on(self) -> bool:
        """True if cards are certainly still to be dealt to the deal or to players."""
        if self.phase == "play":
            return any(not self.unsure(box) for box in self.undecided)
        return self.phase != "dealer"

    def unsure(self, box: Box) -> bool:
        """Return whether a card of `box` may be the hole card, so that no finding may rest on it."""
        return not self.laid and box is self.boxes[-1]

    @property
    def moot(self) -> bool:
        """True if the dealer's total affects no hand, as far as our sources decide (36.11(c), 26.12(c))."""
        return all(box.settled_without_dealer(self.game.name) for box in self.boxes)

    def missing(self, step: str) -> bool:
        """Return whether `step` precedes any additional card, is keyed here, and was not done."""
        if step not in self.game.steps or not self.setup.knows(KEYS[step]):
            return False
        if step == "ib" and self.wagers and not any(kind == "ib" for *_, kind in self.wagers):
            return False  # 2.26(e): "settle in succession all in-between wagers", and there is none
        if step == "choices":
            return any(not box.chosen for box in self.boxes)
        return step not in self.steps

    def early(self) -> list[ExpectedFinding]:
        """Return the findings on steps that precede any additional card and the reader (2.26(e), 2B.7(e), (f))."""
        steps = [step for step in self.game.steps if self.missing(step)]
        placed = [cents for (_, _, kind), cents in self.wagers.items() if kind == "ib"]
        unsure = bool(placed) and all(cents is None for cents in placed)  # each may have been refused
        return [
            one for step in steps for one in self.game.book.duty(step, "ALERT HOLD", needed=step != "ib" or not unsure)
        ]

    def named(self, number: int) -> Box | None:
        """Return the active box `number`."""
        return next((box for box in self.boxes if box.number == number), None)

    def left_of(self, box: Box) -> list[Box]:
        """Return the boxes between the dealer's left and `box`."""
        return self.boxes[: self.boxes.index(box)]


KEYS = {"ib": "kp.ib_settled", "antes": "kp.antes_collected", "choices": "kp.choice"}
