"""Keyed wagers: a wager that comes too late, or lies beyond a limit of a clause, is refused.

Limits concern the person, another wager of the box, and the amount: 36.5(f), (g), 36.6(b), 36.8(a), 36.12, 2.26(d),
2B.5(a), (d), (e), 2B.9.
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.open_wagers import are_settled
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input
from pitwarden.rules.state.wagers import KeyedSettlement, WagerStake
from pitwarden.rules.transitions.draws import begin_round
from pitwarden_client.events.dealer_wagers import KpSettled, KpWager

ROWS: Final = declared(
    __name__,
    decides=(
        "beside", "bettors", "doubled_stake", "equal_stake", "fixed_stake", "insurance_first", "posted_limits",
        "stake_unit", "wager_locked", "wager_window",
    ),
    reads=("bonus_first",),
)  # fmt: skip


def wager_refusal(state: RulesState, act: KpWager) -> tuple[str, ClauseRule | None]:
    """Return why `act` is refused, and the row of the profile; an empty reason when it is permitted."""
    for key, reason in (
        ("bettors", _person(state, act)),
        ("beside", _beside(state, act)),
        ("doubled_stake", _doubled(state, act)),
        ("stake_unit", _unit(state, act)),
        ("equal_stake", _equal(state, act)),
        ("fixed_stake", _fixed(state, act)),
        ("posted_limits", _limits(state, act)),
    ):
        if reason:
            return reason, ROWS(state, key)
    return "", None


def _person(state: RulesState, act: KpWager) -> str:
    rule = ROWS(state, "bettors")
    if rule is None:
        return ""
    most = state.setup.policy.bettors or rule.number("most")
    if act.bettor > most:
        return f"At most {most} may wager on a box: bettor {act.bettor} of box {act.box} is one too many."
    callers = any(
        (one.wager, one.box, one.bettor) == (act.called, act.box, 1) for one in state.round.windows.bets.stakes
    )
    called = any(hand.box == act.box and (hand.doubled or hand.half) for hand in state.round.play.hands)
    # 36.12(b), (e): other bettors follow the player who calls the decisions, who must have the wager.
    if act.bettor > 1 and act.called in rule.words("called") and not (callers or called):
        return f"The player who calls the decisions of box {act.box} has not made this wager: no other may."
    return ""


def _beside(state: RulesState, act: KpWager) -> str:
    """Return why a wager is refused that needs another wager of the box, and must not exceed it (36.6(b), 2.26(d))."""
    rule = ROWS(state, "beside")
    if rule is None or act.called not in rule.words("wagers"):
        return ""
    other = str(rule.param("other", default=""))
    name, keyed = other.replace("_", " "), [one for one in state.round.windows.bets.stakes if one.wager == other]
    if keyed and all(one.box != act.box for one in keyed):
        return f"Box {act.box} has no {name} wager: this one is made beside it."
    if act.cents is not None and act.cents < rule.number("least"):
        return f"This wager is at least {_dollars(rule.number('least'))}."
    own = next((one.cents for one in keyed if (one.box, one.bettor) == (act.box, act.bettor)), None)
    if rule.param("not_above", default=False) and own is not None and (act.cents or 0) > own:
        return f"This wager is at most the {name} wager of box {act.box}, {_dollars(own)}."
    return ""


def _doubled(state: RulesState, act: KpWager) -> str:
    """Return why a double is refused: it is at most the sum of the hand's wagers (36.8(a), 26.9(a))."""
    rule = ROWS(state, "doubled_stake")
    if rule is None or act.called != "double" or act.cents is None:
        return ""
    own = [
        one.cents
        for one in state.round.windows.bets.stakes
        if one.wager in rule.words("wagers") and (one.box, one.bettor) == (act.box, act.bettor)
    ]
    most = sum(cents for cents in own if cents is not None)
    if own and None not in own and act.cents > most:
        return f"A double is at most the wagers of the hand, {_dollars(most)}."
    return ""


