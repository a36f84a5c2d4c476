"""Stakes of keyed wagers: a wager beyond a limit of a clause is refused.

Limits concern the person, another wager of the box, and the amount: 36.1, 36.6(b), 36.8(a), 36.9(a), 36.10(b), 36.12,
26.9(a), 26.10(a), 26.11(b), 26.13, 2.26(d), 2B.5(a), 2B.9, 51.10(d)2, 51.11(e)1. Limits of 26.5 to 26.7, and those of
Switch Hands on insurance, are not in our sources: nothing is refused for them.
"""

from collections.abc import Collection
from typing import Final

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.profile.refusals import Reason, refusal
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.dealer_wagers import KpWager

ROWS: Final = declared(
    __name__,
    decides=(
        "attack_stake", "beside", "bettors", "doubled_stake", "equal_stake", "fixed_stake", "insured_stake",
        "posted_limits", "split", "stake_unit",
    ),
)  # fmt: skip


def wager_refusal(state: RulesState, act: KpWager) -> tuple[Reason | None, ClauseRule | None]:
    """Return why `act` is refused, and the row of the profile; None when it is permitted."""
    for key, reason in (
        ("bettors", _person(state, act)),
        ("beside", _beside(state, act)),
        ("attack_stake", _attack(state, act)),
        ("doubled_stake", _doubled(state, act)),
        ("split", _split(state, act)),
        ("insured_stake", _insured(state, act)),
        ("stake_unit", _unit(state, act)),
        ("equal_stake", _equal(state, act)),
        ("fixed_stake", _fixed(state, act)),
        ("posted_limits", _limits(state, act)),
    ):
        if reason is not None:
            return reason, ROWS(state, key)
    return None, None


def _person(state: RulesState, act: KpWager) -> Reason | None:
    rule = ROWS(state, "bettors")
    if rule is None:
        return None
    most = state.setup.policy.bettors or rule.number("most")
    if act.bettor > most:
        return refusal("too_many_bettors", most=most, bettor=act.bettor, box=act.box)
    # 36.12(b), (d): other bettors double when the player who calls the decisions does, on any hand of the box.
    called = _own(state, act, {act.called}, bettor=1) or any(
        hand.box == act.box and hand.doubled for hand in state.round.play.hands
    )
    if act.bettor > 1 and act.called in rule.words("called") and not called:
        return refusal("caller_has_none", box=act.box)
    return None


def _beside(state: RulesState, act: KpWager) -> Reason | None:
    """Return why a wager is refused that needs another wager of the box, and must not exceed it (36.6(b), 2.26(d))."""
    rule = ROWS(state, "beside")
    if rule is None or act.called not in rule.words("wagers"):
        return None
    other = str(rule.param("other", default=""))
    name, keyed = other.replace("_", " "), any(one.wager == other for one in state.round.windows.bets.stakes)
    own = _own(state, act, {other})
    if keyed and not own:
        if act.bettor == 1:
            return refusal("none_beside", box=act.box, wager=name)
        return refusal("bettor_has_none_beside", bettor=act.bettor, box=act.box, wager=name)
    if act.cents is not None and act.cents < rule.number("least"):
        return refusal("less_than_least", amount=_dollars(rule.number("least")))
    if rule.param("not_above", default=False) and own and own[0] is not None and (act.cents or 0) > own[0]:
        return refusal("above_the_other", wager=name, box=act.box, amount=_dollars(own[0]))
    return None


def _attack(state: RulesState, act: KpWager) -> Reason | None:
    """Return why an attack wager is refused: it does not exceed the first of its player (36.1)."""
    rule = ROWS(state, "attack_stake")
    if rule is None or act.called not in rule.words("wagers") or act.cents is None:
        return None
    most = _sum(_own(state, act, {str(rule.param("other", default=""))}))
    return refusal("above_the_first", amount=_dollars(most)) if most and act.cents > most else None


def _doubled(state: RulesState, act: KpWager) -> Reason | None:
    """Return why a double is refused: it is at most the sum of the hand's wagers (36.8(a), 26.9(a))."""
    rule = ROWS(state, "doubled_stake")
    if rule is None or act.called != "double" or act.cents is None:
        return None
    most = _sum(_own(state, act, rule.words("wagers")))
    return refusal("double_too_high", amount=_dollars(most)) if most and act.cents > most else None


