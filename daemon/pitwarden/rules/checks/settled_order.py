"""Wagers that the text's own order settles in the middle of a round, for the checks of a round that is void.

- Bonus wagers and a blackjack, when the dealer reaches their box (36.7(f), (h)).
- A hand over 21, or of 21 in three cards, at its last card (36.5(e), 36.7(h)).
- Losing insurance when the hole card is shown (36.10(d)), half of a surrendered wager (26.8(a)).
- Wagers of a folded hand, and of a turned one (51.10(d)1, (e)).

A round that becomes void returns the others (C-31, C-32).
"""

from typing import Final

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.hands import public_total, undecided_hands
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.hands import lay_out_hands
from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.outputs import WagerOutcome

ROWS: Final = declared(__name__, reads=("attack", "bonus_first", "fold"))

_LIMIT: Final = 21
_THREE: Final = 3
_ADDED: Final = frozenset({"double", "split"})


def settled_lines(state: RulesState) -> tuple[str, ...]:
    """Return what was settled by now: the keyed settlements in their order, then what the text had due without a key.

    A line is `box1 first_attack`, or `box1 first_attack due`.
    """
    played = state.round
    due = [(one.hand, one.wager) for one in played.windows.bets.told if _is_due(state, one)]
    fold = ROWS(state, "fold")
    if fold is not None:
        due += [(f"box{box}", wager) for box in played.play.folded for wager in fold.words("loses")]
    keyed = played.settlement.settled
    left = [f"{hand} {wager} due" for hand, wager in dict.fromkeys(due) if not _is_keyed(state, hand, wager)]
    return (*keyed, *left)


def may_be_settled(state: RulesState, act: KpSettled) -> bool:
    """Return whether the text's order may have settled this wager with this result by now.

    True also where the cards of the hand are not public, or the text on the wager is not in our sources.
    """
    state = lay_out_hands(state)
    played, attack, bonus, fold = state.round, ROWS(state, "attack"), ROWS(state, "bonus_first"), ROWS(state, "fold")
    told = {(one.hand, one.wager, one.result) for one in played.windows.bets.told}
    if fold is not None:
        forfeited = act.box in played.play.folded and act.called in fold.words("loses") and act.result == "lose"
        return forfeited or (f"box{act.box}", act.called, act.result) in told
    hands = [hand for hand in played.play.hands if hand.box == act.box and act.hand in {None, hand.half}]
    if attack is None or not hands:
        return attack is None
    if act.called == "insurance":
        return up_rank(state) in {"A", None} and (played.play.hole_up or played.play.hole_held)
    if bonus is not None and act.called in bonus.words("wagers"):
        return _is_reached(state, act.box)
    if act.called not in _wagers(attack) or act.box in played.windows.bets.surrendered:
        return True
    return any(_may_be_over(state, attack, hand, act.result) for hand in hands)


def _is_reached(state: RulesState, box: int) -> bool:
    """Return whether the dealer may have announced the hand of `box`: each one farther left has decided (36.7(f))."""
    return not any(hand.box < box for hand in undecided_hands(state.round))


def _may_be_over(state: RulesState, attack: ClauseRule, hand: PlayerHand, result: str | None) -> bool:
    """Return whether the hand may have been settled with `result` before the dealer's."""
    total, lines = public_total(state.round, hand.cards), attack.words("at_once")
    if hand.target in state.round.windows.bets.dead:
        return True
    if total is None:  # two cards are never over 21, and may be a blackjack
        return result == "win" or (result == "lose" and len(hand.cards) >= _THREE)
    if not lines:
        return total.points >= _LIMIT
    if total.points > _LIMIT:
        return result == "lose"
    natural = len(hand.cards) < _THREE and not hand.half and _is_reached(state, hand.box)
    return total.points == _LIMIT and result == "win" and (natural or len(hand.cards) >= _THREE)


def _is_due(state: RulesState, one: WagerOutcome) -> bool:
    """Return whether the text has an announced outcome settled before the others."""
    attack, bonus, box = ROWS(state, "attack"), ROWS(state, "bonus_first"), _box(one.hand)
    if attack is None:
        return _is_passed(state, one.hand)
    if one.wager == "insurance" or one.line == "surrender":
        return one.result in {"lose", "half"}
    if bonus is not None and one.wager in bonus.words("wagers"):
        return _is_announced(state, box)
    hands = [hand for hand in state.round.play.hands if hand.target == one.hand]
    if one.line not in attack.words("at_once") or not hands:
        return False
    # 36.7(h): "21 in three or more cards", which 21 after a split need not be.
    return _is_announced(state, box) if one.line == "blackjack" else len(hands[0].cards) >= _THREE


def _is_announced(state: RulesState, box: int) -> bool:
    """Return whether a key shows that the dealer announced `box`: its own, or one of a box farther right (36.7(f))."""
    play = state.round.play
    played_on = (
        hand.box
        for hand in play.hands
        if hand.done or hand.half or len(hand.cards) >= _THREE or hand.target in play.asked
    )
    return max((*state.round.settlement.bonus, *played_on), default=0) >= box


def _is_passed(state: RulesState, hand: str) -> bool:
    """Return whether another hand was turned after `hand`: the dealer settles one player after the other (51.10(e))."""
    return hand in [name for name in state.round.play.shown if name != "dealer"][:-1]


def _wagers(attack: ClauseRule) -> frozenset[str]:
    return _ADDED | {str(attack.param("wager", default="")), *attack.words("also")}


def _is_keyed(state: RulesState, hand: str, wager: str) -> bool:
    """Return whether a key reports the wager as settled: its own, or the one for all of its kind."""
    box, bonus = f"box{_box(hand)}", ROWS(state, "bonus_first")
    lines = {f"{box} {wager}", wager}
    if bonus is not None and wager in bonus.words("wagers"):
        lines.add(f"{box} bonus")
    return not lines.isdisjoint(state.round.settlement.settled)


def _box(hand: str) -> int:
    """Return the box of a hand such as `box2b`; 0 for the table."""
    return int("".join(filter(str.isdecimal, hand)) or 0)
