"""Catalog of all checks, in the order in which they run, with the profile rows that each declares to read.

A row needs those checks of its game that are listed for its kind, its act or one of its signs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden.rules.checks import (
    active_wagers,
    card_handling,
    dealer_hand,
    dealing_order,
    decks,
    devices,
    found_cards,
    house_policy,
    opening,
    round_over,
    settlement,
    shuffles,
    stub,
)
from pitwarden.rules.checks.context import CheckContext, DeclaredRowsOfCheck, Rows
from pitwarden.rules.outcomes.announce import DICE_ROWS
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.queries.decks import STUB_ROWS
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.queries.reader import blackjack_said
from pitwarden.rules.setup.table_setup import KeyedInputs, monitored_rules
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions import draws
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.inputs import InputLogged

Check = Callable[[CheckContext], Iterator[Finding]]

CARD: Final = "card"
FOUND: Final = "found card"
FIRST: Final = "first card"
FURTHER: Final = "further card"
OF_DEAL: Final = "card of the deal"
OF_SHOE: Final = "first card of the shoe"
OF_DEALER: Final = "card of the dealer"
REPORTED: Final = "card after a reported blackjack"
IN_VOID: Final = "card in a void round"
ODD: Final = "card face up or of another back"
BEGINS: Final = "round begins"
REVEAL: Final = "reveal"
UNREADABLE: Final = "unreadable"
IMBALANCE: Final = "imbalance"
BUSY: Final = "device at work"
ASKED: Final = "reader without answer"
EMPTY: Final = "shoe empty"
PAID: Final = "wager settled"
BY_HAND: Final = ("kp.stub", "kp.hands", "kp.dealer_reveal", "kp.reveal", "kp.face_up")
"""Keys besides the decisions that show a deal which no device sensed."""


@dataclass(frozen=True)
class CheckEntry:
    """A check, the profile rows under which it finds something, and the rows of the log on which it may.

    Those are named by kind or act, or by a sign: a card left the shoe, and which; a round began; something became
    public; a seal could not be opened; the card ledger disagreed. Some signs last from row to row: a device is at
    work, the reader has not answered, the shoe is empty, a wager of the round was keyed as settled.

    `id` is published in `check.failed` and printed by `pitwarden clauses`. It does not follow the names of modules and
    functions: whoever renames a function leaves it as it is.
    """

    id: str
    check: Check
    rules: tuple[str, ...]
    on: tuple[str, ...]
    reads: tuple[str, ...] = ()
    """Keys of further rows of which it uses a parameter, or whether the game has them."""
    known: frozenset[str] = field(init=False, repr=False)
    """Keys of all rows that it may read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", frozenset((*self.rules, *self.reads)))

    def with_rows(self, profile: GameProfile, inputs: KeyedInputs) -> "DueCheck":
        """Return the check with those rows of a game that it declares, at a table where `inputs` are keyed."""
        monitored = monitored_rules(profile, inputs)
        rules, rows = (
            DeclaredRowsOfCheck((key, known.get(key)) for key in self.known) for known in (monitored, profile.by_key)
        )
        return DueCheck(self.id, self.check, rules.__getitem__, rows.__getitem__)


class DueCheck(NamedTuple):
    """Check with the rows of a table's game that it declares."""

    id: str
    check: Check
    rule: Rows
    row: Rows