def _split(state: RulesState, act: KpWager) -> Reason | None:
    """Return why a split's wager is refused: it equals the sum of the hand's wagers (36.9(a), 26.10(a)).

    36.12(f), 26.13(f): other bettors may designate a hand instead, so no amount is asked of them.
    """
    rule = ROWS(state, "split")
    if rule is None or act.called != "split" or act.cents is None or act.bettor > 1:
        return None
    due = _sum(_own(state, act, rule.words("stake")))
    return refusal("other_split", amount=_dollars(due)) if due and act.cents != due else None


def _insured(state: RulesState, act: KpWager) -> Reason | None:
    """Return why insurance is refused: at most half of what it is measured by, to the next unit of chips (C-57)."""
    rule = ROWS(state, "insured_stake")
    if rule is None or act.called != "insurance" or act.cents is None:
        return None
    unit, staked = state.setup.policy.insurance_unit, _sum(_own(state, act, rule.words("wagers")))
    # 36.10(b): above half only where half cannot be wagered in chips, so the division rounds up to the unit.
    most = -(-staked // (2 * unit)) * unit if staked % (2 * unit) else staked // 2
    return refusal("insurance_too_high", amount=_dollars(most)) if staked and act.cents > most else None


def _unit(state: RulesState, act: KpWager) -> Reason | None:
    """Return why an amount is refused: steps of $5, and an ante of $1 for each or part (2B.5(a), C-46)."""
    rule = ROWS(state, "stake_unit")
    if rule is None or act.cents is None:
        return None
    unit, fee = rule.number("unit"), rule.number("fee")
    if act.called == rule.param("wager", default="") and (act.cents % unit or not act.cents):
        return refusal("no_multiple", amount=_dollars(unit))
    own = [
        one.cents
        for one in state.round.windows.bets.stakes
        if one.wager == rule.param("wager", default="") and (one.box, one.bettor) == (act.box, act.bettor)
    ]
    if act.called == "ante" and own and own[0] is not None:
        # 2B.5(a), C-46: $1 for each $5 or part of it, so the division rounds up.
        due = -(-own[0] // unit) * fee
        return None if act.cents == due else refusal("other_ante", box=act.box, amount=_dollars(due))
    return None


def _equal(state: RulesState, act: KpWager) -> Reason | None:
    """Return why an amount is refused that must equal another wager of the box (51.10(d)2)."""
    rule = ROWS(state, "equal_stake")
    if rule is None or act.cents is None or act.called != rule.param("wager", default=""):
        return None
    other = str(rule.param("other", default=""))
    own = [
        one.cents
        for one in state.round.windows.bets.stakes
        if (one.wager, one.box, one.bettor) == (other, act.box, act.bettor) and one.cents is not None
    ]
    if not own or own == [act.cents]:
        return None
    return refusal("not_equal", wager=other, box=act.box, amount=_dollars(own[0]))


def _fixed(state: RulesState, act: KpWager) -> Reason | None:
    """Return why an amount is refused for a wager of one fixed amount (51.11(e)1)."""
    rule = ROWS(state, "fixed_stake")
    if rule is None or act.cents is None or act.called != rule.param("wager", default=""):
        return None
    fixed = rule.number("cents")
    return None if act.cents == fixed else refusal("not_fixed", amount=_dollars(fixed))


def _limits(state: RulesState, act: KpWager) -> Reason | None:
    posted = state.setup.limits(act.called)
    if posted is None or act.cents is None:
        return None
    if posted.minimum is not None and act.cents < posted.minimum:
        return refusal("below_minimum", amount=_dollars(posted.minimum))
    if posted.maximum is not None and act.cents > posted.maximum:
        return refusal("above_maximum", amount=_dollars(posted.maximum))
    return None


def _dollars(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02}" if cents % 100 else f"${cents // 100}"


def _own(state: RulesState, act: KpWager, wagers: Collection[str], bettor: int = 0) -> list[int | None]:
    """Return the amounts of `wagers` of the same person at the box, or of `bettor`; None for one that was not keyed."""
    whose = act.box, bettor or act.bettor
    stakes = state.round.windows.bets.stakes
    return [one.cents for one in stakes if one.wager in wagers and (one.box, one.bettor) == whose]


def _sum(amounts: list[int | None]) -> int:
    """Return the sum; 0 where an amount, or all of them, were not keyed."""
    known = [cents for cents in amounts if cents is not None]
    return sum(known) if len(known) == len(amounts) else 0
