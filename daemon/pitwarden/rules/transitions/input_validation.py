"""Validation of inputs: an input that is impossible at this table changes nothing and is refused with the reason.

Impossible is an input of another role or game, or one that names a box, deck or device that is not there. Transitions
and checks treat what a clause forbids.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.game_lists import load_lists
from pitwarden.rules.profile.loading import NAMED, OF_SOME_GAMES
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.decks import hands_dealt, is_which_unknown
from pitwarden.rules.queries.layout import placed_cards
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.clearing_rights import clearing_refusal
from pitwarden.rules.transitions.shuffler import deck_for_cut, deck_for_hand_shuffle
from pitwarden_client.events.dealer_cards import KpBurnRequest, KpCut, KpHands, KpManualShuffle, KpMode, KpStub
from pitwarden_client.events.dealer_irregularities import (
    KpMisplaced,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpReaderBad,
    KpRefuse,
    KpSkipped,
)
from pitwarden_client.events.dealer_play import KpDeal, KpDecision
from pitwarden_client.events.dealer_wagers import KpClose, KpNoMoreBets, KpOpen, KpSettled, KpWager
from pitwarden_client.events.floor import (
    FtCardRemoved,
    FtDeckReturned,
    FtDeckVerified,
    FtDeviceInstalled,
    FtDeviceRemoved,
    FtNotified,
    FtOpening,
    FtProcedureApproved,
    FtReaderVisible,
)
from pitwarden_client.events.inputs import Act, InputLogged, may_send

ROWS: Final = declared(__name__, decides=("positions",))

_RULE: Final = "positions"


def _positions(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    """Yield that the table has no such box, as reason and key of the profile rule."""
    box = _box(data.act)
    if box is not None and box > state.setup.positions:
        yield f"The table has positions 1 to {state.setup.positions}: there is no box {box}.", _RULE


def _boxes(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    """Yield that the box has no hand in this round, as reason and key of the profile rule."""
    act, played = data.act, state.round
    box = _box(act)
    if box is None or not played.deal.boxes:
        return
    none = f"Box {box} has no hand in this round."
    match act:
        case KpNoCards() | KpOneCard() | KpSkipped() if box not in played.deal.active:
            yield none, _RULE
        case KpOption() | KpSettled() if box not in played.deal.boxes:
            yield none, _RULE
        case KpWager() if played.open and played.deal.dealt and box not in played.deal.active:
            yield none, _RULE
        case KpRefuse() if played.open and box not in played.deal.active:
            yield none, _RULE
        case _:
            return


def _box(act: Act) -> int | None:
    box = act.by if isinstance(act, KpCut) else vars(act).get("box")
    return box if isinstance(box, int) else None


# Cards of a deck before its 10s are removed: the upper bound while the card ledger does not know the number.
_FACTORY: Final = 52


def equipment_refusal(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    """Yield why the deck or device that the input names is impossible, as reason and key of the profile rule."""
    act = data.act
    match act:
        case FtOpening() | FtDeckVerified() | FtDeckReturned():
            yield from _deck(state, act.deck)
        case KpManualShuffle() if act.deck is not None:
            yield from _deck(state, act.deck)
        case FtCardRemoved():
            yield from _deck(state, act.deck)
            yield from _removed(state, act)
        case FtProcedureApproved():
            yield from _device(state, act.device)
        case FtDeviceRemoved() | FtDeviceInstalled():
            yield from _device(state, act.device)
            device = state.device(act.device)
            installed = isinstance(act, FtDeviceInstalled)
            if device is not None and device.on_table is installed:
                yield f"{act.device} is {'at' if installed else 'not at'} the table.", ""
        case _:
            return


def _deck(state: RulesState, ident: str) -> Iterator[tuple[str, str]]:
    known = {deck.ident for deck in state.decks} | {deck.ident for deck in state.setup.decks}
    if ident not in known:
        yield f"There is no deck {ident} at this table: {', '.join(sorted(known)) or 'none'}.", ""


def _device(state: RulesState, ident: str) -> Iterator[tuple[str, str]]:
    if state.device(ident) is None:
        known = ", ".join(device.ident for device in state.devices)
        yield f"No device called {ident} is configured at this table: {known}.", ""


def _removed(state: RulesState, act: FtCardRemoved) -> Iterator[tuple[str, str]]:
    book = state.book(act.deck)
    most = _FACTORY * state.setup.profile.copies if book.own is None else book.own + book.foreign
    named = act.face is not None or act.replaced_by is not None
    if act.count == 0:
        yield "No card was taken out: key how many were.", ""
    elif named and act.count != 1:
        yield "Key each card that is replaced with an input of its own.", ""
    # Threat: a card of the round that lies face down would be named on the bus.
    elif named and state.round.open:
        yield "A card is named between rounds: in a round it may lie face down.", ""
    elif act.count > most:
        yield f"Deck {act.deck} has {most} cards at most: {act.count} cannot have been taken out.", ""


class InputRefusal(NamedTuple):
    """Reason why an input is refused."""

    reason: str
    rule: ClauseRule | None = None
    """Row of the profile that it rests on; None for the order of the house."""


IN_ROUND: Final = frozenset({
    "kp.open", "kp.close", "kp.dealt", "kp.hole_up", "kp.dealer_draw", "kp.dealer_reveal", "kp.insurance_settled",
    "kp.dealer_first_missed", "kp.no_cards", "kp.one_card", "kp.skipped", "kp.option", "kp.misplaced",
})  # fmt: skip
"""Inputs about the round in progress, without a meaning between rounds."""

_CARD: Final = re.compile(r"(box[1-7][bcd]?|dealer)\.[1-9]\d?")


def input_refusal(state: RulesState, data: InputLogged) -> InputRefusal | None:
    """Return why the input is impossible, None when it is possible."""
    act = data.act
    if not may_send(data.role, act.act):
        return InputRefusal(f"{act.act} is not keyed by a {data.role}.")
    if act.act in OF_SOME_GAMES and act.act not in state.setup.profile.keys.acts:
        return InputRefusal(f"{state.setup.profile.title} has no {act.act}.")
    for ask in _asked_about(type(act)):
        for reason, key in ask(state, data):
            return InputRefusal(reason, ROWS(state, key) if key else None)
    return None


def _when(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    if data.act.act in IN_ROUND and not state.round.open:
        yield "No round is in progress.", ""


def _vocabulary(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    """Yield windows, decisions, wagers and ways of dealing that the game does not have."""
    profile, keys, act = state.setup.profile, state.setup.profile.keys, data.act
    match act:
        case KpOpen() | KpClose() if act.window not in keys.windows:
            yield f"{profile.title} has no window {act.window}.", ""
        case KpDecision() if act.decision not in keys.decisions:
            yield f"{profile.title} has no decision {act.decision}: {', '.join(keys.decisions)}.", ""
        case KpWager() | KpSettled() if act.wager not in keys.wagers:
            yield f"{profile.title} has no wager {act.wager}: {', '.join(keys.wagers)}.", ""
        case KpWager() | KpSettled() if act.name is not None and (act.wager != NAMED or act.name not in keys.named):
            known = f": {', '.join(keys.named)}" if keys.named else ""
            yield f"{profile.title} has no {act.wager} wager called {act.name}{known}.", ""
        case KpWager() | KpSettled() if act.name is None and act.wager == NAMED and keys.named:
            yield f"{profile.title} has bonus wagers with names: key which it is, {' or '.join(keys.named)}.", ""
        case KpNoMoreBets() | KpDeal() if act.act not in profile.start:
            yield f"{profile.title} begins with {' or '.join(profile.start)}.", ""
        case KpMode() if act.mode not in profile.modes:
            yield f"Our sources do not say how {profile.title} is dealt by {act.mode}.", ""
        case KpMode() if act.mode == "hand" and not _by_hand(state):
            yield f"{profile.title} is not dealt from the hand: 13:69E-1.19(b).", ""
        case _:
            return


def _by_hand(state: RulesState) -> bool:
    lists, profile = load_lists(), state.setup.profile
    return lists.has("hand", profile) or (state.setup.policy.six_to_five and lists.has("hand_only", profile))


def _cards(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    """Yield slots without a card, counts of more hands than exist, and cards that are not available."""
    act = data.act
    match act:
        case KpMisplaced():
            names = {slot.name for slot, _ in placed_cards(state.setup, state.round)}
            for name in (act.first, act.second):
                if not _CARD.fullmatch(name) or name not in names:
                    yield (
                        f"There is no card {name!r} on the layout: name it by box and card, as box2.1 or dealer.2.",
                        "",
                    )
        case KpHands() if len(act.counts) > state.setup.positions + 1:
            yield f"{len(act.counts)} hands were counted where {state.setup.positions} boxes and the dealer are.", ""
        case KpHands() if state.round.deal.boxes and len(act.counts) < hands_dealt(state):
            where = f"{len(act.counts)} hands were counted where {hands_dealt(state)} are, with those in the rack"
            yield f"{where}: count each, the dealer's too, or key the boxes.", ""
        case KpBurnRequest() if state.shoe.burn is None:
            yield "No burn card lies in the rack that could be shown.", ""
        # World: the key of the new dealer came late, and the booked burn card lies face down in a hand.
        case KpBurnRequest() if state.shoe.burn_doubt:
            yield "Which card was burned is not certain: no card can be shown as the burn card.", ""
        case KpReaderBad() | FtNotified() | FtReaderVisible() if state.setup.device("reader") is None:
            yield "There is no card reader at this table.", ""
        case _:
            yield from _no_deck(state, data)


def _no_deck(state: RulesState, data: InputLogged) -> Iterator[tuple[str, str]]:
    act = data.act
    match act:
        case KpStub() if not (state.round.deck or state.shoe.deck or state.in_play or is_which_unknown(state)):
            yield "No deck is in play: there is no stub to count.", ""
        case KpCut() if not deck_for_cut(state):
            yield "There is no deck to cut.", ""
        case KpManualShuffle() if act.deck is None and not deck_for_hand_shuffle(state):
            yield "There is no deck to shuffle.", ""
        case _:
            return


_Reasons: TypeAlias = Callable[[RulesState, InputLogged], Iterator[tuple[str, str]]]
_VOCABULARY: Final[frozenset[type[Act]]] = frozenset(
    {KpOpen, KpClose, KpDecision, KpWager, KpSettled, KpNoMoreBets, KpDeal, KpMode}
)
_OF_BOXES: Final[frozenset[type[Act]]] = frozenset({
    KpNoCards, KpOneCard, KpSkipped, KpOption, KpSettled, KpWager, KpRefuse,
})  # fmt: skip
_CARDS: Final[frozenset[type[Act]]] = frozenset({
    KpMisplaced, KpHands, KpBurnRequest, KpReaderBad, FtNotified, FtReaderVisible, KpStub, KpCut, KpManualShuffle,
})  # fmt: skip
_EQUIPMENT: Final[frozenset[type[Act]]] = frozenset({
    FtOpening, FtDeckVerified, FtDeckReturned, KpManualShuffle, FtCardRemoved, FtProcedureApproved, FtDeviceRemoved,
    FtDeviceInstalled,
})  # fmt: skip
REASONS: Final[tuple[tuple[_Reasons, frozenset[type[Act]] | None], ...]] = (
    (_vocabulary, _VOCABULARY),
    (_when, None),
    (clearing_refusal, None),
    (_positions, None),
    (_boxes, _OF_BOXES),
    (_cards, _CARDS),
    (equipment_refusal, _EQUIPMENT),
)
"""Reasons to refuse an input, with the kinds that each concerns, None for all. The order is that of what the person can
correct first: words of the game, the round, the box, the cards."""


@lru_cache(maxsize=256)
def _asked_about(kind: type[Act]) -> tuple[_Reasons, ...]:
    """Return the reasons that concern inputs of this kind."""
    return tuple(ask for ask, kinds in REASONS if kinds is None or kind in kinds)
