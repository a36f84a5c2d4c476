"""Honest rounds of triple attack blackjack (19:47-36.7), with hands that stand unless a line asks for more.

`round boxes=3 up=K hole=7 hit=2 double=3 split=1 bj=2 b1=9H/KC reader=no dealer=bj`; `deal` stops after the hole card.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.events.faces import face_of, rank_of
from pitwarden.scenario.args import Args
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.macro_house import House, allow
from pitwarden.scenario.pack import total

_TENS: Final = ("K", "Q", "J")
_HIGH: Final = ("9", "8", "7")
_ANY: Final = ("A", "2", "3", "4", "5", "6", *_HIGH, *_TENS)
_HANDS: Final = {"hit": ("5", "6"), "double": ("6", "5"), "split": ("8", "8"), "bj": ("A", "K")}
_DEAL: Final = ("boxes", "up", "hole", "hit", "double", "split", "bj", "dealer", *(f"b{box}" for box in range(1, 8)))


def triple_deal(house: House, args: Args) -> Iterator[str]:
    """From the boxes to the hole card."""
    allow(args, _DEAL)
    yield from _Deal(house, args).rows()


def triple_round(house: House, args: Args) -> Iterator[str]:
    """A whole round, to its end."""
    allow(args, (*_DEAL, "reader"))
    deal = _Deal(house, args)
    yield from deal.rows()
    if deal.up == "A":
        yield "kp.open insurance"
        yield "kp.close insurance"
    blackjack = total([deal.up, deal.hole]) == (21, True)
    reader = house.header.device("reader") is not None and args.named.get("reader") != "no"
    if reader and deal.up in {"A", *_TENS}:
        yield "rd.ins"
        yield f"rd.res {'bj' if blackjack else 'no'}"
    if not (reader and blackjack):
        for box in deal.boxes:
            yield from _play(house, box, deal.styles.get(box, ""))
    yield "kp.hole_up"
    if deal.up == "A":
        yield "kp.insurance_settled"
    yield from _dealer_draws(house, [deal.up, deal.hole])
    yield "kp.round_end"


class _Deal:
    """One deal: which boxes, which hands, and the dealer's two ranks once dealt."""

    def __init__(self, house: House, args: Args) -> None:
        count = args.named.get("boxes", str(house.header.boxes))
        if not count.isdecimal() or not 1 <= int(count) <= house.header.positions:
            raise ScenarioError(f"boxes is a number from 1 to {house.header.positions}, not {count!r}")
        self.house, self.args = house, args
        self.boxes = range(1, int(count) + 1)
        self.styles = {int(args.named[style]): style for style in _HANDS if args.named.get(style, "").isdecimal()}
        self.firsts: dict[int, str] = {}
        self.up = self.hole = ""

    def rows(self) -> Iterator[str]:
        """The lines, to be said as they come: each takes its card from the shoe."""
        yield f"kp.boxes 1-{len(self.boxes)}"
        yield "kp.deal"
        for box in self.boxes:
            yield f"sh.card {self._card(box, 0)}"
        yield "kp.close attack2"
        up = self.house.pack.take(*self._wish("up", _HIGH))
        self.up = rank_of(face_of(up))
        yield f"sh.card {up}"
        yield "kp.close attack3"
        for box in self.boxes:
            yield f"sh.card {self._card(box, 1)}"
        blackjack = self.args.named.get("dealer") == "bj"
        low = (("A",) if blackjack else _HIGH) if self.up in _TENS else _HIGH
        usual = _TENS if self.up not in {"A", *_TENS} or (blackjack and self.up == "A") else low
        hole = self.house.pack.take(*self._wish("hole", usual))
        self.hole = rank_of(face_of(hole))
        yield f"sh.card {hole}"

    def _wish(self, name: str, usual: tuple[str, ...]) -> tuple[str, ...]:
        return (self.args.named[name],) if name in self.args.named else usual

    def _card(self, box: int, index: int) -> str:
        named = self.args.named.get(f"b{box}", "").split("/")
        if named[0]:
            if len(named) != 2:  # noqa: PLR2004  the initial two cards
                raise ScenarioError(f"b{box} is two cards, as b{box}=9H/KC")
            return self.house.pack.take(named[index])
        style = self.styles.get(box)
        if style:
            return self.house.pack.take(_HANDS[style][index])
        if index == 0:
            self.firsts[box] = self.house.pack.take(*_ANY)
            return self.firsts[box]
        return self.house.pack.take(*_beside(rank_of(face_of(self.firsts[box]))))


def _beside(rank: str) -> tuple[str, ...]:
    """The ranks that make a hand of two on which a player may stand: anything but a blackjack."""
    return tuple(other for other in _ANY if total([rank, other])[0] < 21)  # noqa: PLR2004  the game is called 21


def _play(house: House, box: int, style: str) -> Iterator[str]:
    yield f"kp.bonus_settled {box}"
    match style:
        case "bj":
            return
        case "hit":
            yield f"kp.hit {box}"
            yield f"sh.card {house.pack.take('8', '7', '9')}"
        case "double":
            yield f"kp.double {box}"
            yield f"sh.card {house.pack.take('9', '8', '7')}"
            return
        case "split":
            yield f"kp.split {box}"
            yield f"sh.card {house.pack.take(*_TENS)}"
            yield f"kp.stand {box}"
            yield f"sh.card {house.pack.take(*_TENS)}"
        case _:
            pass
    yield f"kp.stand {box}"


def _dealer_draws(house: House, hand: list[str]) -> Iterator[str]:
    """To hard 17 or soft 18 and no further (19:47-36.11(b))."""
    points, soft = total(hand)
    while points < (18 if soft else 17):
        yield "kp.dealer_draw"
        card = house.pack.take(str(min(9, max(2, 19 - points))))
        yield f"sh.card {card}"
        hand = [*hand, rank_of(face_of(card))]
        points, soft = total(hand)
