"""Corrections of the record: published cards that a later input moved to another slot.

A published card keeps its face, and this module never decides whether a card is public. A key that arrives late
(`kp.one_card`, `kp.boxes`, `kp.misplaced`) names another slot for the card, and the judge publishes the new slot.
"""

from operator import attrgetter
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.hands import dealer_cards, spare_cards
from pitwarden.rules.queries.layout import all_certain, certain_cards, without_option
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.outputs import RevealCorrected

_Place = tuple[str, int, int]
_OF_DEAL: Final = attrgetter("boxes", "out", "late", "single", "options", "hole_out", "swaps", "stacks")
_OF_EXCEPTIONS: Final = attrgetter("found", "parked", "owed")


def moved(before: RoundState | None, played: RoundState) -> bool:
    """Return whether cards of `before` may lie elsewhere in `played`; a card that is only added moves none.

    Inputs that name another slot for cards that were dealt change these fields of a round.
    """
    if before is None or len(played.deal.dealt) < len(before.deal.dealt):
        return True
    return (
        (before.deal is not played.deal and _OF_DEAL(before.deal) != _OF_DEAL(played.deal))
        or (
            before.exceptions is not played.exceptions
            and _OF_EXCEPTIONS(before.exceptions) != _OF_EXCEPTIONS(played.exceptions)
        )
        or before.play.hole_up is not played.play.hole_up
    )


def corrected(state: RulesState) -> RulesState:
    """Return `state` with a correction for each published card whose place is certain and is another than published."""
    lies, played = _places(state), state.round
    news = [
        RevealCorrected(epoch=place[0], event=place[1], index=place[2], slot=lies[place], was=slot)
        for place, slot in played.slots
        if place in lies and _differs(slot, lies[place])
    ]
    if not news:
        return state
    last = dict(played.slots) | {(one.epoch, one.event, one.index): one.slot for one in news}
    now = replace(state.now, corrections=(*state.now.corrections, *news))
    return replace(state, round=replace(played, slots=tuple(last.items())), now=now)


def changed_slots(old: RoundState, new: RoundState) -> tuple[RevealCorrected, ...]:
    """Return what a retraction changes of the places that were published in this round."""
    before = dict(old.slots)
    return tuple(
        RevealCorrected(epoch=place[0], event=place[1], index=place[2], slot=slot, was=before[place])
        for place, slot in new.slots
        if before.get(place, slot) != slot
    )


def _differs(slot: str, now: str) -> bool:
    """Return whether a card changed its hand, or its place among the cards that were dealt at first.

    A split moves cards between the hands of one box, as the layout shows: that is no correction.
    """
    # 36.9: after a split the second card of a box lies in another hand, and everyone sees it.
    return slot != now and not (_box(slot) == _box(now) and _box(now).startswith("box") and _split(slot, now))


def _split(slot: str, now: str) -> bool:
    return any(not one.partition(".")[0][-1].isdigit() for one in (slot, now))


def _box(slot: str) -> str:
    return slot.partition(".")[0].rstrip("bcd")


def _places(state: RulesState) -> dict[_Place, str]:
    """Return the slot of each card of the round whose slot is certain."""
    setup, played = state.setup, without_option(state.setup, state.round)
    # While such a doubt lasts, a new slot could disclose which of the cards is the hidden one.
    if (played.exceptions.burn_doubt or played.exceptions.found_doubt) and not played.play.hole_up:
        return {}
    places = {card.place: slot.name for slot, card in certain_cards(setup, played)}
    for card in played.exceptions.found:
        places[card.place] = "found"
    if not all_certain(setup, played):
        return places
    dealt = {card.place for card in played.deal.dealt}
    first = 1 + spare_cards(state)
    for hand in played.play.hands:
        for at, card in enumerate(hand.cards, start=1 if hand.half else first):
            if card.place not in dealt:
                places[card.place] = f"{hand.target}.{at}"
    for at, card in enumerate(dealer_cards(state), start=1):
        if card.place not in dealt:
            places[card.place] = f"dealer.{at}"
    return places
