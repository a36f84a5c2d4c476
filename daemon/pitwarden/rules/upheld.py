"""Profile rows that act outside the checks: a move refuses or tells under them, a duty is due under them."""

from typing import Final

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
