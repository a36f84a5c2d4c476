"""Burn cards: a dealer burns a card on arrival (19:47-36.7(c), 2B.7(c)), and a player may request to see it (36.7(c)).

The key of a new dealer may be late. Then a burn card lies among the cards that are out, and each card after it lies one
place further back than the layout shows. The log proves the place only before the round's first card or directly after
it. Which drawn card becomes the burn card is decided in `draws`; here, what the keys about it change.
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.layout import all_certain, certain
from pitwarden.rules.state.state import RulesState, add_fact, add_notice, refuse_input
from pitwarden.rules.transitions.draws import reveal_cards, set_burn_card

ROWS: Final = declared(__name__, decides=("burn",))


def dealer_came(state: RulesState, dealer: str) -> RulesState:
    """Return `state` after a new dealer came: the card before or the next one is burned, or the burn is in doubt."""
    if dealer == state.table.dealer:
        return state
    state, played = replace(state, table=replace(state.table, dealer=dealer)), state.round
    # The card that opened the round on its own is taken as the burn card only where no other key began the round.
    if _burned_before(state):
        card = replace(played.deal.dealt[-1], burn=True)
        state = replace(state, round=replace(played, deal=replace(played.deal, dealt=played.deal.dealt[:-1])))
        last = replace(
            state.shoe, last=card if state.shoe.last == played.deal.dealt[-1] else state.shoe.last, last_fate="burn"
        )
        return set_burn_card(add_fact(replace(state, shoe=last), fact("dealer")), card)
    shoe = replace(state.shoe, burn_due=state.shoe.burn_due or state.setup.burns)
    if state.setup.burns and played.live and len(played.deal.dealt) > played.deal.carried:
        shoe = replace(shoe, burn_doubt=True)
        # A burn card among the cards of a whole deal would make one too many.
        doubt = played.exceptions.burn_doubt if all_certain(state.setup, played) else len(played.deal.dealt)
        doubts = replace(played.exceptions, burn_doubt=doubt, relieved=shoe.drawn, out_of_turn=True)
        state = replace(state, round=replace(played, exceptions=doubts))
    return add_fact(replace(state, shoe=shoe), fact("dealer"))


def asked(state: RulesState) -> RulesState:
    """Return `state` after a player requested to see the burn card; the second key in a round shows it.

    A card that was shown cannot be hidden again, and one key may be a mistake. While the first cards of the round are
    not counted, the key of the new dealer may have been that mistake, and the card may belong to a hand.
    """
    shoe, number = state.shoe, state.round.number
    counted = state.round.exceptions.short or shoe.drawn == 1  # a load, which is sensed, had it burned
    if state.round.open and not counted and not certain(state.setup, state.round):
        return refuse_input(state, refusal("burn_card_not_counted"), ROWS(state, "burn"))
    if shoe.burn is not None and shoe.burn_asked == number:
        return reveal_cards(state, [(shoe.burn, "burn")])
    state = replace(state, shoe=replace(shoe, burn_asked=number))
    return add_notice(state, ROWS(state, "burn"), "asked")


def _burned_before(state: RulesState) -> bool:
    """Return whether the card that began the round was the new dealer's burn card: nothing else was keyed for it."""
    played = state.round
    unkeyed = not (
        played.deal.boxes
        or played.windows.bets_closed
        or played.windows.wagers
        or played.windows.keyed
        or played.windows.steps
    )
    lone = played.live and len(played.deal.dealt) == played.deal.carried + 1
    return state.setup.burns and lone and unkeyed and state.setup.rounds_keyed
