"""Shuffles: events of the shuffler, shuffles by hand, and cards that are spread or mixed on the table.

The idle table: 36.4(h), 51.4(e), 2B.4(i). Mixing: 36.3(c).
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import REST, deck_fact, fact
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input, replace_deck, replace_device
from pitwarden.rules.transitions.hand_decks import name_deck, settle_deck
from pitwarden.rules.transitions.shoe import deck_due_for_cut, new_shoe
from pitwarden_client.events.dealer_cards import KpExposedInMix, KpIdleSpread, KpMixed
from pitwarden_client.events.dealer_play import KpSpreadRequest
from pitwarden_client.events.device import ShufflerDone, ShufflerFault, ShufflerStarted

ROWS: Final = declared(__name__, decides=("remix",), reads=("idle_spread",))

ShufflerEvent = ShufflerStarted | ShufflerDone | ShufflerFault


def apply_shuffler_event(state: RulesState, entry: LogEntry, event: ShufflerEvent) -> RulesState:
    """Return `state` after an event of the shuffler."""
    device = state.device(entry.source)
    busy = isinstance(event, ShufflerStarted)
    if busy:
        state = settle_deck(state, event.deck)
    if device is not None:
        state = replace_device(state, replace(device, deck=event.deck, busy=busy, since_ms=entry.log_ms))
    match event:
        case ShufflerStarted() | ShufflerDone() if returns_discards(state, event.deck):
            return _put_back(state) if isinstance(event, ShufflerDone) else state
        case ShufflerStarted():
            return add_fact(name_deck(_taken(state, event.deck)), deck_fact("started", event.deck))
        case ShufflerDone():
            return _done(state, event)
        case _:
            return replace_deck(state, replace(state.deck(event.deck), shuffled=False))


def shuffle_by_hand(state: RulesState, ident: str | None) -> RulesState:
    """Return `state` after a shuffle by hand of deck `ident`, or of the deck that such a shuffle means if None.

    Unchanged while a shuffler is on the table, whose events report the shuffle.
    """
    # 36.14(k): a shuffler leaves the table before another method is used, so this key shuffles nothing.
    if state.present("shuffler") is not None:
        return state
    deck = ident or deck_for_hand_shuffle(state)
    return _put_back(state) if returns_discards(state, deck) else _shuffled(_taken(state, deck), deck, by_hand=True)


def returns_discards(state: RulesState, deck: str) -> bool:
    """Return whether a shuffle of `deck` is of the discards, which go back into the shoe in play (2B.1, 2B.4(h)2)."""
    inside = state.shoe.deck == deck and state.shoe.drawn > 0 and not state.deck(deck).spread
    in_round = state.round.open and len(state.round.deal.dealt) > state.round.deal.carried
    return state.setup.policy.bart_carter and inside and not in_round


def _put_back(state: RulesState) -> RulesState:
    shoe = replace(state.shoe, put_back=state.shoe.drawn, racked=0, partial=True)
    return add_fact(replace(state, shoe=shoe), fact("put_back"))


def deck_for_hand_shuffle(state: RulesState) -> str:
    """Return the deck that a shuffle by hand means when none is named: in the rack, else loaded, else the first."""
    others = [deck.ident for deck in state.decks if not deck.removed] or [deck.ident for deck in state.setup.decks]
    return state.table.rack or state.shoe.deck or next(iter(others), "")


def deck_for_cut(state: RulesState) -> str:
    """Return the deck that a cut means.

    It is the deck that a person shuffled last and that is not cut, another deck that waits for a cut, or the loaded
    deck.
    """
    last, waits = state.deck(state.table.shuffled), deck_due_for_cut(state)
    if last.by_hand and last.shuffled and not last.cut:
        waits = last
    return (
        waits.ident
        if waits is not None and not state.round.completing
        else state.shoe.deck or deck_for_hand_shuffle(state)
    )


def counted_round(state: RulesState) -> int:
    """Return the last completed round: the one up to which a shuffler's count made now verifies a deck."""
    return state.round.number - 1 if state.round.open else state.round.number


