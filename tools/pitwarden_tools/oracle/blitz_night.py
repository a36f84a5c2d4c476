"""Nights of 3 Card Blitz as an honest dealer plays them, with faults of cards, shoe and shuffler."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_tools.oracle.night import RANKS, SUITS, OracleNight, Sequence, VoidError
from pitwarden_tools.oracle.said import Setup

FULL: Final = 52
HAND: Final = 7
OFTEN: Final = (0, 0, 1, 7, 13, 14, 20, 21, 27)
"""Places of a face-up card: first, last and next cards of hands and of deals."""


@dataclass(slots=True)
class BlitzNight(OracleNight):
    """Table of 3 Card Blitz."""

    shoe: list[str] = field(default_factory=list)
    deck: str = "A"
    since_count: int = 0

    def play(self, rounds: int) -> int:
        """Open the table and play; return the number of lines of the opening."""
        self.open_devices()
        for deck, colour in self.setup.decks:
            self.open_deck(deck, colour, 0)
        self.machine("A", FULL)
        self.load("A")
        if len(self.setup.decks) > 1:
            self.machine("B", FULL)
        opening = len(self.lines)
        for _ in range(rounds):
            self.round()
        return opening

    def load(self, deck: str) -> None:
        """Load a complete shuffled deck into the shoe."""
        cards = [f"{rank}{suit}" for rank in (*RANKS, "10") for suit in SUITS]
        self.rng.shuffle(cards)
        if self.setup.mode == "manual_shoe" and self.chance(self.trouble):
            at = self.rng.choice(OFTEN) if self.wild else self.rng.randrange(30)
            cards[at] += " up"
        self.shoe, self.deck = cards, deck
        if self.setup.mode != "hand":
            self.append(f"sh.load {deck} {FULL}")

    def round(self) -> None:
        """Play one round and the shuffle after it."""
        boxes = sorted(self.rng.sample(range(1, 7), self.rng.choice((1, 2, 2, 3))))
        self.append(f"kp.boxes {' '.join(map(str, boxes))}", "kp.no_more_bets")
        self.since_count += 1
        try:
            self._deal(len(boxes) + 1)
            self._decide(boxes)
        except VoidError:
            if self.setup.mode == "auto_shoe":
                self.append(f"sh.unload {len(self.shoe)}")
        self.append("kp.round_end")
        self._next_deck()

    def _deal(self, hands: int) -> None:
        if self.setup.mode == "hand":
            self.shoe = self.shoe[HAND * hands :]
            if self.chance(self.trouble / 4):
                self.append("kp.face_up")
                raise VoidError
            return
        for _ in range(hands):
            if self.setup.mode == "manual_shoe":
                for _ in range(HAND):
                    self.append(f"sh.card {self.shoe[0]}")
                    if self.shoe.pop(0).endswith("up"):
                        raise VoidError
                continue
            if self.chance(self.trouble / 8):
                self.append(self.rng.choice(("sh.fault jam", "sh.fault stopped", "sh.fault short")))
                raise VoidError
            count = HAND + (self.rng.choice((-1, 1)) if self.chance(self.trouble / 8) else 0)
            stack, self.shoe = self.shoe[:count], self.shoe[count:]
            self.append(f"sh.stack {count} {' '.join(stack)}")
            if count != HAND:
                raise VoidError

    def _decide(self, boxes: list[int]) -> None:
        playing = []
        for box in boxes:
            choice = self.rng.choice(("play", "play", "fold"))
            playing += [box] if choice == "play" else []
            self.append(f"kp.decision {box} {choice}")
        due = not self.setup.counts and self.since_count >= self.rng.choice((3, 5, 5, 5))
        if due or self.chance(self.trouble / 2):
            self._count(len(boxes) + 1)
        if self.setup.mode == "auto_shoe":
            self.append(f"sh.unload {len(self.shoe)}")
        self.append("kp.dealer_reveal", *(f"kp.reveal {box}" for box in reversed(playing)))

    def _count(self, hands: int) -> None:
        """Count the stub; at times it is wrong, and then the hands are counted."""
        stub = len(self.shoe)
        if not self.chance(self.trouble):
            self.append(f"kp.stub {stub}")
            self.since_count = 0
            return
        wrong = stub + self.rng.choice((-1, 1))
        counts = [HAND] * hands
        if self.chance(0.6):
            counts[self.rng.randrange(hands)] += self.rng.choice((stub - wrong, stub - wrong, wrong - stub))
        self.append(f"kp.stub {wrong}", f"kp.hands {' '.join(map(str, counts))}")
        raise VoidError

    def _next_deck(self) -> None:
        if len(self.setup.decks) > 1:
            used, other = self.deck, "B" if self.deck == "A" else "A"
            self.append(f"kp.collected {used}")
            self.load(other)
            self.machine(used, FULL)
            return
        self.machine("A", FULL)
        if self.setup.counts:
            self.since_count = 0
        self.load("A")


def blitz_night(rng: Random, *, wild: bool = False, by_hand: bool = False) -> Sequence:
    """Return a table with a night on it; `wild`: see `OracleNight`. `by_hand`: the cards may be dealt from the hand."""
    if by_hand and rng.random() < 0.4:  # noqa: PLR2004  two tables in five
        return _night_by_hand(rng)
    two = rng.random() < 0.3  # noqa: PLR2004  three tables in ten use two decks
    decks = (("A", "red"), ("B", "blue")) if two else (("A", "red"),)
    mode = rng.choice(("auto_shoe", "auto_shoe", "manual_shoe"))
    counts, shuffled_by_hand = (rng.random() < share for share in (0.5, 0.15))
    shuffler = two or not shuffled_by_hand
    setup = Setup("CB", 6, decks, mode, counts=counts and shuffler, shuffler=shuffler)
    night = BlitzNight(rng, setup, rng.choice((0.0, 0.05, 0.2)), wild)
    rounds = rng.choice((1, 2, 3) if setup.counts else (1, 3, 6, 8)) if mode == "auto_shoe" else rng.choice((1, 2))
    opening = night.play(rounds)
    counted = counts or not two  # this dealer does not count each of two decks in time (C-11)
    return Sequence(setup, tuple(night.lines), opening, honest=not night.trouble and counted)


def _night_by_hand(rng: Random) -> Sequence:
    two, counts = (rng.random() < share for share in (0.7, 0.6))
    decks = (("A", "red"), ("B", "blue")) if two else (("A", "red"),)
    setup = Setup("CB", 6, decks, "hand", counts=counts)
    night = BlitzNight(rng, setup, rng.choice((0.0, 0.05, 0.2)))
    opening = night.play(rng.choice((1, 2, 3, 4)))
    return Sequence(setup, tuple(night.lines), opening, honest=not night.trouble)
