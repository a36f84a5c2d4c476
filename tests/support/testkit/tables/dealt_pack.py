"""Pack dealt out at triple attack blackjack as lines of a scenario: every hand stands, the dealer by 36.11(b)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwarden.rules.evaluation.blackjack import hand_total
from pitwarden_client.events.card_faces import face_name


@dataclass
class DealtPack:
    """Lines of a shoe, and the rack that its rounds leave: each hand from the dealer's right, the dealer's last."""

    pack: Sequence[int]
    boxes: int
    out: int = 0
    rack: list[int] = field(default_factory=list)

    def card(self, hand: list[int]) -> str:
        hand.append(self.pack[self.out])
        self.out += 1
        return f"sh.card {face_name(hand[-1])}"

    def round(self) -> Iterator[str]:
        hands, dealer = [list[int]() for _ in range(self.boxes)], list[int]()
        yield from (f"kp.boxes 1-{self.boxes}", "kp.deal")
        yield from map(self.card, hands)
        yield from ("kp.close attack2", self.card(dealer), "kp.close attack3")
        yield from map(self.card, hands)
        yield self.card(dealer)
        ace = dealer[0] % 13 == 0
        yield from ("kp.open insurance", "kp.close insurance") if ace else ()
        live = [box for box, hand in enumerate(hands, start=1) if points(hand) < (21, False)]
        for box in range(1, self.boxes + 1):
            yield f"kp.bonus_settled {box}"
            yield from [f"kp.stand {box}"] * (box in live)
        yield "kp.hole_up"
        yield from ["kp.insurance_settled"] * ace
        while live and points(dealer)[0] < (18 if points(dealer)[1] else 17):
            yield from ("kp.dealer_draw", self.card(dealer))
        yield "kp.round_end"
        self.rack += [card for hand in (*reversed(hands), dealer) for card in hand]

    def rounds(self, count: int) -> Iterator[str]:
        for _ in range(count):
            yield from self.round()


def points(hand: list[int]) -> tuple[int, bool]:
    total = hand_total(tuple(hand))
    assert total is not None
    return total.points, total.soft
