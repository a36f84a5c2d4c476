"""Keyed settlements against what public cards make of the wagers (kind W). Alerts only: no text has a remedy."""

from collections.abc import Iterator
from typing import Final

from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.outputs import WagerOutcome

from pitwarden.rules.copying import replace
from pitwarden.rules.finding import Seen, found
from pitwarden.rules.outcomes.blackjack import settles_now
from pitwarden.rules.state.round import Bets, Paid
from pitwarden.rules.state.state import Finding

_WORDS: Final = {"win": "won", "lose": "lost", "push": "a push", "returned": "returned", "half": "half lost"}


def differs(seen: Seen) -> Iterator[Finding]:
    """A wager was settled in another way than its outcome, be it before or after that was said."""
    rule, bets = seen.rule("settled_wrongly"), seen.after.round.bets
    if rule is None or not bets.paid or seen.after.round.over:
        return
    for paid in bets.paid:
        said = _said(bets, paid)
        if said and all(one.result != paid.result for one in said):
            one = said[0]
            text = (
                f"Box {paid.box}: {paid.wager.replace('_', ' ')} was settled as {_WORDS[paid.result]}; "
                f"by the cards it is {_WORDS[one.result]} ({one.line.replace('_', ' ')})."
            )
            key = f"{rule.key}:{seen.after.round.number}:{paid.number}"
            made = found(rule, "settled", text, box=paid.box, evidence=(paid.number,), once=True, key=key)
            yield replace(made, clause=one.catalogue, cites=one.clauses)


def surrender_settled_early(seen: Seen) -> Iterator[Finding]:
    """A surrendered wager is settled while the hole card may still be a blackjack (26.8(a)2, 3)."""
    rule, act, before = seen.rule("surrender"), seen.act, seen.before
    attack = seen.after.setup.profile.rule("attack")
    if rule is None or attack is None or not rule.words("parked"):
        return
    if not isinstance(act, KpSettled) or before.round.over or act.box not in before.round.bets.surrendered:
        return
    use = before.round.reader
    if use.answered and not (use.said or use.failed or use.misused):  # the dealer has an answer that is sealed yet
        return
    if act.wager == attack.param("wager", default="") and not before.round.hole_up and settles_now(before) is False:
        text = f"Box {act.box}: a surrendered wager stays on its cards until the dealer's second card is revealed."
        yield found(rule, "early", text, box=act.box, evidence=(seen.entry.number,), once=True)


def _said(bets: Bets, paid: Paid) -> list[WagerOutcome]:
    """The outcomes that the settlement may be meant for: of the hand that was named, else of any hand of the box."""
    names = {f"box{paid.box}{half}" for half in ("", "b", "c", "d") if paid.half in {None, half}}
    return [one for one in bets.told if one.wager == paid.wager and one.hand in {*names, "table"}]
