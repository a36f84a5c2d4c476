"""Where the cards are cut, by whom, and how deep the cutting card lies (36.4(e), 2B.4(f), 51.4(c)1). Alerts only."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_cards import KpCut
from pitwarden_client.events.device import ShoeCut

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shuffler import cut_deck


def near_an_end(seen: Seen) -> Iterator[Finding]:
    """The cut leaves fewer cards on a side than the clause asks for."""
    rule, act = seen.rule("cut_position"), seen.act
    if rule is None or not isinstance(act, KpCut) or act.position is None:
        return
    least, below = rule.number("least"), seen.after.setup.profile.total - act.position
    both = rule.param("both_ends", default=False) is True and not seen.before.round.completing
    if act.position < least or (both and below < least):
        text = f"The cards were cut below {act.position}: at least {least} cards lie on each side of a cut."
        evidence = (seen.entry.number,)
        yield found(rule, "ends", text, awaits=("cut|noted",), deck=cut_deck(seen.before) or None, evidence=evidence)


def by_a_player(seen: Seen) -> Iterator[Finding]:
    """A player cut the cards where the dealer has to."""
    rule, act = seen.rule("cut_by_dealer"), seen.act
    if rule is not None and isinstance(act, KpCut) and act.by != "dealer":
        text = "A player cut the cards: the dealer cuts them."
        evidence = (seen.entry.number,)
        yield found(rule, "player", text, awaits=("cut|noted",), deck=cut_deck(seen.before) or None, evidence=evidence)


def cutting_card_too_deep(seen: Seen) -> Iterator[Finding]:
    """Fewer cards lie behind the cutting card than about a quarter of the set (C-53: a tolerance of the house)."""
    rule, shoe = seen.rule("cutting_card_depth"), seen.before.shoe
    if rule is None or not isinstance(seen.entry.data, ShoeCut) or shoe.cuts or shoe.partial or not shoe.counted:
        return
    total = seen.after.setup.profile.total
    behind = total - (shoe.drawn - shoe.strange)
    if behind < total // 4 - seen.after.setup.policy.cut_tolerance:
        text = f"{behind} cards lay behind the cutting card: about a quarter of {total} belongs there."
        yield found(rule, "deep", text, deck=shoe.counted, evidence=(seen.entry.number,))
