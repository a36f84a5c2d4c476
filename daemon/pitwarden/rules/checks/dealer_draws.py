"""The dealer's draw rule (TAB-31, TAB-32, DAB-12, DAB-13, SH-19): stopping early, and draws that cannot matter."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_play import KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpSettled

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.outcomes.terms import dealer_matters, hand_matters
from pitwarden.rules.queries.hands import dealer_must_stand
from pitwarden.rules.state.state import Finding, State


def stopped_early(seen: Seen) -> Iterator[Finding]:
    """The round ends, or a hand is settled by the dealer's total, while the dealer has to draw."""
    rule, before, act = seen.rule("dealer_draws"), seen.before, seen.act
    if rule is None or not before.round.hole_up or before.round.short:
        return
    if before.round.parked or before.round.extras:  # the dealer may have taken it
        return
    if not isinstance(act, KpRoundEnd) and not (isinstance(act, KpSettled) and _by_the_dealer(before, act)):
        return
    if dealer_must_stand(before) is False and dealer_matters(before) is True:
        text = "The dealer stopped with a total that asks for a card, and a hand hangs on it."
        key = f"{rule.key}:{before.round.number}"
        yield found(rule, "early", text, evidence=(seen.entry.number,), once=True, key=key)


def moot_draw(seen: Seen) -> Iterator[Finding]:
    """A card was drawn for the dealer's hand when its points had no effect on any hand."""
    before, after = seen.before.round, seen.after
    if after.now.fate != "burned" and len(after.round.dealer) <= len(before.dealer):
        return
    rule = seen.rule("moot_draw")
    if rule is None or not seen.drew or dealer_must_stand(after):
        return
    if dealer_matters(after) is False:
        case = "burned" if after.now.fate == "burned" else "drawn"
        text = "The dealer drew a card though every hand is decided and the dealer's points change nothing."
        yield found(rule, case, text, evidence=(seen.entry.number,), once=True, key=f"{rule.key}:{after.round.number}")


def _by_the_dealer(state: State, act: KpSettled) -> bool:
    rule = state.setup.profile.rule("attack")
    if rule is None or act.wager not in {rule.param("wager", default=""), *rule.words("also")}:
        return False
    return any(hand_matters(state, rule, hand) is True for hand in state.round.hands if hand.box == act.box)
