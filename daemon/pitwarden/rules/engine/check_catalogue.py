"""All checks in order, and which a row needs.

Every clause's check, in the order in which checks run, with the profile rows that it reads: the one list.

Which checks a row needs: those of its game that are listed for its kind, its act or one of its signs.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden_client.events.inputs import InputLogged

from pitwarden.rules.checks import (
    card_handling,
    dealer_hand,
    dealing_order,
    decks,
    devices,
    found_cards,
    house_policy,
    opening,
    settlement,
    shuffles,
    stub,
)
from pitwarden.rules.checks.context import Seen
from pitwarden.rules.checks.opening import before_cards, failed, reader, shoe, shuffler
from pitwarden.rules.checks.settlement import differs, settled_wrongly, surrender_settled_early
from pitwarden.rules.profile.profile import Profile
from pitwarden.rules.queries.layout import missing
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions import draws

Check = Callable[[Seen], Iterator[Finding]]

ANY: Final = "any row"
CARD: Final = "card"
FOUND: Final = "found card"
FIRST: Final = "first card"
FURTHER: Final = "further card"
BEGINS: Final = "round begins"
REVEAL: Final = "reveal"
UNREADABLE: Final = "unreadable"
IMBALANCE: Final = "imbalance"


class Listed(NamedTuple):
    """A check, the profile rows that it reads, and the rows of the log on which it may find something.

    Those are named by kind or act, or by a sign: a card left the shoe, it was one that belongs in no hand, the first
    one of its round was dealt, one came after the whole deal, a round began, something became public, a seal could not
    be opened, the card ledger disagreed. A deadline is watched on any row.

    `id` is published in `check.failed` and printed by `pitwarden clauses`. It does not follow the names of modules and
    functions: whoever renames a function leaves it as it is.
    """

    id: str
    check: Check
    rules: tuple[str, ...]
    on: tuple[str, ...]


CHECKS: Final = (
    Listed("found_cards.stray_ten", found_cards.stray_ten, ("stray_ten",), (FOUND, "kp.ten")),
    Listed("found_cards.face_up", found_cards.face_up, ("face_up",), ("shoe.card", "kp.face_up", "kp.boxes")),
    Listed("composition.joker", decks.joker, ("joker",), (FOUND, "shoe.stack")),
    Listed(
        "composition.copies",
        decks.copies,
        ("composition",),
        (REVEAL, "shuffler.started", "kp.manual_shuffle", "ft.deck_returned"),
    ),
    Listed("receipt.other_back", decks.other_back, ("backs",), ("shoe.card", "kp.foreign_back")),
    Listed("receipt.set_split", decks.set_split, ("sealed_set",), ("ft.deck_opened",)),
    Listed("receipt.returned_uninspected", decks.returned_uninspected, ("returned_cards",), ("ft.deck_returned",)),
    Listed("security.shoe", shoe, ("secured_shoe",), ("ft.table_open", "ft.table_close")),
    Listed("security.shuffler", shuffler, ("secured_shuffler",), ("ft.table_open", "ft.table_close")),
    Listed("mixing.exposed", card_handling.exposed, ("remix",), ("kp.exposed_in_mix",)),
    Listed("reader.misuse", dealer_hand.misuse, ("reader_misuse",), ("reader.inserted", "kp.misplaced", REVEAL)),
    Listed("reader.misuse_ruled", dealer_hand.misuse_ruled, ("reader_misuse",), ("ft.notified", "ft.reader_visible")),
    Listed("reader.failed", dealer_hand.failed, ("reader_failure",), ("reader.fault", "kp.reader_bad", "ft.inspect")),
    Listed("reader.silent", dealer_hand.silent, ("reader_failure",), (ANY,)),
    Listed("reader.contradicted", dealer_hand.contradicted, ("reader_failure",), ("kp.hole_up",)),
    Listed("reader.not_checked", dealer_hand.not_checked, ("reader_check",), (FURTHER,)),
    Listed("reader.card_after_blackjack", dealer_hand.card_after_blackjack, ("no_card_after_blackjack",), (CARD,)),
    Listed("reader.insurance_open", dealer_hand.insurance_open, ("insurance_first",), (FURTHER, "reader.inserted")),
    Listed("devices.shuffler_fault", devices.shuffler_fault, ("shuffler_fault",), ("shuffler.fault",)),
    Listed("devices.shuffler_overdue", devices.shuffler_overdue, ("shuffler_fault",), (ANY,)),
    Listed("devices.shoe_fault", devices.shoe_fault, ("auto_shoe_fault", "shoe_fault"), ("shoe.fault", "shoe.empty")),
    Listed("devices.method", devices.method, ("method_change",), ("shuffler.started", "kp.manual_shuffle", "kp.mode")),
    Listed(
        "devices.hand_without_shuffler", devices.hand_without_shuffler, ("hand_needs_shuffler",), ("kp.mode", BEGINS)
    ),
    Listed("devices.short_shoe", devices.short_shoe, ("short_shoe",), (ANY,)),
    Listed("stub.stack", stub.stack, ("hand_count",), ("shoe.stack",)),
    Listed("stub.draws", stub.draws, ("hand_count",), ("kp.decision", "kp.dealer_reveal")),
    Listed("stub.hands", stub.hands, ("stub_wrong", "hand_count"), ("kp.hands",)),
    Listed("stub.wrong_stub", stub.wrong_stub, ("stub_wrong",), ("kp.stub",)),
    Listed("stub.overdue", stub.overdue, ("stub_manual_shoe", "stub_auto_shoe"), (BEGINS,)),
    Listed("counts.shuffler", decks.shuffler, ("shuffler_count", "shuffler_count_auto_shoe"), ("shuffler.done",)),
    Listed("counts.shoe", decks.shoe, ("shoe_count",), ("shoe.unloaded",)),
    Listed("inspection.before_cards", before_cards, ("inspection",), ("shoe.loaded", "shuffler.started")),
    Listed("inspection.failed", failed, ("inspection",), ("ft.inspect",)),
    Listed("inspection.reader", reader, ("reader_inspection",), ("reader.inserted",)),
    Listed("opening.tens", opening.tens, ("opening_tens",), ("ft.opening",)),
    Listed(
        "opening.before_use",
        opening.before_use,
        ("unopened_shuffle", "unopened_shuffle_second", "unopened_load"),
        ("shuffler.started", "shoe.loaded", "kp.manual_shuffle"),
    ),
    Listed("opening.second_deck", opening.second_deck, ("second_deck",), ("ft.deck_opened",)),
    Listed("opening.second_by_hand", opening.second_by_hand, ("second_deck",), (FIRST,)),
    Listed("opening.alternation", opening.alternation, ("alternation",), (FIRST,)),
    Listed("opening.rack", opening.rack, ("rack",), ("kp.collected", "kp.round_end")),
    Listed("shuffles.unshuffled_load", shuffles.unshuffled_load, ("unshuffled_load",), ("shoe.loaded",)),
    Listed("shuffles.unshuffled_rest", shuffles.unshuffled_rest, ("short_shoe",), ("shoe.loaded",)),
    Listed("shuffles.unshuffled_round", shuffles.unshuffled_round, ("unshuffled_round",), (FIRST, "kp.decision")),
    Listed("idle.dealt_unshuffled", card_handling.dealt_unshuffled, ("idle_spread",), (CARD,)),
    Listed("idle.other_batch", card_handling.other_batch, ("idle_spread",), ("shoe.loaded",)),
    Listed("idle.requested", card_handling.requested, ("idle_spread",), ("kp.spread_request",)),
    Listed("shuffles.uncut", shuffles.uncut, ("cut_missing",), (CARD,)),
    Listed("cut.near_an_end", card_handling.near_an_end, ("cut_position",), ("kp.cut",)),
    Listed("cut.by_a_player", card_handling.by_a_player, ("cut_by_dealer",), ("kp.cut",)),
    Listed("cut.cutting_card_too_deep", card_handling.cutting_card_too_deep, ("cutting_card_depth",), ("shoe.cut",)),
    Listed("shuffles.shoe_not_empty", shuffles.shoe_not_empty, ("stub_in_shoe",), ("shoe.loaded",)),
    Listed("shuffles.still_shuffling", shuffles.still_shuffling, ("load_while_shuffling",), ("shoe.loaded",)),
    Listed("shuffles.after_cutting_card", shuffles.after_cutting_card, ("cutting_card",), (FIRST,)),
    Listed("shuffles.ordered", shuffles.ordered, ("face_up", "stray_ten"), (FIRST,)),
    Listed("shuffle_audit.looks_unshuffled", card_handling.looks_unshuffled, ("shuffle_audit",), ("kp.round_end",)),
    Listed("shuffles.burn_in_mid_round", shuffles.burn_in_mid_round, ("burn",), ("kp.dealer",)),
    Listed(
        "found_cards.dealer_first_missed",
        found_cards.dealer_first_missed,
        ("dealer_first",),
        ("kp.dealer_first_missed",),
    ),
    Listed(
        "found_cards.dealer_first_confirmed", found_cards.dealer_first_confirmed, ("dealer_first",), ("ft.confirmed",)
    ),
    Listed("order.bets_open", dealing_order.bets_open, ("bets_closed",), (FIRST,)),
    Listed("order.window_open", dealing_order.window_open, ("window_first", "window_up"), (CARD,)),
    Listed("order.unasked", dealing_order.unasked, ("unasked_card",), (FURTHER,)),
    Listed("order.bonus_open", dealing_order.bonus_open, ("bonus_first",), (CARD,)),
    Listed(
        "order.dealer_too_early", dealing_order.dealer_too_early, ("dealer_last",), ("kp.dealer_draw", "kp.hole_up")
    ),
    Listed("order.undecided_reveal", dealing_order.undecided_reveal, ("all_decided",), ("kp.dealer_reveal",)),
    Listed("before_play.ib_unsettled", dealing_order.ib_unsettled, ("ib_settled",), (FURTHER, "reader.inserted")),
    Listed(
        "before_play.antes_on_the_layout",
        dealing_order.antes_on_the_layout,
        ("antes_collected",),
        (FURTHER, "reader.inserted"),
    ),
    Listed(
        "before_play.choice_open",
        dealing_order.choice_open,
        ("choices",),
        (FURTHER, "reader.inserted", "kp.open", "kp.wager"),
    ),
    Listed("before_play.choice_out_of_turn", dealing_order.choice_out_of_turn, ("choice_order",), ("kp.choice",)),
    Listed("settlement.insurance_unsettled", settlement.insurance_unsettled, ("insurance_settled",), (CARD,)),
    Listed("settlement.other_hand_open", settlement.other_hand_open, ("split_order",), ("kp.decision",)),
    Listed("settlement.decided_out_of_turn", settlement.decided_out_of_turn, ("decision_order",), ("kp.decision",)),
    Listed("settlement.turned_out_of_turn", settlement.turned_out_of_turn, ("reveal_order",), ("kp.reveal",)),
    Listed("settlement.out_of_turn", settlement.out_of_turn, ("settle_order",), ("kp.settled",)),
    Listed("dealer_draws.stopped_early", dealer_hand.stopped_early, ("dealer_draws",), ("kp.settled", "kp.round_end")),
    Listed("dealer_draws.moot_draw", dealer_hand.moot_draw, ("moot_draw",), (CARD,)),
    Listed("outcomes.differs", differs, ("settled_wrongly",), ("kp.settled", "kp.round_end", REVEAL)),
    Listed("dice.settled_wrongly", settled_wrongly, ("dice_settled",), ("kp.dice_settled",)),
    Listed("outcomes.surrender_settled_early", surrender_settled_early, ("surrender",), ("kp.settled",)),
    Listed(
        "settlement.bonus_after_comparison",
        settlement.bonus_after_comparison,
        ("bonus_before_comparison",),
        ("kp.settled",),
    ),
    Listed("card_change.old_cards", decks.old_cards, ("card_change", "card_change_hand"), (BEGINS,)),
    Listed("ledger.unbalanced", house_policy.unbalanced, ("ledger",), (IMBALANCE,)),
    Listed("house.unreadable", house_policy.unreadable, ("unreadable_seal",), (UNREADABLE,)),
    Listed("house.gap", house_policy.gap, ("device_gap",), ("device.gap",)),
    Listed("house.log_fault", house_policy.log_fault, ("log_fault", "log_forked"), ("log.fault", "epoch.opened")),
    Listed(
        "house.strange_device", house_policy.strange_device, ("strange_device",), ("device.suspect", "device.unknown")
    ),
    Listed("house.replaced_device", house_policy.replaced_device, ("strange_device",), ("device.health",)),
    Listed("house.unpermitted", house_policy.unpermitted, ("no_permit",), (CARD,)),
)


@lru_cache(maxsize=4096)
def due(profile: Profile, words: tuple[str, ...]) -> tuple[Listed, ...]:
    """The checks of a game that may find something on a row with these words, in the catalogue's order."""
    rows = {rule.key for rule in profile.rules}
    return tuple(one for one in CHECKS if not rows.isdisjoint(one.rules) and not {ANY, *words}.isdisjoint(one.on))


def words_of(seen: Seen) -> tuple[str, ...]:
    """What `due` needs of a row: its kind or act, then its signs."""
    data, now = seen.entry.data, seen.after.now
    words: list[str] = [data.act.act if isinstance(data, InputLogged) else data.kind]
    if CARD in now.tokens:
        words.append(CARD)
        if now.fate in draws.FOUND:
            words.append(FOUND)
        if missing(seen.before.setup, seen.before.round) == 0:
            words.append(FURTHER)
    if now.first:
        words.append(FIRST)
    if seen.begins:
        words.append(BEGINS)
    if now.reveals:
        words.append(REVEAL)
    if seen.entry.unreadable:
        words.append(UNREADABLE)
    if now.imbalances:
        words.append(IMBALANCE)
    return tuple(words)
