"""Keyed wagers: those that may no longer be made or handled are refused; so are those beyond a clause's limits.

36.5(f), (g), 36.6(b), 36.8(a), 36.12, 2.26(d), 2B.5(a), (d), (e), 2B.9.
"""

from typing import Final

from pitwarden_client.events.dealer_wagers import KpSettled, KpWager

from pitwarden.rules.copying import replace
from pitwarden.rules.moves.draws import begun
from pitwarden.rules.moves.stakes import barred
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.round import Paid, Stake
from pitwarden.rules.state.state import State, refuse

_IN_PLAY: Final = frozenset({"attack2", "attack3", "doubleattack", "insurance", "double", "split", "play"})
"""Wagers that are made while cards are on the layout; any other that is keyed between rounds is of the next round."""


def placed(state: State, act: KpWager) -> State:
    """`state` with the wager, or the refusal with the clause that bars it; one of the next round begins it."""
    late, locked = state.setup.profile.rule("wager_window"), state.setup.profile.rule("wager_locked")
    early = late is not None and act.wager in late.words("before_first_card")
    if not state.round.open and act.wager not in _IN_PLAY:
        state = begun(state)
    played, wager = state.round, f"{act.wager} {act.box}"
    announced = late is not None and late.param("at_no_more_bets", default=False) is True and played.bets_closed
    if late is not None and early and announced and played.open:
        return refuse(state, f"No more bets was announced: no {_name(act)} wager is made or changed now.", late.key)
    if late is not None and early and len(played.dealt) > played.carried:
        return refuse(state, f"The first card is dealt: no {_name(act)} wager is made or changed now.", late.key)
    reason, rule = _not_offered(state, act)
    if reason:
        return refuse(state, reason, rule)
    known = any((one.wager, one.box, one.bettor) == (act.wager, act.box, act.bettor) for one in played.bets.stakes)
    confirmed = locked is not None and act.wager in locked.words("confirmed") and played.open
    if locked is not None and confirmed and (act.wager in played.closed or known):
        text = f"The {_name(act)} wagers are confirmed: none is handled until it is decided."
        return refuse(state, text, locked.key)
    reason, rule = barred(state, act)
    if reason:
        return refuse(state, reason, rule)
    kept = tuple(
        one for one in played.bets.stakes if (one.wager, one.box, one.bettor) != (act.wager, act.box, act.bettor)
    )
    bets = replace(played.bets, stakes=(*kept, Stake(act.wager, act.box, act.bettor, act.cents)))
    return replace(state, round=replace(played, wagers=(*played.wagers, wager), bets=bets))


def _not_offered(state: State, act: KpWager) -> tuple[str, str]:
    """Why the wager comes after its window, or there is none, with the profile's row (36.7(d), (e), 36.10(a))."""
    late = state.setup.profile.rule("wager_window")
    if late is not None and act.wager in late.words("before_closed") and act.wager in state.round.closed:
        return f"The {_name(act)} window is closed: no {_name(act)} wager is made or changed now.", late.key
    if act.wager == "insurance" and state.round.open and up_rank(state) not in {"A", None}:
        return "Insurance is offered when the dealer's first card is an ace.", "insurance_first"
    return "", ""


def settled(state: State, act: KpSettled) -> State:
    """`state` with a wager settled, and how where that was keyed."""
    played = state.round
    lines = (*played.settled, f"box{act.box} {act.wager}")
    bets = played.bets
    if act.result is not None:
        bets = replace(bets, paid=(*bets.paid, Paid(act.wager, act.box, act.hand, act.result, state.number)))
    return replace(state, round=replace(played, settled=lines, bets=bets))


def _name(act: KpWager) -> str:
    return act.wager.replace("_", " ")