CHECKS: Final = (
    CheckEntry("found_cards.stray_ten", found_cards.stray_ten, ("stray_ten",), (FOUND, "kp.ten")),
    CheckEntry("found_cards.face_up", found_cards.face_up, ("face_up",), (ODD, "kp.face_up", "kp.boxes")),
    CheckEntry("composition.joker", decks.joker, ("joker",), (FOUND, "shoe.stack")),
    CheckEntry(
        "composition.copies",
        decks.copies,
        ("composition",),
        (REVEAL, "shuffler.started", "kp.manual_shuffle", "ft.deck_returned"),
    ),
    CheckEntry("receipt.other_back", decks.other_back, ("backs",), (ODD, "kp.foreign_back")),
    CheckEntry(
        "counts.must_leave",
        decks.must_leave,
        ("shuffler_count", "shuffler_count_auto_shoe", "stub_wrong"),
        (FIRST, "kp.decision"),
    ),
    CheckEntry("receipt.set_split", decks.set_split, ("sealed_set",), ("ft.deck_opened",)),
    CheckEntry("receipt.returned_uninspected", decks.returned_uninspected, ("returned_cards",), ("ft.deck_returned",)),
    CheckEntry("security.shoe", opening.shoe, ("secured_shoe",), ("ft.table_open", "ft.table_close")),
    CheckEntry("security.shuffler", opening.shuffler, ("secured_shuffler",), ("ft.table_open", "ft.table_close")),
    CheckEntry("mixing.exposed", card_handling.exposed, ("remix",), ("kp.exposed_in_mix",)),
    CheckEntry("reader.misuse", dealer_hand.misuse, ("reader_misuse",), ("reader.inserted", "kp.misplaced", REVEAL)),
    CheckEntry(
        "reader.misuse_ruled", dealer_hand.misuse_ruled, ("reader_misuse",), ("ft.notified", "ft.reader_visible")
    ),
    CheckEntry(
        "reader.failed", dealer_hand.failed, ("reader_failure",), ("reader.fault", "kp.reader_bad", "ft.inspect")
    ),
    CheckEntry("reader.silent", dealer_hand.silent, ("reader_failure",), (ASKED,)),
    CheckEntry("reader.contradicted", dealer_hand.contradicted, ("reader_failure",), (REVEAL,)),
    CheckEntry("reader.used_while_out", dealer_hand.used_while_out, ("reader_failure",), ("reader.inserted",)),
    CheckEntry("reader.not_checked", dealer_hand.not_checked, ("reader_check",), (FURTHER,)),
    CheckEntry(
        "reader.card_after_blackjack", dealer_hand.card_after_blackjack, ("no_card_after_blackjack",), (REPORTED,)
    ),
    CheckEntry("reader.insurance_open", dealer_hand.insurance_open, ("insurance_first",), (FURTHER, "reader.inserted")),
    CheckEntry("devices.shuffler_fault", devices.shuffler_fault, ("shuffler_fault",), ("shuffler.fault",)),
    CheckEntry("devices.shuffler_overdue", devices.shuffler_overdue, ("shuffler_fault",), (BUSY,)),
    CheckEntry(
        "devices.shoe_fault",
        devices.shoe_fault,
        ("auto_shoe_fault", "shoe_fault"),
        ("shoe.fault", "shoe.empty"),
        reads=("short_shoe",),
    ),
    CheckEntry(
        "devices.method", devices.method, ("method_change",), ("shuffler.started", "kp.manual_shuffle", "kp.mode")
    ),
    CheckEntry(
        "devices.hand_without_shuffler", devices.hand_without_shuffler, ("hand_needs_shuffler",), ("kp.mode", BEGINS)
    ),
    CheckEntry("devices.short_shoe", devices.short_shoe, ("short_shoe",), (EMPTY,)),
    CheckEntry("stub.stack", stub.stack, ("hand_count",), ("shoe.stack",)),
    CheckEntry("stub.draws", stub.draws, ("hand_count",), ("kp.decision", "kp.dealer_reveal")),
    CheckEntry("stub.hands", stub.hands, ("stub_wrong", "hand_count"), ("kp.hands", "kp.stub"), reads=STUB_ROWS),
    CheckEntry("stub.wrong_stub", stub.wrong_stub, ("stub_wrong",), ("kp.stub",)),
    CheckEntry("stub.overdue", stub.overdue, STUB_ROWS, (BEGINS,)),
    CheckEntry("counts.shuffler", decks.shuffler, ("shuffler_count", "shuffler_count_auto_shoe"), ("shuffler.done",)),
    CheckEntry("counts.shoe", decks.shoe, ("shoe_count",), ("shoe.unloaded",)),
    CheckEntry("inspection.before_cards", opening.before_cards, ("inspection",), ("shoe.loaded", "shuffler.started")),
    CheckEntry("inspection.failed", opening.failed, ("inspection",), ("ft.inspect",)),
    CheckEntry("inspection.reader", opening.reader, ("reader_inspection",), ("reader.inserted",)),
    CheckEntry("opening.tens", opening.tens, ("opening_tens",), ("ft.opening",)),
    CheckEntry(
        "opening.before_use",
        opening.before_use,
        ("unopened_shuffle", "unopened_shuffle_second", "unopened_load"),
        ("shuffler.started", "shoe.loaded", "kp.manual_shuffle"),
    ),
    CheckEntry("opening.second_deck", opening.second_deck, ("second_deck",), ("ft.deck_opened",)),
    CheckEntry("opening.second_by_hand", opening.second_by_hand, ("second_deck",), (FIRST,)),
    CheckEntry("opening.alternation", opening.alternation, ("alternation",), (FIRST, "kp.decision")),
    CheckEntry("opening.rack", opening.rack, ("rack",), ("kp.collected", "kp.round_end")),
    CheckEntry("shuffles.unshuffled_load", shuffles.unshuffled_load, ("unshuffled_load",), ("shoe.loaded",)),
    CheckEntry("shuffles.unshuffled_rest", shuffles.unshuffled_rest, ("short_shoe",), ("shoe.loaded",)),
    CheckEntry("shuffles.unshuffled_round", shuffles.unshuffled_round, ("unshuffled_round",), (FIRST, "kp.decision")),
    CheckEntry("idle.dealt_unshuffled", card_handling.dealt_unshuffled, ("idle_spread",), (CARD,)),
    CheckEntry("idle.other_batch", card_handling.other_batch, ("idle_spread",), ("shoe.loaded",)),
    CheckEntry("idle.requested", card_handling.requested, ("idle_spread",), ("kp.spread_request",)),
    CheckEntry("shuffles.uncut", shuffles.uncut, ("cut_missing",), (OF_SHOE,)),
    CheckEntry("cut.near_an_end", card_handling.near_an_end, ("cut_position",), ("kp.cut",)),
    CheckEntry("cut.by_a_player", card_handling.by_a_player, ("cut_by_dealer",), ("kp.cut",)),
    CheckEntry(
        "cut.cutting_card_too_deep", card_handling.cutting_card_too_deep, ("cutting_card_depth",), ("shoe.cut",)
    ),
    CheckEntry("shuffles.shoe_not_empty", shuffles.shoe_not_empty, ("stub_in_shoe",), ("shoe.loaded",)),
    CheckEntry("shuffles.still_shuffling", shuffles.still_shuffling, ("load_while_shuffling",), ("shoe.loaded",)),
    CheckEntry("shuffles.after_cutting_card", shuffles.after_cutting_card, ("cutting_card",), (FIRST,)),
    CheckEntry("shuffles.ordered", shuffles.ordered, ("face_up", "stray_ten"), (FIRST,)),
    CheckEntry("shuffle_audit.looks_unshuffled", card_handling.looks_unshuffled, ("shuffle_audit",), ("kp.round_end",)),
    CheckEntry("shuffles.burn_in_mid_round", shuffles.burn_in_mid_round, ("burn",), ("kp.dealer",)),
    CheckEntry(
        "found_cards.dealer_first_missed",
        found_cards.dealer_first_missed,
        ("dealer_first",),
        ("kp.dealer_first_missed",),
    ),
    CheckEntry(
        "found_cards.dealer_first_confirmed", found_cards.dealer_first_confirmed, ("dealer_first",), ("ft.confirmed",)
    ),
    CheckEntry("order.bets_open", dealing_order.bets_open, ("bets_closed",), (FIRST, "kp.decision", *BY_HAND)),
    CheckEntry("order.window_open", dealing_order.window_open, ("window_first", "window_up"), (OF_DEAL,)),
    CheckEntry("order.closed_early", dealing_order.closed_early, ("window_first", "window_up"), ("kp.close",)),
    CheckEntry("order.unasked", dealing_order.unasked, ("unasked_card",), (FURTHER,)),
    CheckEntry("order.bonus_open", dealing_order.bonus_open, ("bonus_first",), (FURTHER,)),
    CheckEntry(
        "order.dealer_too_early",
        dealing_order.dealer_too_early,
        ("dealer_last",),
        ("kp.dealer_draw", "kp.hole_up", "kp.settled", "kp.round_end", REVEAL),
    ),
    CheckEntry("order.undecided_reveal", dealing_order.undecided_reveal, ("all_decided",), ("kp.dealer_reveal",)),
    CheckEntry("before_play.ib_unsettled", dealing_order.ib_unsettled, ("ib_settled",), (FURTHER, "reader.inserted")),
    CheckEntry(
        "before_play.antes_on_the_layout",
        dealing_order.antes_on_the_layout,
        ("antes_collected",),
        (FURTHER, "reader.inserted"),
    ),
    CheckEntry(
        "before_play.choice_open",
        dealing_order.choice_open,
        ("choices",),
        (FURTHER, "reader.inserted", "kp.open", "kp.wager"),
    ),
    CheckEntry("before_play.choice_out_of_turn", dealing_order.choice_out_of_turn, ("choice_order",), ("kp.choice",)),
    CheckEntry("settlement.insurance_unsettled", settlement.insurance_unsettled, ("insurance_settled",), (OF_DEALER,)),
    CheckEntry("settlement.other_hand_open", settlement.other_hand_open, ("split_order",), ("kp.decision",)),
    CheckEntry("settlement.decided_out_of_turn", settlement.decided_out_of_turn, ("decision_order",), ("kp.decision",)),
    CheckEntry("settlement.turned_out_of_turn", settlement.turned_out_of_turn, ("reveal_order",), ("kp.reveal",)),
    CheckEntry("settlement.out_of_turn", settlement.out_of_turn, ("settle_order",), ("kp.settled",)),
    CheckEntry(
        "dealer_draws.stopped_early",
        dealer_hand.stopped_early,
        ("dealer_draws",),
        ("kp.settled", "kp.round_end"),
        reads=("attack",),
    ),
    CheckEntry("dealer_draws.moot_draw", dealer_hand.moot_draw, ("moot_draw",), (OF_DEALER,)),
    CheckEntry("outcomes.differs", settlement.differs, ("settled_wrongly",), (PAID,), reads=("attack",)),
    CheckEntry(
        "dice.settled_wrongly", settlement.settled_wrongly, ("dice_settled",), ("kp.dice_settled",), reads=DICE_ROWS
    ),
    CheckEntry(
        "outcomes.surrender_settled_early",
        settlement.surrender_settled_early,
        ("surrender",),
        ("kp.settled",),
        reads=("attack",),
    ),
    CheckEntry(
        "settlement.bonus_after_comparison",
        settlement.bonus_after_comparison,
        ("bonus_before_comparison",),
        ("kp.settled",),
    ),
    CheckEntry("round_over.settled", round_over.settled, ("round_over",), ("kp.settled",)),
    CheckEntry("round_over.drawn", round_over.drawn, ("round_over_drawn",), (IN_VOID,), reads=("attack",)),
    CheckEntry("active_wagers.never_turned", active_wagers.never_turned, ("turned",), ("kp.round_end",)),
    CheckEntry("active_wagers.bonus_alone", active_wagers.bonus_alone, ("participation",), (BEGINS,)),
    CheckEntry("active_wagers.folded_paid", active_wagers.folded_paid, ("folded_paid",), ("kp.settled",)),
    CheckEntry("card_change.old_cards", decks.old_cards, ("card_change", "card_change_hand"), (BEGINS,)),
    CheckEntry("ledger.unbalanced", house_policy.unbalanced, ("ledger",), (IMBALANCE,)),
    CheckEntry("house.unreadable", house_policy.unreadable, ("unreadable_seal",), (UNREADABLE,)),
    CheckEntry("house.gap", house_policy.gap, ("device_gap",), ("device.gap",)),
    CheckEntry("house.log_fault", house_policy.log_fault, ("log_fault", "log_forked"), ("log.fault", "epoch.opened")),
    CheckEntry(
        "house.strange_device", house_policy.strange_device, ("strange_device",), ("device.suspect", "device.unknown")
    ),
    CheckEntry("house.replaced_device", house_policy.replaced_device, ("strange_device",), ("device.health",)),
    CheckEntry("house.unpermitted", house_policy.unpermitted, ("no_permit",), (CARD,)),
)


