"""How often honest shoes are alarmed, and how soon defective ones: the auditor on shoes out of the simulator."""

from dataclasses import dataclass, field
from random import Random
from statistics import quantiles
from typing import Final

from pitwarden.rules.shuffle.auditor import PackShape, ShuffleAudit, audit_cards, start_shoe
from pitwarden_tools.shuffle_study.dealing import StudiedGame, StudiedRound, rack_of, shoe
from pitwarden_tools.shuffle_study.packs import HONEST, Order

IN_A_ROW: Final = 5
"""How many shoes of a defect are dealt, at most, until the auditor is alarmed."""


@dataclass
class Honest:
    """Honest shoes: how many, how many cards were dealt of them, and in how many an alarm was said."""

    shoes: int = 0
    cards: int = 0
    alarmed: int = 0


@dataclass
class Caught:
    """Runs of a defect: how many, how many were alarmed, in the first shoe, and after how many cards."""

    runs: int = 0
    first: int = 0
    delays: list[int] = field(default_factory=list)

    def delay(self) -> tuple[int, int]:
        """The median and the ninth decile of the delay, in cards dealt from the first defective shoe on."""
        tenths = quantiles(self.delays, n=10, method="inclusive") if len(self.delays) > 1 else self.delays * 9
        return (round(tenths[4]), round(tenths[8])) if tenths else (0, 0)


def honest(game: StudiedGame, count: int, seed: int) -> Honest:
    """`count` honest shoes running, at one table."""
    dice, made = Random(f"{seed} {game.name} honest"), Honest()
    audit, rack = ShuffleAudit(), list[int]()
    for _ in range(count):
        cards = HONEST(dice, rack, game.decks, game.tens)
        rounds = list(shoe(dice, game, cards))
        audit, found, _delay = _heard(game, start_shoe(audit), rounds)
        made.shoes, made.alarmed = made.shoes + 1, made.alarmed + bool(found)
        made.cards += sum(len(one.dealt) for one in rounds)
        rack = rack_of(cards, rounds)
    return made


def defective(game: StudiedGame, order: Order, name: str, count: int, seed: int) -> Caught:
    """`count` tables: an honest shoe, then up to `IN_A_ROW` of the defect, until an alarm."""
    made = Caught()
    for run in range(count):
        dice = Random(f"{seed} {game.name} {name} {run}")
        cards = HONEST(dice, (), game.decks, game.tens)
        rounds = list(shoe(dice, game, cards))
        audit, _, _ = _heard(game, ShuffleAudit(), rounds)
        made.runs, dealt = made.runs + 1, 0
        for turn in range(IN_A_ROW):
            cards = order(dice, rack_of(cards, rounds), game.decks, game.tens)
            rounds = list(shoe(dice, game, cards))
            audit, found, delay = _heard(game, start_shoe(audit), rounds)
            if found:
                made.first += turn == 0
                made.delays.append(dealt + delay)
                break
            dealt += sum(len(one.dealt) for one in rounds)
    return made


def _heard(
    game: StudiedGame, audit: ShuffleAudit, rounds: list[StudiedRound]
) -> tuple[ShuffleAudit, tuple[str, ...], int]:
    """The auditor after a shoe, the tests it was alarmed by, and after how many cards the first of them."""
    pack = PackShape(faces=52 if game.tens else 48, copies=game.decks, key=b"measured")
    found, cards, delay = list[str](), 0, 0
    for one in rounds:
        audit = audit_cards(audit, pack, one.dealt, one.hands)
        cards += len(one.dealt)
        delay = cards if audit.found and not found else delay
        found += audit.found
    return audit, tuple(found), delay
