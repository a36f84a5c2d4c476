"""Profile rows that act outside the checks: a move refuses or tells under them, a duty is due under them."""

from types import ModuleType
from typing import Final

from pitwarden.rules import duties, fitness, runner
from pitwarden.rules.moves import boxes, dealer, errors, floor, hands, passes, play, possible_boxes, stakes, wagers
from pitwarden.rules.outcomes import blackjack, blitz_round, bonuses, dice

_ROWS: Final[tuple[tuple[ModuleType, tuple[str, ...]], ...]] = (
    (boxes, ("positions", "mid_shoe_entry")),
    (dealer, ("positions", "stub_right", "fold")),
    (possible_boxes, ("positions",)),
    (play, ("positions", "exposed_card", "player_draw", "split", "split_ace")),
    (hands, ("accidental_draw",)),
    (errors, ("no_cards", "skipped", "drawn_in_error", "exposed_card")),
    (floor, ("recut", "stray_ten")),
    (passes, ("deal",)),
    (wagers, ("wager_window", "wager_locked")),
    (stakes, ("bettors", "beside", "doubled_stake", "stake_unit", "equal_stake", "fixed_stake", "posted_limits")),
    (play, ("surrender",)),
    (dice, ("come_out", "pass", "dont_pass", "come", "dont_come", "place_win", "place_lose", "four_hard")),
    (blackjack, ("attack", "original_only", "insurance", "surrender", "skipped")),
    (bonuses, ("suited_royals", "triple_match", "ib")),
    (blitz_round, ("showdown", "fold", "blind", "flush_bonus", "progressive")),
    (duties, ("cut_offer", "bart_carter", "inspection", "reader_inspection", "cutting_card_depth")),
    (fitness, ("positions", "hand_needs_shuffler", "card_change_hand")),
    (runner, ("check_failed",)),
)


def name_of(module: ModuleType) -> str:
    """A module as it is named in the table of clauses, as `moves.play`."""
    return module.__name__.removeprefix("pitwarden.rules.")


UPHELD: Final = tuple((name_of(module), keys) for module, keys in _ROWS)
"""The name of a module, and the rows that it acts under."""

MODULES: Final = tuple(_ROWS)
"""The same with the modules themselves."""
