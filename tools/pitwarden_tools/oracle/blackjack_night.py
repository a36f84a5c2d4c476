"""Nights of the blackjack family as an honest dealer plays them, with foreign cards in the shoe."""

from dataclasses import dataclass
from random import Random
from typing import Final

from pitwarden_tools.oracle.blackjack_players import OraclePlayers
from pitwarden_tools.oracle.games import GAMES, TRIPLE, WINDOWS
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.night import Sequence, VoidError
from pitwarden_tools.oracle.points import GAME, HARD_STAND, LONG_HAND, blackjack, dealer_draws, rank, total
from pitwarden_tools.oracle.said import CHIP, Setup

SIX: Final = 6
SEVEN: Final = 7


@dataclass(slots=True)
class BlackjackNight(OraclePlayers):
    """Table of the blackjack family."""

    dealers: int = 0

    def play(self, rounds: int) -> int:
        """Open the table and play; return the number of lines of the opening."""
        self.open_devices()
        self.open_deck("A", "red", self.rng.choice((0, 32)) if not self.game.tens else 0)
        self.machine("A", self.full)
        self.load()
        opening = len(self.lines)
        self.new_dealer()
        for _ in range(rounds):
            self.round()
        return opening

    def new_dealer(self) -> None:
        """Bring a new dealer, who burns a card."""
        self.dealers += 1
        self.append(f"kp.dealer d{self.dealers}")
        self.burn()

    def round(self) -> None:
        """Play one round."""
        boxes = sorted(self.rng.sample(range(1, self.setup.positions + 1), self.rng.choice((1, 2, 2, 3))))
        self.append(f"kp.boxes {' '.join(map(str, boxes))}", self.game.start)
        void = False
        try:
            self._deal([Box(box, self.game.name, self.setup.positions) for box in boxes])
        except VoidError:
            void = True
        self.append("kp.round_end")
        if void or self.cut_seen:
            self.reshuffle()
        elif self.chance(0.1):
            self.new_dealer()

    def _deal(self, boxes: list[Box]) -> None:
        dealer: list[str] = []
        missed = self.game.name in {"DAB", "SH"} and self.chance(self.trouble / 8)
        for step in self.game.deal:
            if missed and step == "hole":
                self.append("kp.dealer_first_missed")
                raise VoidError
            if missed and step in {"up", *WINDOWS}:
                continue
            if step in WINDOWS:
                self.append(f"kp.close {step}")
            elif step in {"up", "hole"}:
                dealer.append(self.draw())
            else:
                for box in boxes:
                    (box.down if step.startswith("down") else box.hands[0].cards).append(self.draw())
        self.append("kp.dealt")
        for step in self.game.steps:
            self._step(step, boxes)
        self._play(boxes, dealer)

    def _step(self, step: str, boxes: list[Box]) -> None:
        if step != "choices":
            self.append({"ib": "kp.ib_settled", "antes": "kp.antes_collected"}[step])
            return
        for box in boxes:
            switch = self.chance(0.4)
            self.append(f"kp.choice {box.number} {'switch' if switch else 'keep'}")
            box.choose(switch=switch)

    def _play(self, boxes: list[Box], dealer: list[str]) -> None:
        ace = rank(dealer[0]) == "A"
        if ace:
            self.append("kp.open insurance", "kp.close insurance")
        if self._reader(dealer):
            self.append("kp.hole_up")
            if ace:
                self.append("kp.insurance_settled")
            return
        self.settles = rank(dealer[0]) not in self.game.checked or self.setup.reader  # 26.8(a)
        self.refused, self.skipped = "", []
        for box in boxes:
            self.player(box)
        for box in self.skipped:
            self.after_the_others(box)
        self.append("kp.hole_up")
        if self.refused and dealer_draws(dealer, self.game.soft_stand or HARD_STAND) and self._matters(boxes):
            dealer.append(self.refused)  # 36.14(e): to "the players or dealer"
        if ace:
            self.append("kp.insurance_settled")
        while dealer_draws(dealer, self.game.soft_stand or HARD_STAND) and self._matters(boxes):
            self.append("kp.dealer_draw")
            dealer.append(self.draw())

    def _matters(self, boxes: list[Box]) -> bool:
        """Return whether a hand is left that the dealer's total decides (36.11(c))."""
        long = LONG_HAND if self.game is TRIPLE else GAME
        hands = [hand for box in boxes for hand in box.hands if not box.surrendered]
        return any(total(hand.cards)[0] < GAME and len(hand.cards) < long for hand in hands)

    def _reader(self, dealer: list[str]) -> bool:
        """Return whether the reader shows a blackjack; at times the card is inserted when it must not be."""
        if not self.setup.reader:
            return False
        if rank(dealer[0]) in self.game.checked:
            found = blackjack(dealer)
            self.append("rd.ins", f"rd.res {'bj' if found else 'no'}")
            return found
        if self.chance(self.trouble / 2):
            self.append("rd.ins", "rd.res no", "ft.notified")
            if self.setup.visible:
                raise VoidError
        return False


def blackjack_night(game: str, rng: Random, *, wild: bool = False) -> Sequence:
    """Return a table of `game` with a night on it; `wild`: see `OracleNight`."""
    reader = rng.random() < 0.5  # noqa: PLR2004  half of the tables have one
    counts, visible, shuffler = (rng.random() < share for share in (0.7, 0.5, 0.85))
    positions = rng.choice((SIX, SEVEN)) if game == "DAB" else SIX if game == "SH" else SEVEN
    in_set = 0 if not GAMES[game].tens else rng.choice((6, 7, 8) if game == "SH" else (6, 8))
    bart = game == "SH" and rng.random() < 0.2  # noqa: PLR2004  one table in five
    dealt_in_passes = GAMES[game].closes
    setup = Setup(
        game, positions, counts=counts, reader=reader, visible=reader and visible, shuffler=shuffler, in_set=in_set,
        bart_carter=bart, insurance_unit=rng.choice((CHIP, CHIP, 100, 2_500)) if dealt_in_passes else CHIP,
        early_window=dealt_in_passes and rng.random() < 0.2,  # noqa: PLR2004  one table in five
    )  # fmt: skip
    night = BlackjackNight(rng, setup, rng.choice((0.0, 0.05, 0.2)), wild)
    opening = night.play(rng.choice((1, 1, 2, 3)) if not bart else rng.choice((2, 4, 5)))
    return Sequence(setup, tuple(night.lines), opening, honest=not night.trouble and not bart)
