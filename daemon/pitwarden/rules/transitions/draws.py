"""A card leaves the shoe: found and out of play, the burn, a slot of the deal, a hand that asked, or nothing yet."""

from collections.abc import Iterable
from typing import Final

from pitwarden_client.events.card_faces import JOKER, is_ten

from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.terms import dealer_matters
from pitwarden.rules.queries.hands import dealer_must_stand, dealers_turn, next_ace
from pitwarden.rules.queries.layout import missing
from pitwarden.rules.setup.table_setup import TableSetup
from pitwarden.rules.state.entry import Entry, RevealDue
from pitwarden.rules.state.round import Draw, Fate, Round
from pitwarden.rules.state.state import State, put_deck, say, tell
from pitwarden.rules.transitions.hands import give, put_hand

FOUND: Final[frozenset[Fate]] = frozenset({"ten", "joker", "up"})


def begun(state: State) -> State:
    """`state` with a round in progress; a card that waited from the last round is its first."""
    if state.round.open:
        return state
    carried = state.shoe.carried
    played = Round(number=state.round.number + 1, open=True, deck=state.in_play, dealt=carried, carried=len(carried))
    table = replace(state.table, overridden=False)
    return held(replace(state, round=played, table=table, shoe=replace(state.shoe, carried=())))


def held(state: State) -> State:
    """`state` with the deck in play marked as dealt from the hand, while a round is so dealt (13:69E-1.18(g)2)."""
    deck = state.deck(state.in_play)
    if state.round.open and state.table.mode == "hand" and deck.ident and not deck.hand_dealt:
        return put_deck(state, replace(deck, hand_dealt=True))
    return state


def drawn(state: State, entry: Entry, index: int, face: int, *, up: bool) -> State:
    """`state` after one card left the shoe."""
    unfound = _unfound(state)
    card = Draw(entry.epoch, entry.number, index, entry.log_ms, face, burn=unfound == "burn")
    fate = _fate(state, face, up=up) or unfound
    state = _counted(state, card, fate, up=up)
    if fate in FOUND:
        return revealed(_begun_by(state) if fate == "up" and _begins(state) else state, [(card, "found")])
    if fate == "burn":
        return say(replace(state, shoe=replace(state.shoe, burn_due=False, burn=card)), "burned")
    if fate == "dead":
        return state
    return dealt(state, card)


def dealt(state: State, card: Draw) -> State:
    """`card` goes where the deal or a decision wants it; with no one asking it lies apart."""
    state = begun(state)
    played = state.round
    first = len(played.dealt) <= played.carried
    if state.shoe.deck and (first or not played.deck):  # the boxes may have been keyed over another deck
        played = replace(played, deck=state.shoe.deck)
    short = missing(state.setup, played)
    if short is None or short > 0:
        made = replace(state, round=replace(played, dealt=(*played.dealt, card)))
        return _noted(made, card, "card", first=first)
    if played.asked:
        target = played.asked[0]
        contested = card if len(played.asked) > 1 else None
        made = replace(state, round=replace(played, asked=played.asked[1:], contested=contested))
        if target == "dealer" and dealer_must_stand(made):
            made = tell(made, "accidental_draw", "burned", "The dealer's total stands: burn the card.")
            return _noted(revealed(made, [(card, "burn")]), card, "burned", first=False)
        if target == "dealer" and played.hole_up and dealer_matters(made) is False:
            return _noted(revealed(made, [(card, "burn")]), card, "burned", first=False)
        return _noted(give(made, target, card), card, "card", first=False)
    aces = next_ace(played)
    if aces is not None:
        made = put_hand(state, replace(aces[0], passed=True))
        return _noted(give(made, aces[1].target, card), card, "card", first=False)
    return _noted(replace(state, round=replace(played, extras=(*played.extras, card))), card, "extra", first=False)


def not_found(state: State, card: Draw) -> State:
    """`state` after the floor saw that `card` was no found one: it is what it would have been without the error.

    Nothing more where it was picked up with its round, or where another card was burned in its place.
    """
    if card.burn and state.shoe.burn_due:
        burned = replace(state, shoe=replace(state.shoe, burn_due=False, burn=card))
        return say(_noted(burned, card, "burn", first=False), "burned")
    return state if card.burn or _picked_up(state, card) else dealt(state, card)


