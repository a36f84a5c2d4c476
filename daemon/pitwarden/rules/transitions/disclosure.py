"""Disclosure: the only function that decides which cards and answers of a state become public.

Threat: anyone who reads the bus. The log holds what devices sensed and what people keyed, not where a card was put, and
people are late or wrong. A world is one physical course of the round that agrees with the log, when one key or one read
may have been wrong. A card is published only if it lies face up, or was shown, in every world.

`layout.guarded` states which cards may be the hole card, `transitions.hole_card` when the hole card is shown, and
`transitions.turned_cards` which hands that were dealt face down are face up. No decision here depends on a hidden face,
except on whether two cards of a single deck are the same.
"""

from operator import attrgetter
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.choices import are_steps_made
from pitwarden.rules.queries.hands import dealer_cards, spare_cards
from pitwarden.rules.queries.layout import (
    DealTemplate,
    all_certain,
    cards_as_laid,
    certain,
    deal_template,
    guarded,
    swapped_cards,
)
from pitwarden.rules.queries.reader import insurance_closed, is_reader_in_use, up_card_allows_reader
from pitwarden.rules.state.cards import DrawnCard, PlayerHand
from pitwarden.rules.state.entry import AnswerDue
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.corrections import corrected, moved
from pitwarden.rules.transitions.draws import reveal_cards
from pitwarden.rules.transitions.turned_cards import turned

_OF_WINDOWS: Final = attrgetter("choices", "wagers")
_OF_PLAY: Final = attrgetter("shown", "hole_up", "decided", "folded")
_OF_EXCEPTIONS: Final = attrgetter("one_cards", "burn_doubt", "found_doubt", "choice_doubt", "swap_doubt", "extras")


def disclose(state: RulesState, published: RoundState | None = None) -> RulesState:
    """Return `state` with all that became public; unchanged in a round that is void.

    Args:
        state: State of which everything public must be published.
        published: Round at the previous call on this row, so that unchanged parts are skipped; None to derive all.
    """
    played = state.round
    if not played.live:
        return state
    if published is None or _is_layout_changed(published, played):
        state = _hands(_deal(state))
    elif (
        published.play.hands is not played.play.hands
        or published.play.dealer is not played.play.dealer
        or published.exceptions.unproved != played.exceptions.unproved
    ):
        state = _hands(state)
    if played.slots and moved(published, played):
        state = corrected(state)
    return _answer(state)


def at_the_end(state: RulesState) -> RulesState:
    """Return `state` with the cards that the end of its round makes public. Call before the round closes."""
    return state if state.round.void else _deal(state, ends=True)


def _is_layout_changed(old: RoundState, new: RoundState) -> bool:
    """Return whether fields changed that decide which cards of the deal are public.

    A part that is the same object has the same fields; most rows change one part.
    """
    return (
        old.deal is not new.deal
        or (old.windows is not new.windows and _OF_WINDOWS(old.windows) != _OF_WINDOWS(new.windows))
        or (old.play is not new.play and _OF_PLAY(old.play) != _OF_PLAY(new.play))
        or (old.exceptions is not new.exceptions and _OF_EXCEPTIONS(old.exceptions) != _OF_EXCEPTIONS(new.exceptions))
        or old.settlement.settled != new.settlement.settled
    )


def _deal(state: RulesState, *, ends: bool = False) -> RulesState:
    """Return `state` with the cards of the initial deal that became public."""
    played, known = state.round, state.round.revealed
    sealed = (played.exceptions.burn_doubt or played.exceptions.found_doubt) and not played.play.hole_up
    plan = None if sealed else deal_template(state.setup, played)
    if plan is None:
        return state
    dealt, sure = cards_as_laid(plan, played), certain(state.setup, played)
    waiting = [at for at, card in enumerate(dealt[:sure]) if card.place not in known]
    if not waiting:
        return state
    slots, faces_up, places = plan.slots, turned(state, ends=ends), _open_places(state, plan)
    hidden = played.exceptions.sealed
    # A card that was keyed as misplaced needs both slots face up: the swap itself may be the mistake.
    if played.deal.swaps:
        laid = enumerate(slots[: min(sure, len(dealt))])
        face_up = {slot for at, slot in laid if at in places and (slot.up or slot.target in faces_up)}
        swapped = swapped_cards(plan, played)
        hidden |= {draw.place for one, other, draw in swapped if not {one, other} <= face_up}
    due = [at for at in waiting if at in places and (slots[at].up or slots[at].target in faces_up)]
    return reveal_cards(state, [(dealt[at], slots[at].name) for at in due if dealt[at].place not in hidden])


def _open_places(state: RulesState, plan: DealTemplate) -> range:
    """Return the places of the deal, in draw order, whose cards are certainly not hidden ones of other places.

    A burn card that was keyed late may be any of those that were out. A card that was keyed as found, late or by
    mistake, moves the others by one place: the first one behind the hands that are dealt face down may be of them.
    """
    played = state.round
    behind_down = plan.down + 1 if played.exceptions.found_doubt and plan.down else 0
    end = len(plan.slots) if played.play.hole_up else guarded(state.setup, plan, played)
    return range(max(played.exceptions.burn_doubt, behind_down), end)


def _hands(state: RulesState) -> RulesState:
    """Return `state` with the cards that were drawn to hands; those of the deal are for `_deal`."""
    played = state.round
    if not (played.play.hands or played.play.hole_up) or not all_certain(state.setup, played):
        return state
    if (played.exceptions.burn_doubt or played.exceptions.found_doubt) and not played.play.hole_up:
        return state
    known = played.revealed
    hands: list[PlayerHand] = []
    for hand in played.play.hands:
        for card in hand.cards:
            if card.place not in known:
                hands.append(hand)
                break
    dealers = dealer_cards(state) if played.play.hole_up else ()
    found = played.exceptions.found if played.play.hole_up else ()
    if not hands and not found and known.issuperset([card.place for card in dealers]):
        return state
    first, due = 1 + spare_cards(state), list[tuple[DrawnCard, str]]()
    sealed = (
        {card.place for card in played.deal.dealt}
        | played.exceptions.sealed
        | played.exceptions.unproved
        | played.exceptions.doubtful
    )
    for hand in hands:
        places = enumerate(hand.cards, start=1 if hand.half else first)
        due += [(card, f"{hand.target}.{at}") for at, card in places if card.place not in sealed]
    due += [(card, f"dealer.{at}") for at, card in enumerate(dealers, start=1) if card.place not in sealed]
    return reveal_cards(state, [*due, *((card, "found") for card in found)])


def _answer(state: RulesState) -> RulesState:
    """Return `state` with the reader's answer published, once no wager can be made any more that it would decide."""
    use, played = state.round.play.reader, state.round
    if use.said or use.bit is None:
        return state
    usable = is_reader_in_use(state) and not use.misused and not use.failed
    closed = played.play.hole_up or ((insurance_closed(state) or played.play.played_on) and are_steps_made(state))
    if not (usable and up_card_allows_reader(state) is True and closed):
        return state
    # `bit` is read only to publish it. Whether it is published depends on public rows alone, so silence reveals
    # nothing.
    due = AnswerDue(use.epoch, use.answered, use.bit)
    now = replace(state.now, reveals=(*state.now.reveals, due))
    return replace(state, round=replace(played, play=replace(played.play, reader=replace(use, said=True))), now=now)
