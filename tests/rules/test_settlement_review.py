"""A settlement alert is withdrawn only where the game has the row that raised it."""

from dataclasses import replace

from pitwarden.rules import LogEntry
from pitwarden.rules.engine.settlement_review import withdraw_settlements
from pitwarden_client.events.dealer_play import KpBoxes
from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.floor import FtCardRemoved
from pitwarden_client.events.table import ClockTick
from testkit.tables.rules_table import RulesTable, setup_of


def test_a_game_without_the_row_keeps_its_irregularities() -> None:
    table = RulesTable(setup_of("TAB"))
    table.key(FtCardRemoved(deck="A", count=1, reason="torn"))
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpSettled(box=1, wager="first_attack", result="win"))
    state = table.state
    assert state.round.windows.bets.paid
    assert state.cases
    profile = state.setup.profile
    rules = tuple(rule for rule in profile.rules if rule.key != "settled_wrongly")
    without = replace(state, setup=replace(state.setup, profile=replace(profile, rules=rules)))
    entry = LogEntry("e1", 99, 1_000, 1_000, "table", ClockTick())
    assert withdraw_settlements(without, entry, []) is without
