"""Cut, idle table, mixing, shuffle auditor.

Where the cards are cut, by whom, and how deep the cutting card lies (36.4(e), 2B.4(f), 51.4(c)1). Alerts only.

Cards that were spread on an idle table are shuffled before they are dealt (TAB-10, CB-10, SH-09): HOLD.

A card exposed while the cards are mixed or stacked: all are mixed again (36.3(c), also after 36.4(h)).

Cards that were dealt in an order which an honest shuffle does not give (36.4(a), 51.4(a), 2B.4(a)). Alerts only.
"""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import CARD, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shuffler import deck_for_cut
from pitwarden_client.events.dealer_cards import KpCut, KpExposedInMix
from pitwarden_client.events.device import ShoeCut, ShoeLoaded


@check("cut.near_an_end", place=500, rules=("cut_position",), on=("kp.cut",))
def near_an_end(seen: CheckContext) -> Iterator[Finding]:
    """Report that the cut leaves fewer cards on a side than the clause asks for."""
    rule, act = seen.rule("cut_position"), seen.act
    if rule is None or not isinstance(act, KpCut) or act.position is None:
        return
    least, below = rule.number("least"), seen.after.setup.profile.total - act.position
    both = rule.param("both_ends", default=False) is True and not seen.before.round.completing
    if act.position < least or (both and below < least):
        deck, evidence = deck_for_cut(seen.before) or None, (seen.entry.number,)
        yield find_case(rule, "ends", count=act.position, deck=deck, evidence=evidence)


@check("cut.by_a_player", place=510, rules=("cut_by_dealer",), on=("kp.cut",))
def by_a_player(seen: CheckContext) -> Iterator[Finding]:
    """Report that a player cut the cards where the dealer has to."""
    rule, act = seen.rule("cut_by_dealer"), seen.act
    if rule is not None and isinstance(act, KpCut) and act.by != "dealer":
        deck, evidence = deck_for_cut(seen.before) or None, (seen.entry.number,)
        yield find_case(rule, "player", deck=deck, evidence=evidence)


@check("cut.cutting_card_too_deep", place=520, rules=("cutting_card_depth",), on=("shoe.cut",))
def cutting_card_too_deep(seen: CheckContext) -> Iterator[Finding]:
    """Report that clearly fewer cards than a quarter of the set lie behind the cutting card (C-53: a tolerance)."""
    rule, shoe = seen.rule("cutting_card_depth"), seen.before.shoe
    if rule is None or not isinstance(seen.entry.data, ShoeCut) or shoe.cuts or shoe.partial or not shoe.counted:
        return
    total = seen.after.setup.profile.total
    behind = total - (shoe.drawn - shoe.strange)
    if behind < total // 4 - seen.after.setup.policy.cut_tolerance:
        yield find_case(rule, "deep", count=behind, right=total, deck=shoe.counted, evidence=(seen.entry.number,))


@check("idle.dealt_unshuffled", place=460, rules=("idle_spread",), on=(CARD,))
def dealt_unshuffled(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card of a deck leaves the shoe that was spread and not shuffled since."""
    before = seen.before
    deck = before.deck(before.in_play)
    rule = seen.rule("idle_spread") if deck.spread else None
    if rule is not None and seen.drew:
        yield find_case(rule, "dealt", deck=deck.ident, evidence=(seen.entry.number,))


@check("idle.other_batch", place=470, rules=("idle_spread",), on=("shoe.loaded",))
def other_batch(seen: CheckContext) -> Iterator[Finding]:
    """Report that a batch that waited in the shuffler is loaded unspread, and the conditions for that are not met."""
    rule, data, state = seen.rule("idle_spread"), seen.entry.data, seen.after
    if rule is None or not isinstance(data, ShoeLoaded) or not rule.verdicts("request"):
        return
    if state.deck(data.deck).waited and not state.setup.policy.batch_swap:
        yield find_case(rule, "other_batch", deck=data.deck, evidence=(seen.entry.number,))


@check("idle.requested", place=480, rules=("idle_spread",), on=("kp.spread_request",))
def requested(seen: CheckContext) -> Iterator[Finding]:
    """Report that a player asks that the batch be spread and shuffled again before it is dealt."""
    rule, ident = seen.rule("idle_spread"), seen.after.in_play
    if rule is not None and seen.said(fact("spread_request")):
        yield find_case(rule, "request", deck=ident or None, known_deck=ident, evidence=(seen.entry.number,))


@check("mixing.exposed", place=110, rules=("remix",), on=("kp.exposed_in_mix",))
def exposed(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card was turned over and exposed to the players."""
    rule = seen.rule("remix")
    if rule is not None and isinstance(seen.act, KpExposedInMix):
        case = "exposed_keyed" if seen.after.setup.keyed(("kp.mixed",)) else "exposed"
        yield find_case(rule, case, evidence=(seen.entry.number,), key="remix")


@check("shuffle_audit.looks_unshuffled", place=570, rules=("shuffle_audit",), on=("kp.round_end",))
def looks_unshuffled(seen: CheckContext) -> Iterator[Finding]:
    """Report that the public cards up to this round's end alarm the shuffle auditor; the deck is named, no card."""
    rule, deck = seen.rule("shuffle_audit"), seen.before.round.deck or seen.before.shoe.deck
    if rule is None:
        return
    for name in seen.after.audit.found if seen.said(fact("round_end")) else ():
        # Each kind of alarm is an irregularity of its own.
        key = f"{rule.key}:{name}:{deck}::"
        yield find_case(rule, name, deck=deck, evidence=(seen.entry.number,), key=key)
