"""Other bettors of a box: what they place with the player who calls its decisions (36.12(e), 26.13(e))."""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.state.state import Finding

_CALLER = 1


@check("other_bettors.without_the_caller", place=865, rules=("bettors",), on=("kp.close",))
def without_the_caller(seen: CheckContext) -> Iterator[Finding]:
    """Report that a window ends, and another bettor has its wager at a box where the caller has none.

    The order of placing is free until then. A caller of whom no wager is keyed may have placed any.
    """
    rule, played, before = seen.rule("bettors"), seen.after.round, seen.before.round
    wagers = rule.words("beside_the_caller") if rule is not None else ()
    if rule is None or not wagers or not played.live:
        return
    ended = played.windows.closed - before.windows.closed
    stakes = played.windows.bets.stakes
    callers = {(one.box, one.wager) for one in stakes if one.bettor == _CALLER}
    known = {box for box, _ in callers}
    for one in stakes:
        placed = one.wager in ended and one.wager in wagers and one.bettor != _CALLER
        if placed and one.box in known and (one.box, one.wager) not in callers:
            name, key = one.wager.replace("_", " "), f"{rule.key}:{played.number}:{one.box}:{one.wager}"
            yield find_case(
                rule, "alone", box=one.box, name=name, count=one.bettor, evidence=(seen.entry.number,), once=True,
                basis="default", key=key,
            )  # fmt: skip
