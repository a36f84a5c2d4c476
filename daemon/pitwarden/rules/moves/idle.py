"""Cards on the table, not in play: spread when it is idle (36.4(h), 51.4(e), 2B.4(i)), mixed (36.3(c))."""

from pitwarden_client.events.dealer_cards import KpExposedInMix, KpIdleSpread, KpMixed
from pitwarden_client.events.dealer_play import KpSpreadRequest

from pitwarden.rules.copying import replace
from pitwarden.rules.moves.shuffler import hand_deck
from pitwarden.rules.state.state import State, put_deck, refuse, say

TableAct = KpIdleSpread | KpSpreadRequest | KpExposedInMix | KpMixed


def moved(state: State, act: TableAct) -> State:
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
