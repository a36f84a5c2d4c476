"""Rate of false alarms on honest shoes, and delay on defective ones, of the auditor on simulated shoes."""

from dataclasses import dataclass, field
from random import Random
from statistics import quantiles
from typing import Final

from pitwarden.rules.shuffle.auditor import PackShape, ShuffleAudit, audit_cards, start_shoe
from pitwarden_tools.shuffle_study.dealing import StudiedGame, StudiedRound, rack_of, shoe
from pitwarden_tools.shuffle_study.packs import HONEST, Order

IN_A_ROW: Final = 5
"""Shoes of a defect dealt, at most, until the auditor raises an alarm."""


@dataclass
class Honest:
    """Honest shoes: their number, the number of cards dealt, and the shoes with an alarm."""

    shoes: int = 0
    cards: int = 0
    alarmed: int = 0


@dataclass
class Caught:
    """Runs of a defect: their number, those with an alarm, in the first shoe, and after how many cards."""

    runs: int = 0
    first: int = 0
    delays: list[int] = field(default_factory=list)

    def delay(self) -> tuple[int, int]:
        """Return the median and the ninth decile of the delay, in cards dealt from the first defective shoe on."""
        tenths = quantiles(self.delays, n=10, method="inclusive") if len(self.delays) > 1 else self.delays * 9
        return (round(tenths[4]), round(tenths[8])) if tenths else (0, 0)


def honest(game: StudiedGame, count: int, seed: int) -> Honest:
    """Deal `count` honest shoes, at one table."""
    dice, made = Random(f"{seed} {game.name} honest"), Honest()
    audit, rack = ShuffleAudit(), list[int]()
    for _ in range(count):
        cards = HONEST(dice, rack, game.decks, game.tens)
        rounds = list(shoe(dice, game, cards))
        audit, found, _delay = _audited(game, start_shoe(audit), rounds)
        made.shoes, made.alarmed = made.shoes + 1, made.alarmed + bool(found)
        made.cards += sum(len(one.dealt) for one in rounds)
        rack = rack_of(cards, rounds)
    return made


def defective(game: StudiedGame, order: Order, name: str, count: int, seed: int) -> Caught:
    """Deal at `count` tables an honest shoe, then up to `IN_A_ROW` of the defect, until an alarm."""
    made = Caught()
    for run in range(count):
        dice = Random(f"{seed} {game.name} {name} {run}")
        cards = HONEST(dice, (), game.decks, game.tens)
        rounds = list(shoe(dice, game, cards))
        audit, _, _ = _audited(game, ShuffleAudit(), rounds)
        made.runs, dealt = made.runs + 1, 0
        for turn in range(IN_A_ROW):
            cards = order(dice, rack_of(cards, rounds), game.decks, game.tens)
            rounds = list(shoe(dice, game, cards))
            audit, found, delay = _audited(game, start_shoe(audit), rounds)
            if found:
                made.first += turn == 0
                made.delays.append(dealt + delay)
                break
            dealt += sum(len(one.dealt) for one in rounds)
    return made


def _audited(
    game: StudiedGame, audit: ShuffleAudit, rounds: list[StudiedRound]
) -> tuple[ShuffleAudit, tuple[str, ...], int]:
    """Return the auditor after a shoe, the tests with an alarm, and the number of cards before the first of them."""
    pack = PackShape(faces=52 if game.tens else 48, copies=game.decks, key=b"measured")
    found, cards, delay = list[str](), 0, 0
    for one in rounds:
        audit = audit_cards(audit, pack, one.dealt, one.hands)
        cards += len(one.dealt)
        delay = cards if audit.found and not found else delay
        found += audit.found
    return audit, tuple(found), delay
