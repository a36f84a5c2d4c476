"""Which of two decks is dealt from the hand, once a key or the shuffler shows it (51.2(b)3 to 5)."""

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.deck_in_hand import deck_in_hand, rotating
from pitwarden.rules.state.state import RulesState, replace_deck, replace_device


def name_deck(state: RulesState) -> RulesState:
    """Return `state` with the deck of the open round named, where shuffler and rack now leave only one.

    Unchanged once a decision was keyed: what goes into the shuffler then may be the deck of this round.
    """
    played = state.round
    if not _from_hand(state) or not played.open or played.deck or played.void or played.keyed_after_deal:
        return state
    deck = deck_in_hand(state.decks, state.devices, state.table.rack)
    return replace(state, round=replace(played, deck=deck)) if deck else state


def settle_deck(state: RulesState, ident: str) -> RulesState:
    """Return `state` with `ident` as the deck of the round that nothing named: it was collected, or is shuffled now."""
    played, table = state.round, state.table
    if not _from_hand(state) or ident not in [deck.ident for deck in rotating(state.decks)]:
        return state
    if played.open and not played.deck and played.keyed_after_deal:
        return replace(state, round=replace(played, deck=ident))
    if not table.unnamed or not state.deck(ident).shuffled:
        return state
    last = table.last_deck or (ident if not played.open else "")
    state = replace_deck(state, replace(state.deck(ident), shuffled=False, hand_dealt=True))
    return replace(state, table=replace(table, unnamed=table.unnamed - 1, last_deck=last))


def take_in_hand(state: RulesState) -> RulesState:
    """Return `state` with the deck of the round in the dealer's hand, once the bets are closed.

    A shuffler reports no deck that is taken out, and no key shows when the discards go into it: nothing is known of the
    rack any more.
    """
    state = name_deck(state)
    deck = state.round.deck
    if not _from_hand(state) or not deck:
        return state
    for device in state.devices:
        if device.kind == "shuffler" and device.deck == deck and not device.busy:
            state = replace_device(state, replace(device, deck=""))
    return replace(state, table=replace(state.table, rack=""))


def _from_hand(state: RulesState) -> bool:
    return state.table.mode == "hand" and not state.shoe.deck and len(rotating(state.decks)) > 1
