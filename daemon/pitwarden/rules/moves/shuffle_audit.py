"""At a round's end its public cards go to the shuffle auditor; a hidden card is a gap, an undealt one is not there."""

from collections.abc import Iterable

from pitwarden_client.events.card_faces import JOKER

from pitwarden.rules.copying import replace
from pitwarden.rules.queries.layout import placed
from pitwarden.rules.shuffle.auditor import Pack, anew, audited
from pitwarden.rules.state.round import Draw
from pitwarden.rules.state.state import State, say

Place = tuple[str, int, int]


def heard(state: State) -> State:
    """`state` after the auditor heard the round that ends; `audit:...` is said for each test that is alarmed."""
    played, profile = state.round, state.setup.profile
    rule = profile.rule("shuffle_audit")
    heard_here = rule is not None and state.setup.keyed(rule.needs) and state.setup.policy.shuffle_audit
    if not heard_here or not played.revealed:
        return replace(state, audit=replace(state.audit, found=())) if state.audit.found else state
    dealt = _in_order((*played.dealt, *played.dealer, *(card for hand in played.hands for card in hand.cards)))
    audit = state.audit if state.shoe.drawn - len(dealt) >= state.audit.drawn else anew(state.audit)
    faces = {place: _face(state, place, card.face) for place, card in dealt}
    pack = Pack(profile.total // profile.copies, profile.copies, state.setup.audit_key)
    rack = [[faces[card.place] for card in hand] for hand in _picked_up(state)]
    audit = audited(audit, pack, list(faces.values()), rack)
    made = replace(state, audit=replace(audit, drawn=state.shoe.drawn))
    return say(made, *(f"audit:{name}" for name in audit.found))


def _in_order(cards: Iterable[Draw]) -> list[tuple[Place, Draw]]:
    """Each card once, as they left the shoe, with what tells it from the others."""
    once = {card.place: card for card in cards}
    return sorted(once.items(), key=_left_at)


def _left_at(one: tuple[Place, Draw]) -> tuple[int, int, int]:
    (_, number, index), card = one
    return card.at_ms, number, index


def _face(state: State, place: Place, face: int) -> int:
    return face if 0 <= face < JOKER and place in state.round.revealed else -1


def _picked_up(state: State) -> list[list[Draw]]:
    """The hands as they go to the rack: from the dealer's right, the dealer's own last (36.7(j), 51.10(f))."""
    played = state.round
    slots = placed(state.setup, played)
    boxes: dict[str, list[Draw]] = {}
    for slot, draw in slots:
        boxes.setdefault(slot.target, []).append(draw)
    hands = [list(hand.cards) for hand in reversed(played.hands)]
    if not hands:
        hands = [cards for target, cards in sorted(boxes.items(), reverse=True) if target != "dealer"]
    return [*hands, [*boxes.get("dealer", []), *played.dealer]]