@lru_cache(maxsize=4096)
def due_checks(profile: GameProfile, inputs: KeyedInputs, words: tuple[str, ...]) -> tuple[DueCheck, ...]:
    """Return the checks that may find something on a row with these words, in the order of the catalog.

    Args:
        profile: Game of the table.
        inputs: Acts that are keyed at the table.
        words: Words of the row, as `row_keys` returns them.
    """
    given = frozenset(words)
    return tuple(
        [
            one.with_rows(profile, inputs)
            for one in CHECKS
            if not profile.by_key.keys().isdisjoint(one.rules) and not given.isdisjoint(one.on)
        ]
    )


def row_keys(seen: CheckContext) -> tuple[str, ...]:  # noqa: C901  a sign in each branch
    """Return the words of a row for `due_checks`: its kind or act, then its signs."""
    data, after, now = seen.entry.data, seen.after, seen.after.now
    words: list[str] = [data.act.act if type(data) is InputLogged else data.kind]
    if seen.drew:
        words += _of_card(seen)
    if seen.first:
        words.append(FIRST)
    if seen.begins:
        words.append(BEGINS)
    if now.reveals:
        words.append(REVEAL)
    if seen.entry.unreadable:
        words.append(UNREADABLE)
    if now.imbalances:
        words.append(IMBALANCE)
    for device in after.devices:
        if device.busy:
            words.append(BUSY)
            break
    reader = seen.before.round.play.reader
    if reader.inserted and not reader.answered:
        words.append(ASKED)
    if after.shoe.empty:
        words.append(EMPTY)
    if after.round.windows.bets.paid:
        words.append(PAID)
    return tuple(words)


def _of_card(seen: CheckContext) -> Iterator[str]:
    """Yield the signs of a row on which a card or a stack left the shoe."""
    before, after, fate = seen.before, seen.after, seen.after.now.fate
    yield CARD
    if fate in draws.FOUND:
        yield FOUND
    missing = cards_missing(before.setup, before.round)
    if missing == 0:
        yield FURTHER
    elif missing:
        yield OF_DEAL
    if before.shoe.drawn == 0:
        yield OF_SHOE
    if fate == "burned" or len(after.round.play.dealer) > len(before.round.play.dealer):
        yield OF_DEALER
    if before.round.void:
        yield IN_VOID
    if blackjack_said(before.round):
        yield REPORTED
    data = seen.entry.data
    if type(data) is ShoeCard and (data.up or data.back):
        yield ODD
