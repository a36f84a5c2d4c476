"""Completion of the initial deal: the deal is done in its regular order, and its last card is the hole card.

The dealer keys it (`kp.dealt`, house order), or a switch under the place of the hole card senses it
(`reader.hole_placed`). Before that, no row shows which of the last two cards is face down; see `layout.guarded`.
"""

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.layout import all_dealt, cards_missing, regular
from pitwarden.rules.state.state import RulesState, refuse_input


def keyed(state: RulesState) -> RulesState:
    """Return `state` with the deal done; the key is refused while the deal is incomplete or was corrected."""
    played = state.round
    if cards_missing(state.setup, played) is None:
        return refuse_input(state, refusal("boxes_not_keyed"))
    if not all_dealt(state.setup, played):
        return refuse_input(state, refusal("deal_incomplete"))
    if played.deal.laid not in {-1, len(played.deal.dealt)}:
        return refuse_input(state, refusal("hole_card_laid_early"))
    if not state.setup.keyed(("kp.one_card",)):
        return refuse_input(state, refusal("second_card_has_no_key"))
    if not regular(state.setup, played):
        return refuse_input(state, refusal("deal_corrected"))
    return replace(state, round=replace(played, deal=replace(played.deal, laid=len(played.deal.dealt))))


def sensed(state: RulesState) -> RulesState:
    """Return `state` after a device sensed a card on the place of the hole card; only the first time in a round counts.

    Later rows concern the same card, which was taken to the reader and laid back.
    """
    played = state.round
    if not played.live or played.deal.laid >= 0 or not played.deal.dealt:
        return state
    return replace(
        state,
        round=replace(played, deal=replace(played.deal, laid=len(played.deal.dealt) + len(played.exceptions.extras))),
    )
