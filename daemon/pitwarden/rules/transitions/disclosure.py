"""What is hidden, in one function: which cards and answers this state makes public (catalogue, section D).

The adversary is everyone who listens: a card is said only when its slot is certain and the people at the table see it.
"""

from operator import attrgetter
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.choices import are_steps_made
from pitwarden.rules.queries.hands import dealer_cards, spare_cards, stays_face_down
from pitwarden.rules.queries.layout import all_certain, certain_cards, swapped_cards
from pitwarden.rules.queries.reader import insurance_closed, is_reader_in_use, up_card_allows_reader
from pitwarden.rules.state.entry import AnswerDue
from pitwarden.rules.state.round import DrawnCard, RoundState
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.draws import reveal_cards

_ON_LAYOUT: Final = attrgetter(
    "boxes", "out", "late", "single", "stacks", "dealt", "marks", "options", "swaps", "shown", "choices", "hole_up",
    "decided", "folded", "wagers",
)  # fmt: skip
"""What of a round says which cards of the deal are public."""


def disclose(state: RulesState, said: RoundState | None = None) -> RulesState:
    """`state` with everything said that is public now and was not before; nothing more in a round that is over.

    `said`: the round when that was last done on this row, None when it has to be done anew.
    """
    played = state.round
    if not played.open or played.over:
        return state
    if said is None or _ON_LAYOUT(said) != _ON_LAYOUT(played):
        state = _hands(_deal(state))
    elif said.hands is not played.hands or said.dealer is not played.dealer:
        state = _hands(state)
    return _answer(state)


def _deal(state: RulesState) -> RulesState:
    played = state.round
    turned, sure, known = _turned(state), certain_cards(state.setup, played), played.revealed | _down(state)
    due = [(card, slot.name) for slot, card in sure if (slot.up or slot.target in turned) and card.place not in known]
    return reveal_cards(state, due)


def _turned(state: RulesState) -> frozenset[str]:
    """Whose cards lie face up now that were dealt face down."""
    played = state.round
    switched = [f"box{box}" for box, choice in played.choices if choice == "switch"]
    shown = [target for target in set(played.shown) if _may_be_shown(state, target)]
    return frozenset((*shown, *switched, *(["dealer"] if played.hole_up else [])))


def _down(state: RulesState) -> frozenset[tuple[str, int, int]]:
    """Cards keyed as swapped of which one place is face down: no key by itself makes a hidden card public."""
    moved = swapped_cards(state.setup, state.round)
    turned = _turned(state) if moved else frozenset()
    return frozenset(
        draw.place for one, other, draw in moved if not all(slot.up or slot.target in turned for slot in (one, other))
    )


def _may_be_shown(state: RulesState, target: str) -> bool:
    """Whether a hand dealt face down may be turned: after all decisions, and after the dealer's (13:69F-51.10(d), (e)).

    A reveal cannot be taken back: the dealer's hand waits for the last decision, and a player's that was keyed before
    the dealer's has to be keyed again.
    """
    played = state.round
    shown, last = played.shown, len(played.shown) - 1 - played.shown[::-1].index(target)
    decided = not state.setup.keyed(("kp.decision",)) or set(played.active) <= set(played.decided)
    return decided and (
        target == "dealer" or ("dealer" in shown[:last] and not stays_face_down(state, int(target.removeprefix("box"))))
    )


def _hands(state: RulesState) -> RulesState:
    played = state.round
    if not (played.hands or played.hole_up) or not all_certain(state.setup, played):
        return state
    first, known, due = 1 + spare_cards(state), played.revealed | _down(state), list[tuple[DrawnCard, str]]()
    for hand in played.hands:
        if not known.issuperset([card.place for card in hand.cards]):
            places = enumerate(hand.cards, start=1 if hand.half else first)
            due += [(card, f"{hand.target}.{at}") for at, card in places if card.place not in known]
    dealers = dealer_cards(state) if played.hole_up else ()
    if not known.issuperset([card.place for card in dealers]):
        due += [(card, f"dealer.{at}") for at, card in enumerate(dealers, start=1) if card.place not in known]
    return reveal_cards(state, due)


def _answer(state: RulesState) -> RulesState:
    use = state.round.reader
    if use.said or use.bit is None:
        return state
    usable = is_reader_in_use(state) and not use.misused and not use.failed
    closed = state.round.hole_up or (insurance_closed(state) and are_steps_made(state))
    if not (usable and up_card_allows_reader(state) is True and closed):
        return state
    due = AnswerDue(use.epoch, use.answered, use.bit)
    now = replace(state.now, reveals=(*state.now.reveals, due))
    return replace(state, round=replace(state.round, reader=replace(use, said=True)), now=now)
