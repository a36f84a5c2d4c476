"""The end of a round, keyed or shown by the boxes of the next: its deck, the rack and the shoe from there on."""

from pitwarden.rules.copying import replace
from pitwarden.rules.moves import entry_bar, shuffle_audit
from pitwarden.rules.queries.decks import in_rotation, stub_rule
from pitwarden.rules.state.state import State, put_deck, refuse, say


def keyed(state: State) -> State:
    """`state` after the round: its deck waits for a shuffle, its cards lie in the rack, those that waited go on."""
    played, shoe = state.round, state.shoe
    if not played.open:
        return refuse(state, "No round is in progress.")
    state = _without_the_duty(shuffle_audit.heard(state))
    dealt = bool(played.dealt) or (state.table.mode == "hand" and played.keyed_after_deal)
    deck = (
        (played.deck or shoe.deck) if dealt else ""
    )  # before its first card: whether its deck was used, the text does not say
    carried = tuple(card for card in played.parked if not card.exposed) if _takers_keyed(state) else ()
    spent = deck or (played.deck or shoe.deck if played.over else "")  # what voids a round orders a shuffle
    if spent in [known.ident for known in state.decks]:  # else it was returned already
        state = put_deck(state, replace(state.deck(spent), shuffled=played.shuffled))
    shoe = replace(shoe, carried=() if played.over or played.shuffled else carried)
    shoe = replace(shoe, racked=shoe.drawn - shoe.put_back, sat_out=entry_bar.sat_out(state))
    if played.short and not played.shuffled:
        shoe = replace(shoe, cut_round=played.number)
    racked = state.table.rack if len(in_rotation(state)) > 1 and state.setup.keyed(("kp.collected",)) else deck
    if played.shuffled or not dealt:
        racked = state.table.rack
    table = replace(state.table, last_deck=deck, rack=racked, ended=(state.epoch, state.number))
    state = replace(state, round=replace(played, open=False, short=False), shoe=shoe, table=table)
    return say(state, "round_end")


def _without_the_duty(state: State) -> State:
    """A round dealt from the hand, where no clause asks for a count, is none of the five of a shoe (51.8, 51.7(e))."""
    if state.table.mode == "hand" and stub_rule(state) is None:
        for ident in in_rotation(state):
            deck = state.deck(ident)
            state = put_deck(state, replace(deck, verified=min(deck.verified + 1, state.round.number)))
    return state


def _takers_keyed(state: State) -> bool:
    """Whether a card that waits surely went to no hand: what asks for cards in this game is keyed here."""
    draws = state.setup.keyed(("kp.dealer_draw",)) or "kp.dealer_draw" not in state.setup.profile.keys.acts
    return draws and state.setup.keyed(("kp.decision",))