def _picked_up(state: State, card: Draw) -> bool:
    """Whether the round in which `card` was drawn is over (36.7(j))."""
    epoch, number = state.table.ended
    return card.number < number if card.epoch == epoch else epoch != "" and card.epoch != state.epoch


def revealed(state: State, cards: Iterable[tuple[Draw, str]]) -> State:
    """`state` with each card public in its slot, once; a card that was not read has nothing to say."""
    known, said = state.round.revealed, dict[tuple[str, int, int], RevealDue]()
    for card, slot in cards:
        if card.face >= 0 and card.place not in known and card.place not in said:
            said[card.place] = RevealDue(card.epoch, card.number, card.index, slot, card.face)
    if not said:
        return state
    shown = list(state.shoe.shown)
    for one in said.values():
        if one.face <= JOKER:
            shown[one.face] += 1
    return replace(
        state,
        round=replace(state.round, revealed=known.union(said)),
        shoe=replace(state.shoe, shown=tuple(shown)),
        now=replace(state.now, reveals=(*state.now.reveals, *said.values())),
    )


def _fate(state: State, face: int, *, up: bool) -> Fate:
    if is_ten(face) and not state.setup.profile.tens:
        return "ten"
    if face == JOKER:
        return "joker"
    return "up" if up else ""


def _unfound(state: State) -> Fate:
    """What the next card is, unless it is one that was found in the shoe."""
    if state.round.over:
        return "dead"
    if not (state.shoe.burn_due or _of_unseen_dealer(state)):
        return "card"
    return "card" if dealers_turn(state) and state.setup.keyed(("kp.round_end",)) else "burn"


def _of_unseen_dealer(state: State) -> bool:
    """Whether a card between rounds may be a new dealer's burn card: dealers are not keyed, rounds are."""
    if state.round.open:
        return False
    setup = state.setup
    return setup.burns and rounds_keyed(setup) and not setup.keyed(("kp.dealer",))


def rounds_keyed(setup: TableSetup) -> bool:
    """Whether this table keys how a round begins and that it ended."""
    return setup.keyed(("kp.boxes", "kp.round_end")) and any(setup.keyed((act,)) for act in setup.profile.start)


def _begins(state: State) -> bool:
    """Whether a card found face up is a round's first: a keyed one's, that of a deck shuffled for it, or its shoe's."""
    rule, played = state.setup.profile.rule("face_up"), state.round
    if rule is None or not rule.param("dealing_only", default=False):
        return False
    nothing_dealt = not played.over and len(played.dealt) <= played.carried
    return nothing_dealt if played.open else state.deck(state.in_play).shuffled or state.shoe.drawn == 1


def _begun_by(state: State) -> State:
    state = begun(state)
    played = replace(state.round, deck=state.shoe.deck or state.round.deck)  # the boxes may be keyed over another deck
    return replace(state, round=played, now=replace(state.now, first=True))


def _counted(state: State, card: Draw, fate: Fate, *, up: bool) -> State:
    shoe = state.shoe
    seen = shoe.seen
    if 0 <= card.face <= JOKER:
        seen = (*seen[: card.face], seen[card.face] + 1, *seen[card.face + 1 :])
    ups = shoe.ups
    if up:
        scoped = state.setup.policy.face_up_scope == "round" and shoe.up_round != state.round.number
        ups = 1 if scoped else ups + 1
    shoe = replace(
        shoe,
        drawn=shoe.drawn + 1,
        strange=shoe.strange + (fate in {"ten", "joker"}),
        last=card,
        last_fate=fate,
        seen=seen,
        ups=ups,
        up_round=state.round.number if up else shoe.up_round,
        tens=shoe.tens + (fate == "ten"),
        tens_waiting=(*shoe.tens_waiting, card) if fate == "ten" else shoe.tens_waiting,
    )
    tokens = (*state.now.tokens, "card")
    return replace(state, shoe=shoe, now=replace(state.now, fate=fate, draw=card, tokens=tokens))


def _noted(state: State, card: Draw, fate: Fate, *, first: bool) -> State:
    shoe, now = state.shoe, state.now
    first = first or now.first
    if shoe.last_fate != fate and shoe.last == card:
        shoe = replace(shoe, last_fate=fate)
    if now.fate != fate or now.first != first or now.draw is not card:
        now = replace(now, fate=fate, draw=card, first=first)
    return state if shoe is state.shoe and now is state.now else replace(state, shoe=shoe, now=now)
