"""Catalog of all checks in the order in which they run, and those that a row of the log needs.

Each check is listed at its condition (`checks.check_entry`). A row needs those checks of its game that are listed
for its kind, its act or one of its signs.
"""

from functools import lru_cache
from typing import Final

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
    other_bettors,
    round_over,
    settlement,
    shuffles,
    stub,
)
from pitwarden.rules.checks.check_entry import (
    ASKED,
    BEGINS,
    BUSY,
    CARD,
    EMPTY,
    FIRST,
    FOUND,
    FURTHER,
    IMBALANCE,
    IN_VOID,
    ODD,
    OF_DEAL,
    OF_DEALER,
    OF_SHOE,
    PAID,
    REPORTED,
    REVEAL,
    TURNED,
    UNREADABLE,
    DueCheck,
    checks_of,
)
from pitwarden.rules.checks.context import CheckContext
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.queries.reader import blackjack_said
from pitwarden.rules.setup.table_setup import KeyedInputs
from pitwarden.rules.transitions import draws
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.inputs import InputLogged

CHECKS: Final = checks_of(
    active_wagers, card_handling, dealer_hand, dealing_order, decks, devices, found_cards, house_policy, opening,
    other_bettors, round_over, settlement, shuffles, stub,
)  # fmt: skip


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


def _of_card(seen: CheckContext) -> list[str]:
    """Return the signs of a row on which a card or a stack left the shoe."""
    before, after, fate = seen.before, seen.after, seen.after.now.fate
    signs = [CARD]
    if fate in draws.FOUND:
        signs.append(FOUND)
    missing = cards_missing(before.setup, before.round)
    if missing == 0:
        signs.append(FURTHER)
    elif missing:
        signs.append(OF_DEAL)
    if before.shoe.drawn == 0:
        signs.append(OF_SHOE)
    if fate == "burned" or len(after.round.play.dealer) > len(before.round.play.dealer):
        signs.append(OF_DEALER)
    if before.round.void:
        signs.append(IN_VOID)
    if blackjack_said(before.round):
        signs.append(REPORTED)
    if before.round.play.hole_up:
        signs.append(TURNED)
    data = seen.entry.data
    if type(data) is ShoeCard and (data.up or data.back):
        signs.append(ODD)
    return signs
