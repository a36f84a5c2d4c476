"""Shuffler events, shuffling by hand, idle table.

What the shuffler did, and shuffling by hand: which deck is shuffled, counted, and by which method.

Cards on the table, not in play: spread when it is idle (36.4(h), 51.4(e), 2B.4(i)), mixed (36.3(c)).
"""

from pitwarden_client.events.dealer_cards import KpExposedInMix, KpIdleSpread, KpMixed
from pitwarden_client.events.dealer_play import KpSpreadRequest
from pitwarden_client.events.device import ShufflerDone, ShufflerFault, ShufflerStarted

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.entry import Entry
from pitwarden.rules.state.state import State, put_deck, put_device, refuse, say
from pitwarden.rules.transitions.shoe import due_deck, fresh_shoe

ShufflerEvent = ShufflerStarted | ShufflerDone | ShufflerFault


def apply_shuffler_event(state: State, entry: Entry, event: ShufflerEvent) -> State:
    """`state` after a shuffler event."""
    device = state.device(entry.source)
    busy = isinstance(event, ShufflerStarted)
    if device is not None:
        state = put_device(state, replace(device, deck=event.deck, busy=busy, since_ms=entry.log_ms))
    match event:
        case ShufflerStarted() | ShufflerDone() if puts_back(state, event.deck):
            return _put_back(state) if isinstance(event, ShufflerDone) else state
        case ShufflerStarted():
            return say(_taken(state, event.deck), f"started:{event.deck}")
        case ShufflerDone():
            return _done(state, event)
        case _:
            return say(put_deck(state, replace(state.deck(event.deck), shuffled=False)), "shuffler_fault")


def by_hand(state: State, ident: str | None) -> State:
    """`state` after a shuffle by hand of deck `ident`, or of the one that is in no shuffler."""
    if state.present("shuffler") is not None:
        return state
    deck = ident or hand_deck(state)
    return _put_back(state) if puts_back(state, deck) else _shuffled(_taken(state, deck), deck, by_hand=True)


def puts_back(state: State, deck: str) -> bool:
    """Whether a shuffle of `deck` is one of the discards, which go back into the shoe in play (2B.1, 2B.4(h)2)."""
    inside = state.shoe.deck == deck and state.shoe.drawn > 0 and not state.deck(deck).spread
    in_round = state.round.open and len(state.round.dealt) > state.round.carried
    return state.setup.policy.bart_carter and inside and not in_round


def _put_back(state: State) -> State:
    shoe = replace(state.shoe, put_back=state.shoe.drawn, racked=0, partial=True)
    return say(replace(state, shoe=shoe), "put_back")


def hand_deck(state: State) -> str:
    """The deck that a shuffle by hand means when none is named: the racked, else the loaded, else the first one."""
    others = [deck.ident for deck in state.decks if not deck.removed] or [deck.ident for deck in state.setup.decks]
    return state.table.rack or state.shoe.deck or next(iter(others), "")


def cut_deck(state: State) -> str:
    """The deck that a cut means: the one a person shuffled last and nobody cut, another that waits, else the loaded."""
    last, waits = state.deck(state.table.shuffled), due_deck(state)
    if last.by_hand and last.shuffled and not last.cut:
        waits = last
    return waits.ident if waits is not None and not state.round.completing else state.shoe.deck or hand_deck(state)


def counted_round(state: State) -> int:
    """The round in which a shuffler's count made now counts as verified: the last one that was completed."""
    return state.round.number - 1 if state.round.open else state.round.number


def _taken(state: State, ident: str) -> State:
    state = put_deck(state, replace(state.deck(ident), shuffled=False, cut=False))
    if state.table.rack == ident:
        state = replace(state, table=replace(state.table, rack=""))
    if state.shoe.deck == ident and not state.completes(ident):
        state = replace(state, shoe=replace(state.shoe, deck=""))
    return state


def _done(state: State, event: ShufflerDone) -> State:
    if event.mode == "sort":
        return say(state, f"sorted:{event.deck}")
    state = _shuffled(state, event.deck, by_hand=False)
    if event.count == state.setup.profile.total:
        state = put_deck(state, replace(state.deck(event.deck), verified=counted_round(state)))
        return say(state, f"counted:{event.deck}")
    return state


def _shuffled(state: State, ident: str, *, by_hand: bool) -> State:
    made = replace(state.deck(ident), shuffled=True, by_hand=by_hand, cut=False)
    made = replace(made, spread=False, waited=False, cut_refused=())
    state = put_deck(state, made)
    if state.completes(ident):
        shoe = replace(state.shoe, empty=False, partial=True, burn_due=True)
        return say(replace(state, shoe=shoe), "shuffled:rest")
    if state.round.open and (state.round.dealt or state.round.over) and ident == (state.round.deck or state.in_play):
        state = replace(state, round=replace(state.round, shuffled=True))
    if state.shoe.counted == ident:
        state = replace(state, shoe=fresh_shoe(state, ident))
    state = replace(state, table=replace(state.table, shuffled=ident))
    return say(state, f"shuffled:{ident}")


TableAct = KpIdleSpread | KpSpreadRequest | KpExposedInMix | KpMixed


def apply_idle_input(state: State, act: TableAct) -> State:
    """`state` after the cards were spread or mixed, a player asked for it, or a card was exposed in the mixing."""
    match act:
        case KpSpreadRequest():
            return say(state, "spread_request")
        case KpMixed():
            return say(state, "mixed")
        case KpExposedInMix():
            return _exposed(state)
        case _:
            return _spread(state)


def _exposed(state: State) -> State:
    if state.setup.profile.rule("remix") is None:
        return refuse(state, f"{state.setup.profile.title} has no clause on cards exposed in the mixing.")
    new = (deck for deck in state.decks if deck.opening == "table" and deck.ident != state.shoe.counted)
    if any(not deck.shuffled for deck in new) or any(deck.spread for deck in state.decks):
        return say(state, "exposed_in_mix")
    return refuse(state, "No cards are being mixed: that is done at the opening and after a spread.", "remix")


def _spread(state: State) -> State:
    dealt = len(state.round.dealt) > state.round.carried or state.table.mode == "hand"
    if state.round.open and dealt and state.setup.keyed(("kp.round_end",)):
        return refuse(state, "A round is in progress: the cards are spread when there is no gaming activity.")
    ident = state.shoe.deck or state.shoe.counted or state.in_play or hand_deck(state)
    rule = state.setup.profile.rule("idle_spread")
    each = rule is not None and rule.param("each", default=False) is True
    for deck in state.decks:
        if deck.ident != ident and deck.shuffled:
            other = replace(deck, shuffled=False, spread=True) if each else replace(deck, waited=True)
            state = put_deck(state, other)
    made = replace(state.deck(ident), shuffled=False, spread=True, waited=False)
    return say(put_deck(state, made), f"spread:{ident}")
