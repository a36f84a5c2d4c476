"""Rows of a void round: set aside as they come, and applied in their order if the void falls.

A floorperson who refutes a found card withdraws the void (36.14(a), (b)). The cards that were dealt meanwhile
count then, each as the next card. They may have been collected and laid out again, so that all of
the deal that is not published yet stays sealed until the hole card is shown.
"""

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.round import Aside
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.course import follow_course
from pitwarden.rules.transitions.decisions import apply_decision
from pitwarden.rules.transitions.draws import place_card, set_burn_card
from pitwarden.rules.transitions.hands import serve_waiting_cards
from pitwarden.rules.transitions.pass_marks import mark_passes
from pitwarden_client.events.dealer_play import KpDecision


def counted_after_all(state: RulesState) -> RulesState:
    """Return `state` after the void of its round was withdrawn, with what was set aside counted in its order.

    Nothing is published by it, and no notice is given: the next row does both.
    """
    played, shown, now = state.round, state.shoe.shown, state.now
    if not played.exceptions.aside or not played.open:
        return state
    kept = replace(played.exceptions, aside=(), found_doubt=True)
    state = replace(state, round=replace(played, exceptions=kept))
    for row in played.exceptions.aside:
        state = serve_waiting_cards(replace(_counted(state, row), now=now))
    made = replace(state.round, revealed=played.revealed, slots=played.slots)
    return follow_course(replace(state, round=made, shoe=replace(state.shoe, shown=shown)))


def _counted(state: RulesState, row: Aside) -> RulesState:
    match row:
        case DrawnCard():
            return set_burn_card(state, row) if state.shoe.burn_due else place_card(state, row)
        case KpDecision():
            return apply_decision(state, row)
        case str():
            return mark_passes(state, row)
        case _:
            deal = state.round.deal
            made = replace(deal, dealt=(*deal.dealt, *row), stacks=(*deal.stacks, len(row)))
            return replace(state, round=replace(state.round, deal=made))
