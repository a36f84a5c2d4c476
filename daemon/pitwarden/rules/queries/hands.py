"""Queries about hands after the initial deal: their public points, completeness, and permitted decisions.

Threat: a decision that depends on a hidden face reveals it. Points are computed from published cards only.
"""

from collections.abc import Sequence
from typing import Final

from pitwarden.rules.evaluation.blackjack import HandTotal, face_value, hand_total, player_may_draw
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.queries.layout import all_certain, cards_of, deal_template
from pitwarden.rules.state.cards import DrawnCard, PlayerHand
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState

ROWS: Final = declared(__name__, reads=("accidental_draw", "choices", "fold", "split", "split_ace"))

HALVES: Final = ("", "b", "c", "d")


def public_faces(played: RoundState, cards: Sequence[DrawnCard]) -> tuple[int, ...] | None:
    """Return the faces of `cards` when all of them are public, else None: no result may depend on a hidden one."""
    public, faces = played.revealed, list[int]()
    for card in cards:
        if card.place not in public:
            return None
        faces.append(card.face)
    return tuple(faces)


def public_total(played: RoundState, cards: Sequence[DrawnCard]) -> HandTotal | None:
    """Return the total of `cards` when all of them are public and read, else None."""
    faces = public_faces(played, cards)
    return None if faces is None else hand_total(faces)


def dealer_cards(state: RulesState) -> tuple[DrawnCard, ...]:
    """Return the dealer's hand: the initial cards and those drawn since."""
    return (*[draw for _, draw in cards_of(state.setup, state.round, "dealer")], *state.round.play.dealer)


def dealer_must_stand(state: RulesState) -> bool | None:
    """Return whether the dealer's public total ends the dealer's draws.

    None while the total is not public, or where no clause of the game states it.
    """
    rule = ROWS(state, "accidental_draw")
    # Secrecy: with the hole card hidden the answer is None, also where the judge knows the card.
    total = public_total(state.round, dealer_cards(state))
    if total is None or rule is None:
        return None
    return total.points >= rule.number("soft" if total.soft else "hard")