def _taken(state: RulesState, ident: str) -> RulesState:
    state = replace_deck(state, replace(state.deck(ident), shuffled=False, cut=False))
    if state.table.rack == ident:
        state = replace(state, table=replace(state.table, rack=""))
    if state.shoe.deck == ident and not state.completes(ident):
        state = replace(state, shoe=replace(state.shoe, deck=""))
    return state


def _done(state: RulesState, event: ShufflerDone) -> RulesState:
    # A sorting cycle counts and orders the cards; it is not a shuffle, so the deck must not count as shuffled.
    if event.mode == "sort":
        return state
    state = _shuffled(state, event.deck, by_hand=False)
    if event.count == state.setup.profile.total:
        state = replace_deck(state, replace(state.deck(event.deck), verified=counted_round(state)))
        return add_fact(state, deck_fact("counted", event.deck))
    return state


def _shuffled(state: RulesState, ident: str, *, by_hand: bool) -> RulesState:
    made = replace(state.deck(ident), shuffled=True, by_hand=by_hand, cut=False)
    made = replace(made, spread=False, waited=False, cut_refused=())
    state = replace_deck(state, made)
    if state.completes(ident):
        # 36.14(g): only the discards were shuffled. The counters of the shoe continue, and a card is burned.
        shoe = replace(state.shoe, empty=False, partial=True, burn_due=True)
        return add_fact(replace(state, shoe=shoe), deck_fact("shuffled", REST))
    # From the hand no device senses a card: a key after the deal shows that there was one.
    by_key = state.table.mode == "hand" and state.round.keyed_after_deal
    if (
        state.round.open
        and (state.round.deal.dealt or state.round.void or by_key)
        and ident == (state.round.deck or state.in_play)
    ):
        state = replace(state, round=replace(state.round, exceptions=replace(state.round.exceptions, shuffled=True)))
    if state.shoe.counted == ident:
        state = replace(state, shoe=new_shoe(state, ident))
    state = replace(state, table=replace(state.table, shuffled=ident))
    return add_fact(state, deck_fact("shuffled", ident))


TableAct = KpIdleSpread | KpSpreadRequest | KpExposedInMix | KpMixed


def apply_idle_input(state: RulesState, act: TableAct) -> RulesState:
    """Return `state` after the cards were spread or mixed, a player requested a spread, or mixing exposed a card."""
    match act:
        case KpSpreadRequest():
            return add_fact(state, fact("spread_request"))
        case KpMixed():
            return add_fact(state, fact("mixed"))
        case KpExposedInMix():
            return _exposed(state)
        case _:
            return _spread(state)


def _exposed(state: RulesState) -> RulesState:
    if ROWS(state, "remix") is None:
        return refuse_input(state, refusal("no_clause_on_mixing", game=state.setup.profile.title))
    new = (deck for deck in state.decks if deck.opening == "table" and deck.ident != state.shoe.counted)
    if any(not deck.shuffled for deck in new) or any(deck.spread for deck in state.decks):
        return state
    return refuse_input(state, refusal("nothing_mixed"), ROWS(state, "remix"))


def _spread(state: RulesState) -> RulesState:
    dealt = len(state.round.deal.dealt) > state.round.deal.carried or state.table.mode == "hand"
    if state.round.open and dealt and state.setup.keyed(("kp.round_end",)):
        return refuse_input(state, refusal("spread_in_a_round"))
    ident = state.shoe.deck or state.shoe.counted or state.in_play or deck_for_hand_shuffle(state)
    rule = ROWS(state, "idle_spread")
    each = rule is not None and rule.param("each", default=False) is True
    for deck in state.decks:
        if deck.ident != ident and deck.shuffled:
            other = replace(deck, shuffled=False, spread=True) if each else replace(deck, waited=True)
            state = replace_deck(state, other)
    made = replace(state.deck(ident), shuffled=False, spread=True, waited=False)
    return add_fact(replace_deck(state, made), deck_fact("spread", ident))
