"""Honest rounds of the blackjack family (36.7, 26.7, 2.6, 2B.7), with hands that stand unless a line requests more.

`round boxes=3 up=K hole=7 hit=2 double=3 split=1 bj=2 b1=9H/KC reader=no dealer=bj`; in Switch Hands `switch=2` and
`d1=5H/6C`, the pair that is dealt face down; `deal` stops after the last card of the deal.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.profile.profile import DealPass
from pitwarden.scenario.arguments import Arguments
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.macro_base import MacroState, check_arguments, rank_total
from pitwarden_client.events.card_faces import parse_face, rank_of

_TENS: Final = ("K", "Q", "J", "10")
_HIGH: Final = ("9", "8", "7")
_ANY: Final = ("A", "2", "3", "4", "5", "6", *_HIGH, "K", "Q", "J")
_HANDS: Final = {"hit": ("5", "6"), "double": ("6", "5"), "split": ("8", "8"), "bj": ("A", "K")}
_DEAL: Final = (
    "boxes", "up", "hole", "dealer", "switch", *_HANDS, *(f"{pair}{box}" for pair in "bd" for box in range(1, 8)),
)  # fmt: skip


def blackjack_deal(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield the lines from the boxes to the last card of the deal."""
    check_arguments(args, _DEAL)
    yield from _Deal(house, args).rows()


def blackjack_round(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield the lines of a complete round."""
    check_arguments(args, (*_DEAL, "reader"))
    deal = _Deal(house, args)
    yield from deal.rows()
    yield from deal.steps()
    if deal.up == "A":
        yield "kp.open insurance"
        yield "kp.close insurance"
    blackjack = rank_total([deal.up, deal.hole]) == (21, True) if deal.hole else False
    reader = house.header.device("reader") is not None and args.named.get("reader") != "no" and deal.hole != ""
    if reader and deal.up in {"A", *_TENS}:
        yield "rd.ins"
        yield f"rd.res {'bj' if blackjack else 'no'}"
    if not (reader and blackjack):
        for box in deal.boxes:
            if "kp.bonus_settled" in house.profile.passes[-1].ends:
                yield f"kp.bonus_settled {box}"
            yield from _play(house, box, deal.styles.get(box, ""))
    yield "kp.hole_up"
    if deal.up == "A":
        yield "kp.insurance_settled"
    yield from _dealer_draws(house, [rank for rank in (deal.up, deal.hole) if rank])
    yield "kp.round_end"


class _Deal:
    """One deal: its boxes and hands, the boxes that switch, and the dealer's ranks once dealt."""

    def __init__(self, house: MacroState, args: Arguments) -> None:
        self.house, self.args = house, args
        self.boxes = house.boxes(args)
        self.styles = {box: style for style in _HANDS for box in house.boxes_in(args, style)}
        self.switching = house.boxes_in(args, "switch")
        self.firsts: dict[tuple[int, bool], str] = {}
        self.up = self.hole = ""

    def rows(self) -> Iterator[str]:
        """Yield the lines. Each takes its card from the shoe when it is generated, so they must be played in order."""
        yield f"kp.boxes 1-{len(self.boxes)}"
        yield self.house.profile.start[0]
        for one in self.house.profile.passes:
            if one.to == "dealer":
                yield f"sh.card {self._dealers(one)}"
            else:
                for box in self.boxes:
                    yield f"sh.card {self._card(box, up=one.up)}"
            yield from (end for end in one.ends[:1] if end.startswith("kp.close"))
        if _keys_the_deal(self.house):
            yield "kp.dealt"

    def steps(self) -> Iterator[str]:
        """Yield the keys that this game requires between the deal and play."""
        for step in ("ib_settled", "antes_collected"):
            if self.house.profile.rule(step) is not None:
                yield f"kp.{step}"
        if self.house.profile.rule("choices") is not None:
            for box in self.boxes:
                yield f"kp.choice {box} {'switch' if box in self.switching else 'keep'}"

    def _dealers(self, one: DealPass) -> str:
        if one.up:
            card = self.house.pack.take(*self._wish("up", _HIGH))
            self.up = rank_of(parse_face(card))
            return card
        blackjack = self.args.named.get("dealer") == "bj"
        low = (("A",) if blackjack else _HIGH) if self.up in _TENS else _HIGH
        usual = _TENS if self.up not in {"A", *_TENS} or (blackjack and self.up == "A") else low
        card = self.house.pack.take(*self._wish("hole", usual))
        self.hole = rank_of(parse_face(card))
        return card

    def _wish(self, name: str, usual: tuple[str, ...]) -> tuple[str, ...]:
        return (self.args.named[name],) if name in self.args.named else usual

    def _card(self, box: int, *, up: bool) -> str:
        pair, index = (box, up), int((box, up) in self.firsts)
        key = f"{'b' if up else 'd'}{box}"
        named = self.args.named.get(key, "").split("/")
        if named[0] and len(named) != 2:  # noqa: PLR2004  the initial two cards
            raise ScenarioError(f"{key} is two cards, as {key}=9H/KC")
        style = self.styles.get(box) if up is (box not in self.switching) else None
        if named[0]:
            wishes: tuple[str, ...] = (named[index],)
        elif style:
            wishes = (_HANDS[style][index],)
        else:
            wishes = _beside(rank_of(parse_face(self.firsts[pair]))) if index else _ANY
        card = self.house.pack.take(*wishes)
        if index and rank_total([rank_of(parse_face(one)) for one in (self.firsts[pair], card)]) == (21, True):
            self.house.round.blackjacks.add(box)
        self.firsts.setdefault(pair, card)
        return card


def _keys_the_deal(house: MacroState) -> bool:
    """Return whether the dealer keys that the deal is done: the game has the key, and this table keys it."""
    inputs, needed = house.header.inputs, {"kp.dealt", "kp.one_card"}
    return needed <= set(house.profile.keys.acts) and (inputs is None or needed <= set(inputs))


def _beside(rank: str) -> tuple[str, ...]:
    """Return the ranks that make no blackjack with `rank`, so that a player may stand."""
    return tuple(other for other in _ANY if rank_total([rank, other])[0] < 21)  # noqa: PLR2004  the game is called 21


def _play(house: MacroState, box: int, style: str) -> Iterator[str]:
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


def _dealer_draws(house: MacroState, hand: list[str]) -> Iterator[str]:
    """Yield draws up to the total on which the game's dealer stands, and no further (36.11(b), 26.12(b)).

    The total is 17 where our sources name none.
    """
    rule = house.profile.rule("accidental_draw")
    hard, soft_stand = (rule.number("hard"), rule.number("soft")) if rule else (17, 17)
    points, soft = rank_total(hand)
    while points < (soft_stand if soft else hard):
        yield "kp.dealer_draw"
        card = house.pack.take(str(min(9, max(2, 19 - points))))
        yield f"sh.card {card}"
        hand = [*hand, rank_of(parse_face(card))]
        points, soft = rank_total(hand)
