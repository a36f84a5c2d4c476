"""The idle table: its cards are spread, and shuffled again before they are dealt (36.4(h), 51.4(e), 2B.4(i))."""

from dataclasses import replace

from pitwarden.events.dealer import KpIdleSpread, KpSpreadRequest
from pitwarden.rules.moves.change import put_deck, refuse, say
from pitwarden.rules.moves.shuffler import hand_deck
from pitwarden.rules.state import State


def moved(state: State, act: KpIdleSpread | KpSpreadRequest) -> State:
    """`state` after the cards were spread, or a player asked for it."""
    if isinstance(act, KpSpreadRequest):
        rule = state.setup.profile.rule("idle_spread")
        if rule is None or not rule.verdicts("request"):
            return refuse(state, f"{state.setup.profile.title} has no such request.")
        return say(state, "spread_request")
    if state.round.open and state.setup.keyed(("kp.round_end",)):
        return refuse(state, "A round is in progress: the cards are spread when there is no gaming activity.")
    ident = state.shoe.deck or state.shoe.counted or state.in_play or hand_deck(state)
    for deck in state.decks:
        if deck.ident != ident and deck.shuffled:
            state = put_deck(state, replace(deck, waited=True))
    made = replace(state.deck(ident), shuffled=False, spread=True, waited=False)
    return say(put_deck(state, made), f"spread:{ident}")
