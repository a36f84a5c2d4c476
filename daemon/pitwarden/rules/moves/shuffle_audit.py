"""At a round's end its public cards go to the shuffle auditor; a hidden card is a gap, an undealt one is not there."""

from collections.abc import Iterable

from pitwarden.events.faces import JOKER
from pitwarden.rules.copying import replace
from pitwarden.rules.layout import placed
from pitwarden.rules.moves.change import say
from pitwarden.rules.parts import Draw
from pitwarden.rules.shuffle.auditor import Pack, anew, audited
from pitwarden.rules.state import State


def heard(state: State) -> State:
    """`state` after the auditor heard the round that ends; `audit:...` is said for each test that is alarmed."""
    played, profile = state.round, state.setup.profile
    rule = profile.rule("shuffle_audit")
    heard_here = rule is not None and state.setup.keyed(rule.needs) and state.setup.policy.shuffle_audit
    if not heard_here or not played.revealed:
        return replace(state, audit=replace(state.audit, found=())) if state.audit.found else state
    dealt = _in_order((*played.dealt, *played.dealer, *(card for hand in played.hands for card in hand.cards)))
    audit = state.audit if state.shoe.drawn - len(dealt) >= state.audit.drawn else anew(state.audit)
    faces = {card.place: _face(state, card) for card in dealt}
    pack = Pack(profile.total // profile.copies, profile.copies, state.setup.audit_key)
    rack = [[faces[card.place] for card in hand] for hand in _picked_up(state)]
    audit = audited(audit, pack, [faces[card.place] for card in dealt], rack)
    made = replace(state, audit=replace(audit, drawn=state.shoe.drawn))
    return say(made, *(f"audit:{name}" for name in audit.found))


def _in_order(cards: Iterable[Draw]) -> list[Draw]:
    """Each card once, as they left the shoe."""
    once = {card.place: card for card in cards}
    return sorted(once.values(), key=lambda card: (card.at_ms, card.number, card.index))


def _face(state: State, card: Draw) -> int:
    return card.face if card.place in state.round.revealed and 0 <= card.face < JOKER else -1


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
