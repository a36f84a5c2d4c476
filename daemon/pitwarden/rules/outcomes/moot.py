"""Whether the dealer's points still decide anything (36.11(c), 26.12(c)): from public hands and keyed wagers alone."""

from typing import Final

from pitwarden.rules.outcomes.terms import KEYED
from pitwarden.rules.profile.profile import Rule
from pitwarden.rules.queries.hands import public_total, undecided, unsure
from pitwarden.rules.state.round import Hand
from pitwarden.rules.state.state import State

_LIMIT: Final = 21


def dealer_matters(state: State) -> bool | None:
    """Whether the dealer's points have an effect on the round; None while that is not known.

    Where no clause of our sources lets the dealer stop for it, it is never said that they have none.
    """
    rule, attack, played = state.setup.profile.rule("moot_draw"), state.setup.profile.rule("attack"), state.round
    if attack is None or not played.hands or not played.open or played.over:
        return None
    if undecided(played) or played.asked or any(unsure(played, hand) for hand in played.hands):
        return None
    effects = [hand_matters(state, attack, hand) for hand in played.hands]
    effects.append(None if rule is None else _bonus_matters(state, rule))
    if True in effects:
        return True
    return None if None in effects else False


def hand_matters(state: State, attack: Rule, hand: Hand) -> bool | None:
    """Whether the dealer's points decide this hand; None where the text that would say so is not in our sources."""
    bets = state.round.bets
    if hand.target in bets.dead or hand.box in bets.surrendered:
        return False
    total = public_total(state.round, hand.cards)
    if total is None:
        return None
    if total.points > _LIMIT:
        return False
    if total.points == _LIMIT:
        return False if attack.param("twenty_one_wins", default=False) else None
    long = attack.number("long_hand")
    return not (long and len(hand.cards) >= long)


def _bonus_matters(state: State, rule: Rule) -> bool | None:
    """Whether a bonus wager that hangs on the dealer's hand is live; None where no wager is keyed."""
    bonuses = rule.words("bonuses")
    if not bonuses:
        return False
    if not (state.setup.keyed(KEYED) and state.round.wagers):
        return None
    settled = {(f"box{one.box}", one.wager) for one in state.round.bets.paid}
    live = [one for one in state.round.bets.stakes if one.wager in bonuses]
    return any((f"box{one.box}", one.wager) not in settled for one in live)
