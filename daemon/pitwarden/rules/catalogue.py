"""Every clause's check, in the order in which checks run, with the profile rows that it reads: the one list."""

from collections.abc import Callable, Iterator
from typing import Final

from pitwarden.rules.checks import (
    before_play,
    card_change,
    composition,
    counts,
    devices,
    found_cards,
    house,
    idle,
    inspection,
    opening,
    order,
    reader,
    settlement,
    shuffles,
    stub,
)  # fmt: skip
from pitwarden.rules.finding import Seen
from pitwarden.rules.state import Finding

Check = Callable[[Seen], Iterator[Finding]]

CHECKS: Final[tuple[tuple[Check, tuple[str, ...]], ...]] = (
    (found_cards.stray_ten, ("stray_ten",)),
    (found_cards.face_up, ("face_up",)),
    (composition.joker, ("joker",)),
    (composition.copies, ("composition",)),
    (reader.misuse, ("reader_misuse",)),
    (reader.misuse_ruled, ("reader_misuse",)),
    (reader.failed, ("reader_failure",)),
    (reader.silent, ("reader_failure",)),
    (reader.contradicted, ("reader_failure",)),
    (reader.not_checked, ("reader_check",)),
    (reader.card_after_blackjack, ("no_card_after_blackjack",)),
    (reader.insurance_open, ("insurance_first",)),
    (devices.shuffler_fault, ("shuffler_fault",)),
    (devices.shuffler_overdue, ("shuffler_fault",)),
    (devices.shoe_fault, ("auto_shoe_fault", "shoe_fault")),
    (devices.method, ("method_change",)),
    (devices.hand_without_shuffler, ("hand_needs_shuffler",)),
    (devices.short_shoe, ("short_shoe",)),
    (stub.stack, ("hand_count",)),
    (stub.draws, ("hand_count",)),
    (stub.hands, ("stub_wrong", "hand_count")),
    (stub.wrong_stub, ("stub_wrong",)),
    (stub.overdue, ("stub_manual_shoe", "stub_auto_shoe")),
    (counts.shuffler, ("shuffler_count", "shuffler_count_auto_shoe")),
    (counts.shoe, ("shoe_count",)),
    (inspection.before_cards, ("inspection",)),
    (inspection.failed, ("inspection",)),
    (inspection.reader, ("reader_inspection",)),
    (opening.tens, ("opening_tens",)),
    (opening.before_use, ("unopened_shuffle", "unopened_shuffle_second", "unopened_load")),
    (opening.second_deck, ("second_deck",)),
    (opening.second_by_hand, ("second_deck",)),
    (opening.alternation, ("alternation",)),
    (opening.rack, ("rack",)),
    (shuffles.unshuffled_load, ("unshuffled_load",)),
    (shuffles.unshuffled_round, ("unshuffled_round",)),
    (idle.dealt_unshuffled, ("idle_spread",)),
    (idle.other_batch, ("idle_spread",)),
    (idle.requested, ("idle_spread",)),
    (shuffles.uncut, ("cut_missing",)),
    (shuffles.shoe_not_empty, ("stub_in_shoe",)),
    (shuffles.still_shuffling, ("load_while_shuffling",)),
    (shuffles.after_cutting_card, ("cutting_card",)),
    (shuffles.burn_in_mid_round, ("burn",)),
    (found_cards.dealer_first_missed, ("dealer_first",)),
    (order.bets_open, ("bets_closed",)),
    (order.window_open, ("window_first", "window_up")),
    (order.unasked, ("unasked_card",)),
    (order.bonus_open, ("bonus_first",)),
    (order.dealer_too_early, ("dealer_last",)),
    (order.undecided_reveal, ("all_decided",)),
    (before_play.ib_unsettled, ("ib_settled",)),
    (before_play.antes_on_the_layout, ("antes_collected",)),
    (before_play.choice_open, ("choices",)),
    (settlement.insurance_unsettled, ("insurance_settled",)),
    (settlement.other_hand_open, ("split_order",)),
    (settlement.turned_out_of_turn, ("reveal_order",)),
    (settlement.out_of_turn, ("settle_order",)),
    (card_change.old_cards, ("card_change", "card_change_hand")),
    (house.unreadable, ("unreadable_seal",)),
    (house.gap, ("device_gap",)),
    (house.log_fault, ("log_fault", "log_forked")),
    (house.strange_device, ("strange_device",)),
    (house.replaced_device, ("strange_device",)),
    (house.unpermitted, ("no_permit",)),
)


def name_of(check: Check) -> str:
    """A check as it is named in `check.failed` and in the table of clauses."""
    return f"{check.__module__.rsplit('.', 1)[-1]}.{check.__name__}"