def is_complete(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether a hand gets no more decisions.

    The player stood or doubled, the hand was passed over, or its public total is 21 or more.
    """
    two = len(hand.cards) > 1
    # A hand of 21 requests no card (36.11(a)); a hand with a hidden card is complete by a key only.
    return hand.done or hand.passed or (two and not player_may_draw(public_total(played, hand.cards)))


def is_completeness_unknown(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether only the layout shows if `hand` is complete.

    An unread card in it, or in a hand before it in its box, may have ended a hand without a key. Unread is a card that
    the shoe did not read, or reported as a 10 that the floorperson refuted.
    """
    if hand.done:
        return False
    of_box = [one for one in played.play.hands if one.box == hand.box]
    for one in of_box[: of_box.index(hand) + 1]:  # noqa: SIM110  a generator would be a call more for each hand
        if not one.done and holds_unread(played, one):
            return True
    return False


def is_undecided(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether `hand` certainly waits for a decision.

    A split ace with its card needs none (36.9(e)), nor does a box that refused the exposed card and is dealt no more
    (36.14(e)).
    """
    settled = is_complete(played, hand) or is_passed_ace(played, hand) or is_completeness_unknown(played, hand)
    return not settled and hand.box not in played.exceptions.refused


def undecided_hands(played: RoundState) -> tuple[PlayerHand, ...]:
    """Return the hands that certainly wait for a decision, in the order of play."""
    return tuple([hand for hand in played.play.hands if is_undecided(played, hand)])


def is_decision_due(played: RoundState) -> bool:
    """Return whether any hand certainly waits for a decision."""
    for hand in played.play.hands:  # noqa: SIM110  likewise
        if is_undecided(played, hand):
            return True
    return False


def spare_cards(state: RulesState) -> int:
    """Return how many of a box's initial cards are not in its hand.

    They are the pair that a player with a choice does not play.
    """
    first = next((hand for hand in state.round.play.hands if not hand.half), None)
    plan = deal_template(state.setup, state.round)
    if first is None or plan is None or ROWS(state, "choices") is None:
        return 0
    return len(plan.whose.get(first.target, ())) // 2


def card_due(state: RulesState) -> bool:
    """Return whether a card is still to be dealt: the initial deal is incomplete, or a hand waits for one."""
    played = state.round
    plan = deal_template(state.setup, played)
    if not played.live or plan is None or not (played.windows.bets_closed or played.deal.dealt):
        return False
    return len(played.deal.dealt) < len(plan.slots) or bool(played.play.asked)


def recent_extra(state: RulesState) -> DrawnCard | None:
    """Return an unassigned card so recent that the key which requests it may have come after it, None for none."""
    if not all_certain(state.setup, state.round):
        return None
    # The shoe's event and the dealer's key race: a card may reach the log before the key that requests it.
    since = state.log_ms - state.setup.grace_ms
    return next((card for card in state.round.exceptions.extras if card.at_ms >= since), None)


def takers(state: RulesState) -> frozenset[str]:
    """Return the boxes, and `dealer`, that a card drawn now may belong to, where no key requested it.

    It may be the card of a hand that is still drawn to. Drawn in error, it is the next card of any later hand or of the
    dealer's (36.14(c)).
    """
    played = state.round
    drawing = {hand.box for hand in played.play.hands if not is_complete(played, hand)}
    boxes = drawing if played.play.hands else set(played.deal.active)
    own = () if not boxes and dealer_must_stand(state) is True else ("dealer",)
    return frozenset([*(f"box{box}" for box in boxes), *own])


def may_be_unrequested(played: RoundState) -> bool:
    """Return whether the next card may be one that no hand requested, although a request waits for a card.

    A card without a request lies on the table, or a key that may be a mistake changed the requests.
    """
    return bool(played.exceptions.extras) or played.exceptions.out_of_turn


def same_value(played: RoundState, hand: PlayerHand) -> bool | None:
    """Return whether a two-card hand is a pair by value (36.9(a)); None while its faces are not public."""
    faces = public_faces(played, hand.cards)
    values = None if faces is None else [face_value(face) for face in faces]
    if values is None or None in values:
        return None
    return len(values) == 2 and values[0] == values[1]  # noqa: PLR2004  a pair


def holds_unread(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether public cards do not determine the hand's points.

    A 10 was refuted, the reveal of a card named no face, or a card of the deal may be the hole card and is sealed.
    """
    public = played.revealed
    for card in hand.cards:
        if card.face < 0:
            return True
        if card.place in public:
            if face_value(card.face) is None:
                return True
        elif public:
            return True
    return False


def are_aces(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether all cards of `hand` are public aces."""
    faces = public_faces(played, hand.cards)
    return faces is not None and all(face_value(face) == 11 for face in faces)  # noqa: PLR2004  an ace's points


def ace_may(state: RulesState, what: str) -> bool:
    """Return whether a split ace may be doubled after its one card, or split again; True where the clause is silent.

    Args:
        state: State whose profile and switches apply.
        what: `double` or `again`.
    """
    rule = ROWS(state, "split_ace")
    if rule is not None and what == "again" and rule.param("again_by_choice", default=False) is True:
        return state.setup.policy.resplit_aces
    return rule is None or rule.param(what, default=True) is True


def most_hands(state: RulesState) -> int:
    """Return how many hands a box may have after splits; some texts state it by the number of positions (26.10(c))."""
    rule = ROWS(state, "split")
    if rule is None:
        return len(HALVES)
    # 26.10(c) states the number of hands for a table of six positions separately.
    six = rule.number("hands_of_six") if state.setup.positions == 6 else 0  # noqa: PLR2004  positions of the table
    return min(six or rule.number("hands") or len(HALVES), state.setup.policy.max_splits + 1)


def is_dealers_turn(state: RulesState) -> bool:
    """Return whether no card goes to a player any more: a new dealer burns before dealing to the players (36.7(c)).

    The hole card turned up proves it of a hand with an unread card.
    """
    played = state.round
    turned = played.play.hole_up or played.play.hole_held
    done = bool(played.play.hands) and all(
        is_complete(played, hand)
        or hand.box in played.exceptions.refused
        or (turned and is_completeness_unknown(played, hand))
        for hand in played.play.hands
    )
    return played.open and not played.exceptions.short and done


def is_passed_ace(played: RoundState, hand: PlayerHand) -> bool:
    """Return whether `hand` is a split ace that has its one card.

    It may still be doubled, but requests nothing (36.9(e)).
    """
    return hand.ace and len(hand.cards) == 2 and not hand.done and hand.target not in played.play.asked  # noqa: PLR2004  one card each


def next_split_ace(played: RoundState) -> tuple[PlayerHand, PlayerHand] | None:
    """Return a split ace that has its card, and the next hand of its box, which waits for its own; None for none."""
    for box in played.deal.active:
        hands = [hand for hand in played.play.hands if hand.box == box and not is_complete(played, hand)]
        if len(hands) > 1 and is_passed_ace(played, hands[0]) and len(hands[1].cards) == 1:
            return hands[0], hands[1]
    return None


def stays_face_down(state: RulesState, box: int) -> bool:
    """Return whether a box folded without a bonus wager: its cards are never turned (13:69F-51.10(d)1)."""
    played = state.round
    return state.setup.keyed(("kp.wager",)) and not has_bonus(state, box) and box in played.play.folded


def has_bonus(state: RulesState, box: int) -> bool:
    """Return whether a wager is keyed for `box` that is decided by the player's own cards, also of a folded hand."""
    fold = ROWS(state, "fold")
    # 51.10(d)1 names the two bonus wagers of its game; a game that is data alone names its own.
    wagers = (fold.words("turned_with") if fold is not None else ()) or ("flush_bonus", "progressive")
    return any(f"{wager} {box}" in state.round.windows.wagers for wager in wagers)
