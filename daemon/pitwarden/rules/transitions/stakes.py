"""Stakes of keyed wagers: a wager beyond a limit of a clause is refused.

Limits concern the person, another wager of the box, and the amount: 36.1, 36.6(b), 36.8(a), 36.9(a), 36.10(b), 36.12,
26.9(a), 26.10(a), 26.11(b), 26.13, 2.26(d), 2B.5(a), 2B.9, 51.10(d)2, 51.11(e)1. Limits of 26.5 to 26.7, and those of
Switch Hands on insurance, are not in our sources: nothing is refused for them.
"""

from collections.abc import Collection
from typing import Final

from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.dealer_wagers import KpWager

ROWS: Final = declared(
    __name__,
    decides=(
        "attack_stake", "beside", "bettors", "doubled_stake", "equal_stake", "fixed_stake", "insured_stake",
        "posted_limits", "split", "stake_unit",
    ),
)  # fmt: skip


def wager_refusal(state: RulesState, act: KpWager) -> tuple[str, ClauseRule | None]:
    """Return why `act` is refused, and the row of the profile; an empty reason when it is permitted."""
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
    # 36.12(b), (d): other bettors double when the player who calls the decisions does, on any hand of the box.
    called = _own(state, act, {act.called}, bettor=1) or any(
        hand.box == act.box and hand.doubled for hand in state.round.play.hands
    )
    if act.bettor > 1 and act.called in rule.words("called") and not called:
        return f"The player who calls the decisions of box {act.box} has not made this wager: no other may."
    return ""


def _beside(state: RulesState, act: KpWager) -> str:
    """Return why a wager is refused that needs another wager of the box, and must not exceed it (36.6(b), 2.26(d))."""
    rule = ROWS(state, "beside")
    if rule is None or act.called not in rule.words("wagers"):
        return ""
    other = str(rule.param("other", default=""))
    name, keyed = other.replace("_", " "), any(one.wager == other for one in state.round.windows.bets.stakes)
    own = _own(state, act, {other})
    if keyed and not own:
        whose = f"Box {act.box}" if act.bettor == 1 else f"Bettor {act.bettor} of box {act.box}"
        return f"{whose} has no {name} wager: this one is made beside it."
    if act.cents is not None and act.cents < rule.number("least"):
        return f"This wager is at least {_dollars(rule.number('least'))}."
    if rule.param("not_above", default=False) and own and own[0] is not None and (act.cents or 0) > own[0]:
        return f"This wager is at most the {name} wager of box {act.box}, {_dollars(own[0])}."
    return ""


def _attack(state: RulesState, act: KpWager) -> str:
    """Return why an attack wager is refused: it does not exceed the first of its player (36.1)."""
    rule = ROWS(state, "attack_stake")
    if rule is None or act.called not in rule.words("wagers") or act.cents is None:
        return ""
    most = _sum(_own(state, act, {str(rule.param("other", default=""))}))
    return f"This wager is at most the first one, {_dollars(most)}." if most and act.cents > most else ""


def _doubled(state: RulesState, act: KpWager) -> str:
    """Return why a double is refused: it is at most the sum of the hand's wagers (36.8(a), 26.9(a))."""
    rule = ROWS(state, "doubled_stake")
    if rule is None or act.called != "double" or act.cents is None:
        return ""
    most = _sum(_own(state, act, rule.words("wagers")))
    return f"A double is at most the wagers of the hand, {_dollars(most)}." if most and act.cents > most else ""


def _split(state: RulesState, act: KpWager) -> str:
    """Return why a split's wager is refused: it equals the sum of the hand's wagers (36.9(a), 26.10(a)).

    36.12(f), 26.13(f): other bettors may designate a hand instead, so no amount is asked of them.
    """
    rule = ROWS(state, "split")
    if rule is None or act.called != "split" or act.cents is None or act.bettor > 1:
        return ""
    due = _sum(_own(state, act, rule.words("stake")))
    return f"A split's wager equals the wagers of the hand, {_dollars(due)}." if due and act.cents != due else ""


def _insured(state: RulesState, act: KpWager) -> str:
    """Return why insurance is refused: at most half of what it is measured by, to the next unit of chips (C-57)."""
    rule = ROWS(state, "insured_stake")
    if rule is None or act.called != "insurance" or act.cents is None:
        return ""
    unit, staked = state.setup.policy.insurance_unit, _sum(_own(state, act, rule.words("wagers")))
    # 36.10(b): above half only where half cannot be wagered in chips, so the division rounds up to the unit.
    most = -(-staked // (2 * unit)) * unit if staked % (2 * unit) else staked // 2
    return f"Insurance is at most half of the wagers, {_dollars(most)}." if staked and act.cents > most else ""


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


def _own(state: RulesState, act: KpWager, wagers: Collection[str], bettor: int = 0) -> list[int | None]:
    """Return the amounts of `wagers` of the same person at the box, or of `bettor`; None for one that was not keyed."""
    whose = act.box, bettor or act.bettor
    stakes = state.round.windows.bets.stakes
    return [one.cents for one in stakes if one.wager in wagers and (one.box, one.bettor) == whose]


def _sum(amounts: list[int | None]) -> int:
    """Return the sum; 0 where an amount, or all of them, were not keyed."""
    known = [cents for cents in amounts if cents is not None]
    return sum(known) if len(known) == len(amounts) else 0
