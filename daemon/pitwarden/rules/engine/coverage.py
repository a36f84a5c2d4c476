"""Clause coverage of code and of a table.

Profile rows that act outside the checks: a move refuses or tells under them, a duty is due under them.

Which rows of a profile decide a clause, and what reads each row: checks, moves, duties.

Whether a table watches a clause: what it keys, which devices it has, what the house attests (`[inputs]`).
"""

from typing import Final

from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.profile.clauses import Clause
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.setup.table_setup import TableSetup

UPHELD: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("moves.boxes", ("positions", "mid_shoe_entry")),
    ("moves.dealer", ("positions", "stub_right", "fold")),
    ("moves.possible_boxes", ("positions",)),
    ("moves.play", ("positions", "exposed_card", "player_draw", "split", "split_ace")),
    ("moves.hands", ("accidental_draw",)),
    ("moves.errors", ("no_cards", "skipped", "drawn_in_error", "exposed_card")),
    ("moves.floor", ("recut", "stray_ten")),
    ("moves.passes", ("deal",)),
    ("moves.wagers", ("wager_window", "wager_locked")),
    (
        "moves.stakes",
        ("bettors", "beside", "doubled_stake", "stake_unit", "equal_stake", "fixed_stake", "posted_limits"),
    ),
    ("moves.play", ("surrender",)),
    ("outcomes.dice", ("come_out", "pass", "dont_pass", "come", "dont_come", "place_win", "place_lose", "four_hard")),
    ("outcomes.blackjack", ("attack", "original_only", "insurance", "surrender", "skipped")),
    ("outcomes.bonuses", ("suited_royals", "triple_match", "ib")),
    ("outcomes.blitz_round", ("showdown", "fold", "blind", "flush_bonus", "progressive")),
    ("duties", ("cut_offer", "bart_carter", "inspection", "reader_inspection", "cutting_card_depth")),
    ("fitness", ("positions", "hand_needs_shuffler", "card_change_hand")),
    ("runner", ("check_failed",)),
)
"""Labels as `pitwarden clauses` prints them, each with the rows that it acts under.

A label is part of that table, and stays when the module that it once named is renamed or merged.
"""


def deciding_rules(profile: GameProfile, clause: Clause) -> tuple[ClauseRule, ...]:
    """The rows of `profile` that decide `clause`."""
    return tuple(rule for rule in profile.rules if rule.clause == clause.ident or rule.key in clause.rows)


def rule_readers(rule: ClauseRule) -> tuple[str, ...]:
    """What reads the row: checks by their name, then the moves and duties that act on it."""
    checks = (one.id for one in CHECKS if rule.key in one.rules)
    return (*checks, *(name for name, keys in UPHELD if rule.key in keys))


def monitoring_status(setup: TableSetup, clause: Clause) -> str:
    """`monitored`, `attested ...`, or `not monitored: ` with the reason."""
    if clause.device and not any(device.kind == clause.device for device in setup.devices):
        return f"not monitored: no {clause.device} at this table"
    rules = deciding_rules(setup.profile, clause)
    if "H" in clause.kind:
        return _attested(setup, clause)
    if not rules:
        return "not monitored: it has no check in this game"
    open_rules = [rule for rule in rules if setup.keyed(rule.needs)]
    if not open_rules:
        return f"not monitored: {', '.join(_unkeyed(setup, rules))} not keyed here"
    blind = [rule for rule in rules if rule not in open_rules]
    return "monitored" + (f", but not {', '.join(_unkeyed(setup, tuple(blind)))}" if blind else "")


def _unkeyed(setup: TableSetup, rules: tuple[ClauseRule, ...]) -> list[str]:
    return sorted({act for rule in rules for act in rule.needs if not setup.keyed((act,))})


def _attested(setup: TableSetup, clause: Clause) -> str:
    if setup.attested is None:
        return "not monitored: no attestations are kept in the table file"
    made = next((one for one in setup.attested if one.clause == clause.ident), None)
    if made is not None:
        return f"attested by {made.by} on {made.on}" + (f" ({made.reference})" if made.reference else "")
    return "not attested" + (", and the text asks for it before play" if clause.attested else "")
