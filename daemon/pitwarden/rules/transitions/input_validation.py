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
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.profile.refusals import Reason, refusal
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


def _positions(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    """Yield that the table has no such box, as reason and key of the profile rule."""
    box = _box(data.act)
    if box is not None and box > state.setup.positions:
        yield refusal("no_such_box", most=state.setup.positions, box=box), _RULE


def _boxes(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    """Yield that the box has no hand in this round, as reason and key of the profile rule."""
    act, played = data.act, state.round
    box = _box(act)
    if box is None or not played.deal.boxes:
        return
    none = refusal("no_hand", box=box)
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


def equipment_refusal(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
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
                name = "at_the_table" if installed else "not_at_the_table"
                yield refusal(name, device=act.device), ""
        case _:
            return


def _deck(state: RulesState, ident: str) -> Iterator[tuple[Reason, str]]:
    known = {deck.ident for deck in state.decks} | {deck.ident for deck in state.setup.decks}
    if ident not in known:
        yield refusal("no_such_deck", deck=ident, names=", ".join(sorted(known)) or "none"), ""


def _device(state: RulesState, ident: str) -> Iterator[tuple[Reason, str]]:
    if state.device(ident) is None:
        known = ", ".join(device.ident for device in state.devices)
        yield refusal("no_such_device", device=ident, names=known), ""


def _removed(state: RulesState, act: FtCardRemoved) -> Iterator[tuple[Reason, str]]:
    book = state.book(act.deck)
    most = _FACTORY * state.setup.profile.copies if book.own is None else book.own + book.foreign
    named = act.face is not None or act.replaced_by is not None
    if act.count == 0:
        yield refusal("none_taken_out"), ""
    elif named and act.count != 1:
        yield refusal("one_card_each"), ""
    # Threat: a card of the round that lies face down would be named on the bus.
    elif named and state.round.open:
        yield refusal("named_in_a_round"), ""
    elif act.count > most:
        yield refusal("too_many_taken_out", deck=act.deck, most=most, count=act.count), ""


class InputRefusal(NamedTuple):
    """Reason why an input is refused."""

    reason: Reason
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
        return InputRefusal(refusal("not_of_this_role", act=act.act, role=data.role))
    if act.act in OF_SOME_GAMES and act.act not in state.setup.profile.keys.acts:
        return InputRefusal(refusal("not_in_game", game=state.setup.profile.title, act=act.act))
    for ask in _asked_about(type(act)):
        for reason, key in ask(state, data):
            return InputRefusal(reason, ROWS(state, key) if key else None)
    return None


def _when(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    if data.act.act in IN_ROUND and not state.round.open:
        yield refusal("no_round"), ""


def _vocabulary(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    """Yield windows, decisions, wagers and ways of dealing that the game does not have."""
    profile, keys, act = state.setup.profile, state.setup.profile.keys, data.act
    match act:
        case KpOpen() | KpClose() if act.window not in keys.windows:
            yield refusal("no_window", game=profile.title, name=act.window), ""
        case KpDecision() if act.decision not in keys.decisions:
            names = ", ".join(keys.decisions)
            yield refusal("no_decision", game=profile.title, name=act.decision, names=names), ""
        case KpWager() | KpSettled() if act.wager not in keys.wagers:
            yield refusal("no_wager", game=profile.title, name=act.wager, names=", ".join(keys.wagers)), ""
        case KpWager() | KpSettled() if act.name is not None and (act.wager != NAMED or act.name not in keys.named):
            yield _not_named(profile, act.wager, act.name), ""
        case KpWager() | KpSettled() if act.name is None and act.wager == NAMED and keys.named:
            yield refusal("which_bonus", game=profile.title, names=" or ".join(keys.named)), ""
        case KpNoMoreBets() | KpDeal() if act.act not in profile.start:
            yield refusal("begins_otherwise", game=profile.title, names=" or ".join(profile.start)), ""
        case KpMode() if act.mode not in profile.modes:
            yield refusal("mode_not_described", game=profile.title, name=act.mode), ""
        case KpMode() if act.mode == "hand" and not _by_hand(state):
            yield refusal("not_from_the_hand", game=profile.title), ""
        case _:
            return


def _not_named(profile: GameProfile, wager: str, name: str) -> Reason:
    if not profile.keys.named:
        return refusal("no_named_wager", game=profile.title, wager=wager, name=name)
    names = ", ".join(profile.keys.named)
    return refusal("not_a_named_wager", game=profile.title, wager=wager, name=name, names=names)


def _by_hand(state: RulesState) -> bool:
    lists, profile = load_lists(), state.setup.profile
    return lists.has("hand", profile) or (state.setup.policy.six_to_five and lists.has("hand_only", profile))


def _cards(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    """Yield slots without a card, counts of more hands than exist, and cards that are not available."""
    act = data.act
    match act:
        case KpMisplaced():
            names = {slot.name for slot, _ in placed_cards(state.setup, state.round)}
            for name in (act.first, act.second):
                if not _CARD.fullmatch(name) or name not in names:
                    yield refusal("no_such_card", name=name), ""
        case KpHands() if len(act.counts) > state.setup.positions + 1:
            yield refusal("hands_beyond_boxes", count=len(act.counts), most=state.setup.positions), ""
        case KpHands() if state.round.deal.boxes and len(act.counts) < hands_dealt(state):
            yield refusal("hands_not_all", count=len(act.counts), right=hands_dealt(state)), ""
        case KpBurnRequest() if state.shoe.burn is None:
            yield refusal("no_burn_card"), ""
        # World: the key of the new dealer came late, and the booked burn card lies face down in a hand.
        case KpBurnRequest() if state.shoe.burn_doubt:
            yield refusal("burn_card_uncertain"), ""
        case KpReaderBad() | FtNotified() | FtReaderVisible() if state.setup.device("reader") is None:
            yield refusal("no_reader"), ""
        case _:
            yield from _no_deck(state, data)


def _no_deck(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    act = data.act
    match act:
        case KpStub() if not (state.round.deck or state.shoe.deck or state.in_play or is_which_unknown(state)):
            yield refusal("no_stub"), ""
        case KpCut() if not deck_for_cut(state):
            yield refusal("no_deck_to_cut"), ""
        case KpManualShuffle() if act.deck is None and not deck_for_hand_shuffle(state):
            yield refusal("no_deck_to_shuffle"), ""
        case _:
            return


_Reasons: TypeAlias = Callable[[RulesState, InputLogged], Iterator[tuple[Reason, str]]]
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
