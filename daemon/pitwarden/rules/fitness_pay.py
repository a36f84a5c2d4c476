"""Whether pay tables, limits and the draw rule of a table are those of the texts, and posted (G-14, IB-07)."""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.profile.pay_tables import objections
from pitwarden.rules.setup import TableSetup
from pitwarden.rules.unfit import Unfit

_POSTED: Final = ("13:69E-1.13V(c), (d)", "13:69E-1.13BB(c), (d)", "13:69E-1.10D(b), (c)", "19:46-1.10(r)")
_SOFT_STAND: Final = 17


def unfit_pay(setup: TableSetup) -> Iterator[Unfit]:
    """Every reason against the pay tables, the draw rule and the number of bettors that are configured."""
    seen: set[str] = set()
    for choice in setup.pay:
        key = ("pay", choice.wager)
        if choice.wager in seen:
            yield Unfit(key, "G-14", _POSTED, f"{choice.wager} has one pay table, and two are configured")
        seen.add(choice.wager)
        rule = setup.profile.rule(choice.wager)
        clause = (
            "IB-07" if any(table.at_least for table in setup.profile.pay if table.wager == choice.wager) else "G-14"
        )
        for reason in objections(setup.profile.pay, choice):
            yield Unfit(key, clause, rule.cites if rule is not None else _POSTED, reason)
        if choice.minimum is not None and choice.maximum is not None and choice.minimum > choice.maximum:
            yield Unfit(key, "G-14", _POSTED, "the posted minimum is above the maximum")
    yield from _draw(setup)
    most = setup.profile.rule("bettors")
    if setup.policy.bettors and (most is None or setup.policy.bettors > most.number("most")):
        clause, cites = (most.clause, most.cites) if most is not None else ("PW-SETUP", ())
        reason = f"at most {most.number('most')} may wager on a box" if most is not None else "no text of ours says so"
        yield Unfit(("rules", "bettors"), clause, cites, reason)
    if setup.policy.both_blackjacks == "paid" and not _has_line(setup, "both_blackjacks"):
        yield Unfit(("rules", "both_blackjacks"), "PW-SETUP", (), f"{setup.profile.title} has no such switch")


def _draw(setup: TableSetup) -> Iterator[Unfit]:
    rule, said = setup.profile.rule("dealer_draws"), setup.policy.draw
    if not said:
        return
    if rule is None:
        yield Unfit(("rules", "draw"), "PW-SETUP", (), f"our sources have no draw rule of {setup.profile.title}")
    elif said != ("S17" if rule.number("soft") == _SOFT_STAND else "H17"):
        reason = f"the layout of {setup.profile.title} does not say {said}"
        yield Unfit(("rules", "draw"), "G-14", (*rule.cites, *_POSTED), reason)


def _has_line(setup: TableSetup, line: str) -> bool:
    return any(table.pays(line) for table in setup.profile.pay)