def _unit(state: RulesState, act: KpWager) -> str:
    """Return why an amount is refused: steps of $5, and an ante of $1 for each or part (2B.5(a), C-46)."""
    rule = ROWS(state, "stake_unit")
    if rule is None or act.cents is None:
        return ""
    unit, fee = rule.number("unit"), rule.number("fee")
    if act.called == rule.param("wager", default="") and (act.cents % unit or not act.cents):
        return f"This wager is a multiple of {_dollars(unit)}."
    own = [
        one.cents
        for one in state.round.windows.bets.stakes
        if one.wager == rule.param("wager", default="") and (one.box, one.bettor) == (act.box, act.bettor)
    ]
    if act.called == "ante" and own and own[0] is not None:
        # 2B.5(a), C-46: $1 for each $5 or part of it, so the division rounds up.
        due = -(-own[0] // unit) * fee
        return "" if act.cents == due else f"The ante of box {act.box} is {_dollars(due)}."
    return ""


def _equal(state: RulesState, act: KpWager) -> str:
    """Return why an amount is refused that must equal another wager of the box (51.10(d)2)."""
    rule = ROWS(state, "equal_stake")
    if rule is None or act.cents is None or act.called != rule.param("wager", default=""):
        return ""
    other = str(rule.param("other", default=""))
    own = [
        one.cents
        for one in state.round.windows.bets.stakes
        if (one.wager, one.box, one.bettor) == (other, act.box, act.bettor) and one.cents is not None
    ]
    return f"This wager equals the {other} of box {act.box}, {_dollars(own[0])}." if own and own != [act.cents] else ""


def _fixed(state: RulesState, act: KpWager) -> str:
    """Return why an amount is refused for a wager of one fixed amount (51.11(e)1)."""
    rule = ROWS(state, "fixed_stake")
    if rule is None or act.cents is None or act.called != rule.param("wager", default=""):
        return ""
    return "" if act.cents == rule.number("cents") else f"This wager is {_dollars(rule.number('cents'))}."


def _limits(state: RulesState, act: KpWager) -> str:
    posted = state.setup.limits(act.called)
    if posted is None or act.cents is None:
        return ""
    if posted.minimum is not None and act.cents < posted.minimum:
        return f"The posted minimum is {_dollars(posted.minimum)}."
    if posted.maximum is not None and act.cents > posted.maximum:
        return f"The posted maximum is {_dollars(posted.maximum)}."
    return ""


def _dollars(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02}" if cents % 100 else f"${cents // 100}"


_IN_PLAY: Final = frozenset({"attack2", "attack3", "doubleattack", "insurance", "double", "split", "play"})
"""Wagers made while cards are on the layout. Any other wager that is keyed between rounds belongs to the next round."""


def apply_wager(state: RulesState, act: KpWager) -> RulesState:
    """Return `state` with the wager, or with its refusal under the clause that forbids it.

    A wager of the next round begins that round.
    """
    late, locked = ROWS(state, "wager_window"), ROWS(state, "wager_locked")
    early = late is not None and act.called in late.words("before_first_card")
    # No other key may have begun the round: a wager that is made before the deal begins it.
    if not state.round.open and act.called not in _IN_PLAY:
        state = begin_round(state)
    played, wager = state.round, f"{act.called} {act.box}"
    announced = late is not None and late.param("at_no_more_bets", default=False) is True and played.windows.bets_closed
    if late is not None and early and announced and played.open:
        return refuse_input(state, f"No more bets was announced: no {_name(act)} wager is made or changed now.", late)
    if late is not None and early and len(played.deal.dealt) > played.deal.carried:
        return refuse_input(state, f"The first card is dealt: no {_name(act)} wager is made or changed now.", late)
    reason, rule = _not_offered(state, act)
    if reason:
        return refuse_input(state, reason, rule)
    known = any(
        (one.wager, one.box, one.bettor) == (act.called, act.box, act.bettor) for one in played.windows.bets.stakes
    )
    confirmed = locked is not None and act.called in locked.words("confirmed") and played.open
    if locked is not None and confirmed and (act.called in played.windows.closed or known):
        text = f"The {_name(act)} wagers are confirmed: none is handled until it is decided."
        return refuse_input(state, text, locked)
    reason, rule = wager_refusal(state, act)
    if reason:
        return refuse_input(state, reason, rule)
    kept = tuple(
        one
        for one in played.windows.bets.stakes
        if (one.wager, one.box, one.bettor) != (act.called, act.box, act.bettor)
    )
    bets = replace(played.windows.bets, stakes=(*kept, WagerStake(act.called, act.box, act.bettor, act.cents)))
    return replace(
        state, round=replace(played, windows=replace(played.windows, wagers=(*played.windows.wagers, wager), bets=bets))
    )


def _not_offered(state: RulesState, act: KpWager) -> tuple[str, ClauseRule | None]:
    """Return why a wager comes after its window or is not offered, with the profile rule (36.7(d), (e), 36.10(a))."""
    late = ROWS(state, "wager_window")
    if late is not None and act.called in late.words("before_closed") and act.called in state.round.windows.closed:
        return f"The {_name(act)} window is closed: no {_name(act)} wager is made or changed now.", late
    if act.called == "insurance" and state.round.open and up_rank(state) not in {"A", None}:
        return "Insurance is offered when the dealer's first card is an ace.", ROWS(state, "insurance_first")
    return "", None


def apply_settlement(state: RulesState, act: KpSettled) -> RulesState:
    """Return `state` with a wager settled, and its result where that was keyed."""
    played = state.round
    lines = (*played.settlement.settled, f"box{act.box} {act.called}")
    bets = played.windows.bets
    if act.result is not None:
        bets = replace(
            bets, paid=(*bets.paid, KeyedSettlement(act.called, act.box, act.hand, act.result, state.number))
        )
    return _completed(
        replace(
            state,
            round=replace(
                played, settlement=replace(played.settlement, settled=lines), windows=replace(played.windows, bets=bets)
            ),
        ),
        act,
    )


def _completed(state: RulesState, act: KpSettled) -> RulesState:
    """Return `state` with the fact that the last wager of a step was settled by its own key, like the step's key."""
    bonus = ROWS(state, "bonus_first")
    steps = (
        (fact("ib_settled"), ("ib",), None),
        (fact("antes_collected"), ("ante",), None),
        (fact("insurance_settled"), ("insurance",), None),
        (fact("bonus_settled"), bonus.words("wagers") if bonus else (), act.box),
    )
    done = [one for one, wagers, box in steps if act.called in wagers and are_settled(state.round, wagers, box)]
    return add_fact(state, *done) if done else state


def _name(act: KpWager) -> str:
    return act.called.replace("_", " ")
