"""Rounds of the blackjack family as honest people key them: the deal, the players' decisions, the dealer's draws."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_tools.outcomes.rounds import RANKS, PlayedRound
from pitwarden_tools.outcomes.texts import points, rank, value

GAME_POINTS: Final = 21


@dataclass(frozen=True, slots=True)
class FamilyGame:
    """Game of the family, as its text has the deal and the dealer's draws.

    `deal`: passes to the boxes, windows, and the dealer's two cards. `soft_stand`: points on which the dealer stands
    with an ace as 11. `long`: number of cards of a hand that the dealer's cannot decide any more, 0 for none. `moot`:
    whether the dealer draws no card that has no effect.
    """

    name: str
    start: str
    deal: tuple[str, ...]
    soft_stand: int
    tens: bool
    first: str
    bonuses: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ("hit", "stand", "double", "split")
    bonus_keys: bool = False
    moot: bool = False
    long: int = 0
    most: int = 4
    """Highest number of hands of a box at a table of seven positions (36.9(c), 26.10(c))."""


TRIPLE: Final = FamilyGame(
    "TAB", "kp.deal", ("first", "attack2", "up", "attack3", "second", "hole"), 18, tens=False, first="first_attack",
    bonuses=("suited_royals", "triple_match"), bonus_keys=True, moot=True, long=6,
)  # fmt: skip
DOUBLE: Final = FamilyGame(
    "DAB", "kp.deal", ("up", "doubleattack", "first", "second", "hole"), 17, tens=False, first="first_attack",
    decisions=("hit", "stand", "double", "split", "surrender"), moot=True, most=3,
)  # fmt: skip
SWITCH: Final = FamilyGame(
    "SH", "kp.deal", ("down", "down", "first", "up", "second", "hole"), 17, tens=True, first="blackjack",
    steps=("kp.antes_collected", "kp.choice"),
)  # fmt: skip
BETWEEN: Final = FamilyGame(
    "IB", "kp.no_more_bets", ("first", "up", "second", "hole"), 17, tens=True, first="", bonuses=("ib",),
    steps=("kp.ib_settled",), decisions=("stand",),
)  # fmt: skip
FAMILY: Final = {game.name: game for game in (TRIPLE, DOUBLE, SWITCH, BETWEEN)}


@dataclass(slots=True)
class BoxHand:
    """Hand of a box."""

    box: int
    half: str = ""
    cards: list[str] = field(default_factory=list)
    split: bool = False
    doubled: bool = False
    surrendered: bool = False

    @property
    def name(self) -> str:
        """Name of the hand in an outcome."""
        return f"box{self.box}{self.half}"


@dataclass(slots=True)
class FamilyRound:
    """One round at a table, dealt from `shoe`."""

    game: FamilyGame
    rng: Random
    shoe: list[str]
    boxes: tuple[int, ...]
    keyed: bool
    """True where wagers are keyed."""
    round: PlayedRound = field(default_factory=PlayedRound)
    stakes: dict[tuple[int, str], int] = field(default_factory=dict)
    hands: list[BoxHand] = field(default_factory=list)
    firsts: dict[int, list[str]] = field(default_factory=dict)
    """Cards that each box was dealt face up."""
    down: dict[int, list[str]] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    insured: set[int] = field(default_factory=set)

    def play(self) -> PlayedRound:
        """Play the round; its outcomes are still to be added."""
        self._before_the_deal()
        self._deal()
        self._steps()
        if rank(self.dealer[0]) == "A":
            self._insurance()
        for hand in [*self.hands]:
            if self.game.bonus_keys:
                self.round.key(f"kp.bonus_settled {hand.box}")
            self._decide(hand)
        self._dealers()
        self.round.key("kp.round_end")
        return self.round

    def wager(self, wager: str, box: int, most: int) -> None:
        """Key a wager of a random amount in whole units of $5, at most `most` cents."""
        cents = 500 * self.rng.randint(1, max(1, most // 500))
        self.stakes[box, wager] = cents
        self.round.key(f"kp.wager {wager} {box} {cents}")

    def _before_the_deal(self) -> None:
        for box in self.boxes if self.keyed else ():
            if self.game.first:
                self.wager(self.game.first, box, 10_000)
            for bonus in self.game.bonuses:
                if self.rng.random() < 0.7:  # noqa: PLR2004  most boxes
                    self.wager(bonus, box, self.stakes.get((box, self.game.first), 5_000))
        self.round.key(f"kp.boxes {' '.join(map(str, self.boxes))}", self.game.start)

    def _deal(self) -> None:
        held: dict[str, dict[int, list[str]]] = {"down": {}, "up": {}}
        for step in self.game.deal:
            if step in {"attack2", "attack3", "doubleattack"}:
                for box in self.boxes if self.keyed else ():
                    if self.rng.random() < 0.5:  # noqa: PLR2004  half of the boxes
                        self.wager(step, box, self.stakes[box, self.game.first])
                self.round.key(f"kp.close {step}")
            elif step in {"up", "hole"}:
                self.dealer.append(self._card())
            else:
                for box in self.boxes:
                    held["down" if step == "down" else "up"].setdefault(box, []).append(self._card())
        self.round.key("kp.dealt")
        self.firsts = held["up"]
        self.hands = [BoxHand(box, cards=[*held["up"][box]]) for box in self.boxes]
        self.down = held["down"]

    def _steps(self) -> None:
        for step in self.game.steps:
            if step != "kp.choice":
                self.round.key(step)
                continue
            for hand in self.hands:
                switch = self.rng.random() < 0.4  # noqa: PLR2004  some boxes
                self.round.key(f"kp.choice {hand.box} {'switch' if switch else 'keep'}")
                if switch:
                    hand.cards = [*self.down[hand.box]]

    def _insurance(self) -> None:
        self.round.key("kp.open insurance")
        for box in self.boxes if self.keyed and self.game.first else ():
            if self.rng.random() < 0.5:  # noqa: PLR2004  half of the boxes
                self.wager("insurance", box, self.stakes[box, self.game.first] // 2)
                self.insured.add(box)
        self.round.key("kp.close insurance")

    def _decide(self, hand: BoxHand) -> None:
        """Let a player decide until each hand of the box is complete."""
        waiting = [hand]
        made = 1
        while waiting:
            now = waiting[0]
            if len(now.cards) == 1:
                now.cards.append(self._card())
                if rank(now.cards[0]) == "A" and now.split:
                    waiting.pop(0)
                    if not waiting and points(now.cards)[0] < GAME_POINTS:
                        self.round.key(f"kp.stand {now.box}")
                    continue
            total, _ = points(now.cards)
            if now.doubled or total >= GAME_POINTS:
                waiting.pop(0)
                continue
            choice = self._choice(now, made)
            self.round.key(f"kp.{choice} {now.box}")
            match choice:
                case "split":
                    other = BoxHand(now.box, "bcd"[made - 1], [now.cards.pop()], split=True)
                    now.split, made = True, made + 1
                    waiting.insert(1, other)
                    self.hands.insert(self.hands.index(now) + 1, other)
                case "hit" | "double":
                    now.doubled = choice == "double"
                    now.cards.append(self._card())
                case _:
                    now.surrendered = choice == "surrender"
                    waiting.pop(0)

    def _choice(self, hand: BoxHand, made: int) -> str:
        total, soft = points(hand.cards)
        able = ["stand"] if total > 16 and not soft else ["hit"]  # noqa: PLR2004  as most people play
        able += ["hit", "stand"] if self.rng.random() < 0.3 else []  # noqa: PLR2004  some play otherwise
        able += ["double"] if self.rng.random() < 0.3 else []  # noqa: PLR2004  some double
        two = len(hand.cards) == 2  # noqa: PLR2004  the initial cards
        pair = two and value(hand.cards[0]) == value(hand.cards[1])
        if pair and made < self.game.most and not (hand.split and rank(hand.cards[0]) == "A"):
            able += ["split"] * 4
        if two and not hand.split and self.rng.random() < 0.15:  # noqa: PLR2004  few surrender
            able += ["surrender"] * 3
        known = [one for one in able if one in self.game.decisions]
        return self.rng.choice(known or ["stand"])

    def _dealers(self) -> None:
        self.round.key("kp.hole_up")
        if rank(self.dealer[0]) == "A":
            self.round.key("kp.insurance_settled")
        while self._dealer_draws():
            self.round.key("kp.dealer_draw")
            self.dealer.append(self._card())

    def _dealer_draws(self) -> bool:
        total, soft = points(self.dealer)
        if self.game.moot and not any(self.open_to_the_dealer(hand) for hand in self.hands):
            return False
        return total < (self.game.soft_stand if soft else 17)

    def open_to_the_dealer(self, hand: BoxHand) -> bool:
        """Return whether the dealer's points still decide a hand (36.11(c))."""
        whole = bool(self.game.long) and len(hand.cards) >= self.game.long
        total = points(hand.cards)[0]
        wins_alone = bool(self.game.long) and total == GAME_POINTS
        return not (hand.surrendered or total > GAME_POINTS or wins_alone or whole)

    def _card(self) -> str:
        card = self.shoe.pop()
        self.round.key(f"sh.card {card}")
        return card


def shoe_of(game: FamilyGame, rng: Random, decks: int) -> list[str]:
    """Return a shuffled shoe of whole decks, without its 10s where the game has none."""
    cards = [f"{name}{suit}" for name in RANKS for suit in "SHDC" if game.tens or name != "10"] * decks
    rng.shuffle(cards)
    return cards
