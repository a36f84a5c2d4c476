"""Nights of triple attack blackjack as an honest dealer plays them, with cards in the shoe that should not be there."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_simulators.oracle.hands import Box
from pitwarden_simulators.oracle.night import RANKS, SUITS, Night, Sequence, VoidError
from pitwarden_simulators.oracle.points import blackjack, dealer_draws, rank, total
from pitwarden_simulators.oracle.said import Setup

FULL: Final = 384
STAND: Final = 16
CHECKED: Final = frozenset("AKQJ")


@dataclass(slots=True)
class TripleNight(Night):
    """One table of triple attack blackjack."""

    shoe: list[str] = field(default_factory=list)
    drawn: int = 0
    cut_at: int = 0
    cut_seen: bool = False
    face_up: int = 0
    tens: int = 0
    dealers: int = 0
    up: str = ""

    def play(self, rounds: int) -> int:
        """Opens the table and plays; how many lines the opening took."""
        self.open_devices()
        self.open_deck("A", "red", self.rng.choice((0, 32)))
        self.machine("A", FULL)
        self.load()
        opening = len(self.lines)
        self.new_dealer()
        for _ in range(rounds):
            self.round()
        return opening

    def load(self) -> None:
        """A whole shuffled set goes into the shoe, with what should not be in it."""
        cards = [f"{rank}{suit}" for rank in RANKS for suit in SUITS] * 8
        self.rng.shuffle(cards)
        for at in range(self.rng.randrange(100, 300) if self.trouble else 0):
            if self.chance(self.trouble / 4):
                odd = self.rng.choice((f"10{self.rng.choice(SUITS)}", f"{cards[at]} up", f"{cards[at]} up", "JKR"))
                cards.insert(at, odd) if "up" not in odd else cards.__setitem__(at, odd)
        self.shoe, self.drawn, self.face_up, self.tens = cards, 0, 0, 0
        self.cut_at, self.cut_seen = self.rng.choice((10, 30, 60, 288)), False
        self.say(f"sh.load A {FULL}")

    def new_dealer(self) -> None:
        """Comes to the table and burns a card."""
        self.dealers += 1
        self.say(f"kp.dealer d{self.dealers}")
        try:
            self.draw()
        except VoidError:
            self.reshuffle()

    def draw(self) -> str:
        """The next card that may be used; what is found is racked or destroyed."""
        while True:
            card = self.shoe.pop(0)
            self.drawn += not card.startswith(("10", "JKR"))
            self.say(f"sh.card {card}")
            if self.drawn >= self.cut_at and not self.cut_seen:
                self.cut_seen = True
                self.say("sh.cut")
            ten, up = card.startswith("10"), card.endswith("up")
            self.tens += ten
            self.face_up += up
            if ten:
                self.say("ft.ten_destroyed")
            if (ten and self.tens > 1) or (up and self.face_up > 1):
                raise VoidError
            if not (ten or up or card == "JKR"):
                return card

    def reshuffle(self) -> None:
        """The end of a shoe: 36.7(l)."""
        self.say(f"sh.unload {FULL - self.drawn}")
        self.machine("A", FULL)
        self.load()
        try:
            self.draw()
        except VoidError:
            self.reshuffle()

    def round(self) -> None:
        """One round of play."""
        boxes = sorted(self.rng.sample(range(1, 8), self.rng.choice((1, 2, 2, 3))))
        self.say(f"kp.boxes {' '.join(map(str, boxes))}", "kp.deal")
        void = False
        try:
            self._deal([Box(box) for box in boxes])
        except VoidError:
            void = True
        self.say("kp.round_end")
        if void or self.cut_seen:
            self.reshuffle()
        elif self.chance(0.1):
            self.new_dealer()

    def _deal(self, boxes: list[Box]) -> None:
        for box in boxes:
            box.hands[0].cards.append(self.draw())
        self.say("kp.close attack2")
        up = self.draw()
        self.say("kp.close attack3")
        for box in boxes:
            box.hands[0].cards.append(self.draw())
        self._play(boxes, [up, self.draw()])

    def _play(self, boxes: list[Box], dealer: list[str]) -> None:
        ace = rank(dealer[0]) == "A"
        if ace:
            self.say("kp.open insurance", "kp.close insurance")
        if self._reader(dealer):
            self.say("kp.hole_up")
            if ace:
                self.say("kp.insurance_settled")
            return
        for box in boxes:
            self._player(box)
        self.say("kp.hole_up")
        if ace:
            self.say("kp.insurance_settled")
        hands = [hand for box in boxes for hand in box.hands]
        while dealer_draws(dealer) and not all(hand.settled_without_dealer for hand in hands):
            self.say("kp.dealer_draw")
            dealer.append(self.draw())

    def _reader(self, dealer: list[str]) -> bool:
        """Whether the reader shows a blackjack; at times the card is inserted when it must not be."""
        if not self.setup.reader:
            return False
        if rank(dealer[0]) in CHECKED:
            found = blackjack(dealer)
            self.say("rd.ins", f"rd.res {'bj' if found else 'no'}")
            return found
        if self.chance(self.trouble / 2):
            self.say("rd.ins", "rd.res no", "ft.notified")
            if self.setup.visible:
                raise VoidError
        return False

    def _player(self, box: Box) -> None:
        self.say(f"kp.bonus_settled {box.number}")
        while (hand := box.hand) is not None:
            if self.chance(self.trouble / 8):
                self._in_error(box)
                continue
            choice = self._choice(box)
            self.say(f"kp.decision {box.number} {choice}")
            box.decide(choice)
            if choice == "hit" and not hand.split and self.chance(self.trouble / 8):
                self.say(f"kp.skipped {box.number}", f"kp.opt {box.number} dead")
                return
            while box.owed:
                box.take(self.draw())

    def _in_error(self, box: Box) -> None:
        """A card that nobody asked for, which the next hit then gets."""
        card = self.draw()
        self.say(f"kp.drawn_in_error {self.rng.choice(('exposed', 'unexposed'))}")
        choice = "hit" if not box.forbids("hit") else "double"
        self.say(f"kp.decision {box.number} {choice}")
        box.decide(choice)
        box.take(card)
        while box.owed:
            box.take(self.draw())

    def _choice(self, box: Box) -> str:
        hand = box.hand
        if hand is None:
            return "stand"
        if not box.forbids("split") and self.chance(0.5):
            return "split"
        if self.chance(0.1):
            return "double"
        return "hit" if not box.forbids("hit") and total(hand.cards)[0] < STAND and self.chance(0.8) else "stand"


def triple_night(rng: Random) -> Sequence:
    """A table and a night on it."""
    reader = rng.random() < 0.5  # noqa: PLR2004  half of the tables have one
    counts, visible, shuffler = (rng.random() < share for share in (0.7, 0.5, 0.85))
    setup = Setup("TAB", 7, counts=counts, reader=reader, visible=reader and visible, shuffler=shuffler)
    night = TripleNight(rng, setup, rng.choice((0.0, 0.05, 0.2)))
    opening = night.play(rng.choice((1, 1, 2, 3)))
    return Sequence(setup, tuple(night.lines), opening)
