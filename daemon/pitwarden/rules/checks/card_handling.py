"""Cut, idle table, mixing, shuffle auditor.

Where the cards are cut, by whom, and how deep the cutting card lies (36.4(e), 2B.4(f), 51.4(c)1). Alerts only.

Cards that were spread on an idle table are shuffled before they are dealt (TAB-10, CB-10, SH-09): HOLD.

A card exposed while the cards are mixed or stacked: all are mixed again (36.3(c), also after 36.4(h)).

Cards that were dealt in an order which an honest shuffle does not give (36.4(a), 51.4(a), 2B.4(a)). Alerts only.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.context import CheckContext, make_finding
from pitwarden.rules.profile.facts import deck_fact, fact
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shuffler import deck_for_cut
from pitwarden_client.events.dealer_cards import KpCut, KpExposedInMix
from pitwarden_client.events.device import ShoeCut, ShoeLoaded

_CUT_AGAIN: Final = ((fact("cut"), fact("noted")),)


def near_an_end(seen: CheckContext) -> Iterator[Finding]:
    """The cut leaves fewer cards on a side than the clause asks for."""
    rule, act = seen.rule("cut_position"), seen.act
    if rule is None or not isinstance(act, KpCut) or act.position is None:
        return
    least, below = rule.number("least"), seen.after.setup.profile.total - act.position
    both = rule.param("both_ends", default=False) is True and not seen.before.round.completing
    if act.position < least or (both and below < least):
        text = f"The cards were cut below {act.position}: at least {least} cards lie on each side of a cut."
        evidence = (seen.entry.number,)
        yield make_finding(
            rule,
            "ends",
            text,
            awaits=((fact("cut"), fact("noted")),),
            deck=deck_for_cut(seen.before) or None,
            evidence=evidence,
        )


def by_a_player(seen: CheckContext) -> Iterator[Finding]:
    """A player cut the cards where the dealer has to."""
    rule, act = seen.rule("cut_by_dealer"), seen.act
    if rule is not None and isinstance(act, KpCut) and act.by != "dealer":
        text = "A player cut the cards: the dealer cuts them."
        evidence = (seen.entry.number,)
        yield make_finding(
            rule,
            "player",
            text,
            awaits=((fact("cut"), fact("noted")),),
            deck=deck_for_cut(seen.before) or None,
            evidence=evidence,
        )


def cutting_card_too_deep(seen: CheckContext) -> Iterator[Finding]:
    """Fewer cards lie behind the cutting card than about a quarter of the set (C-53: a tolerance of the house)."""
    rule, shoe = seen.rule("cutting_card_depth"), seen.before.shoe
    if rule is None or not isinstance(seen.entry.data, ShoeCut) or shoe.cuts or shoe.partial or not shoe.counted:
        return
    total = seen.after.setup.profile.total
    behind = total - (shoe.drawn - shoe.strange)
    if behind < total // 4 - seen.after.setup.policy.cut_tolerance:
        text = f"{behind} cards lay behind the cutting card: about a quarter of {total} belongs there."
        yield make_finding(rule, "deep", text, deck=shoe.counted, evidence=(seen.entry.number,))


def dealt_unshuffled(seen: CheckContext) -> Iterator[Finding]:
    """A card of a deck leaves the shoe that was spread and not shuffled since."""
    before = seen.before
    deck = before.deck(before.in_play)
    rule = seen.rule("idle_spread") if deck.spread else None
    if rule is not None and seen.drew:
        text = f"Deck {deck.ident} was spread on the idle table: wash, stack and shuffle it before it is dealt."
        evidence = (seen.entry.number,)
        yield make_finding(
            rule, "dealt", text, deck=deck.ident, awaits=((deck_fact("shuffled", deck.ident),),), evidence=evidence
        )


def other_batch(seen: CheckContext) -> Iterator[Finding]:
    """A batch that waited in the shuffler is loaded, and the conditions of dealing it unspread are not met."""
    rule, data, state = seen.rule("idle_spread"), seen.entry.data, seen.after
    if rule is None or not isinstance(data, ShoeLoaded) or not rule.verdicts("request"):
        return
    if state.deck(data.deck).waited and not state.setup.policy.batch_swap:
        text = f"Deck {data.deck} waited in the shuffler and was not spread: no approval to deal it so is on file."
        evidence = (seen.entry.number,)
        yield make_finding(
            rule, "request", text, deck=data.deck, awaits=((deck_fact("shuffled", data.deck),),), evidence=evidence
        )


def requested(seen: CheckContext) -> Iterator[Finding]:
    """A player asks that the batch be spread and shuffled again before it is dealt."""
    rule, ident = seen.rule("idle_spread"), seen.after.in_play
    if rule is not None and seen.said(fact("spread_request")):
        text = "A player asks to see the cards: spread them, then shuffle again before they are dealt."
        awaits = ((deck_fact("spread", ident),), (deck_fact("shuffled", ident),))
        yield make_finding(rule, "request", text, deck=ident or None, awaits=awaits, evidence=(seen.entry.number,))


def exposed(seen: CheckContext) -> Iterator[Finding]:
    """A card was turned over and exposed to the players."""
    rule = seen.rule("remix")
    if rule is not None and isinstance(seen.act, KpExposedInMix):
        mixed, here = fact("mixed"), seen.after.setup.keyed(("kp.mixed",))
        text = "A card was exposed in the mixing: mix all cards again before they are shuffled."
        yield make_finding(
            rule,
            "exposed",
            text,
            awaits=((mixed,) if here else (mixed, fact("noted")),),
            evidence=(seen.entry.number,),
            key="remix",
        )


_SEEN: Final = {
    "order": "lie as in a new deck, or in one that was riffled once",
    "sorted": "lie sorted by rank",
    "repeat": "lie together as in an earlier shoe of this table",
}


def looks_unshuffled(seen: CheckContext) -> Iterator[Finding]:
    """The shuffle auditor was alarmed by the public cards up to this round's end; it names the deck and no card."""
    rule, deck = seen.rule("shuffle_audit"), seen.before.round.deck or seen.before.shoe.deck
    if rule is None:
        return
    for name in seen.after.audit.found if seen.said(fact("round_end")) else ():
        text = f"Cards dealt from deck {deck} {_SEEN[name]}: a shuffle gives that in fewer than one shoe in a million."
        yield make_finding(
            rule, name, text, deck=deck, evidence=(seen.entry.number,), verdicts=rule.verdicts("unshuffled")
        )
