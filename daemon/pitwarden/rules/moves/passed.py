"""A half of a split box that was complete without a key, since it holds a card that the shoe did not read (36.9(b))."""

from pitwarden.rules.copying import replace
from pitwarden.rules.moves.serving import give, put_hand
from pitwarden.rules.queries.hands import complete, holds_unread
from pitwarden.rules.state.state import State, say


def passed_over(state: State, box: int) -> State:
    """`state` with cards that nobody asked for dealt to the halves of `box` that waited behind such a hand."""
    while state.round.extras:
        played = state.round
        halves = [hand for hand in played.hands if hand.box == box and not complete(played, hand)]
        if len(halves) > 1 and holds_unread(played, halves[0]) and len(halves[1].cards) == 1:
            state = put_hand(state, replace(halves[0], passed=True))
        elif halves and len(halves[0].cards) == 1 and any(hand.passed for hand in played.hands if hand.box == box):
            card, state = played.extras[0], replace(state, round=replace(played, extras=played.extras[1:]))
            state = give(say(state, "explained"), halves[0].target, card)
        else:
            return state
    return state
