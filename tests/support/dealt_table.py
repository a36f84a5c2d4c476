"""A round of triple attack blackjack after its initial deal."""

from pitwarden.events import dealer as kp
from rules_table import RulesTable, setup_of


def dealt(firsts: str = "5C 9H", seconds: str = "6D KC", up: str = "9S", hole: str = "KD") -> RulesTable:
    table = RulesTable(setup_of("TAB")).open().deal(firsts, up, seconds, hole)
    table.key(kp.KpBonusSettled(box=1))
    return table
