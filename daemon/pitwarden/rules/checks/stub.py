"""The stub count of 3 Card Blitz and what a wrong one leads to (51.7(e), 51.9(d)); hands of a wrong size (51.12(b))."""

from collections.abc import Iterator
from typing import Final

from pitwarden.events.dealer import KpDealerReveal, KpDecision, KpHands, KpStub
from pitwarden.events.device import ShoeStack
from pitwarden.rules.dealing import dealing
from pitwarden.rules.finding import Seen, found
from pitwarden.rules.layout import template
from pitwarden.rules.state import Finding
from pitwarden.rules.stubs import expected_stub, rounds_uncounted, stub_rule

HAND: Final = 7


def wrong_stub(seen: Seen) -> Iterator[Finding]:
    """The stub was counted and is not what it should be: the hands decide what follows."""
    rule, act, state = seen.rule("stub_wrong"), seen.act, seen.after
    wanted = expected_stub(state)
    if rule is None or not isinstance(act, KpStub) or wanted is None or act.count == wanted or state.round.over:
        return
    text = f"The stub has {act.count} cards where {wanted} belong: count the hands."
    yield found(rule, "recount", text, awaits=("hands|stub",), evidence=(seen.entry.number,), key="stub_wrong")


def hands(seen: Seen) -> Iterator[Finding]:
    """The hands were counted: misdealt, a deck that is not whole, or both."""
    act, state, before = seen.act, seen.after, seen.before.round
    wrong, misdealt = seen.rule("stub_wrong"), seen.rule("hand_count")
    if wrong is None or misdealt is None or not isinstance(act, KpHands) or before.over:
        return
    total, stub, want = state.setup.profile.total, state.round.stub, expected_stub(state)
    uneven = any(count != HAND for count in act.counts)
    whole = stub is None or stub + sum(act.counts) == total
    deck = state.round.deck or state.shoe.deck
    evidence = (seen.entry.number,)
    back = ("round_end", f"shuffled:{deck}")
    gone = ("round_end", f"opening:{deck}")
    if stub is not None and not whole:
        if uneven and stub == want:
            text = "A hand has not seven cards: all hands are void."
            yield found(misdealt, "wrong", text, awaits=back, deck=deck, evidence=evidence)
        case = "both" if uneven else "deck"
        there = stub + sum(act.counts)
        text = f"Deck {deck} has {there} cards, not {total}: all hands are void, the deck leaves the table."
        basis = "default" if uneven else wrong.basis
        yield found(wrong, case, text, awaits=gone, deck=deck, evidence=evidence, basis=basis)
    elif uneven:
        rule, case = (wrong, "misdealt") if stub is not None and stub != want else (misdealt, "wrong")
        yield found(
            rule, case, "A hand has not seven cards: all hands are void.", awaits=back, deck=deck, evidence=evidence
        )


def stack(seen: Seen) -> Iterator[Finding]:
    """A stack of another size than seven is dealt; what leaves the shoe after the deal is the stub, not a hand."""
    rule, data, before = seen.rule("hand_count"), seen.entry.data, seen.before
    if rule is None or not isinstance(data, ShoeStack) or data.count == HAND or before.round.over:
        return
    if before.round.open and not dealing(before):
        return
    deck = seen.after.round.deck or seen.after.shoe.deck
    text = f"A stack of {data.count} cards was dealt, not of {HAND}: all hands are void; shuffle."
    awaits = ("round_end", f"shuffled:{deck}")
    yield found(rule, "wrong", text, awaits=awaits, deck=deck, evidence=(seen.entry.number,), sensor=True)


def draws(seen: Seen) -> Iterator[Finding]:
    """At the first decision the cards drawn are not seven for each hand."""
    rule, state, act = seen.rule("hand_count"), seen.after, seen.act
    ends = isinstance(act, KpDecision | KpDealerReveal) and not seen.before.round.marks
    plan = template(state.setup, state.round)
    if (
        rule is None
        or not ends
        or plan is None
        or not state.round.marks
        or seen.before.round.over
        or state.shoe.drawn == 0
        or state.table.mode == "hand"
    ):
        return
    out, want = state.round.marks[0], len(plan.slots)
    deck = state.round.deck or state.shoe.deck
    evidence = (seen.entry.number,)
    if out < want and out % HAND:
        text = f"{out} cards were dealt where {want} belong: all hands are void; shuffle."
        awaits = ("round_end", f"shuffled:{deck}")
        yield found(rule, "wrong", text, awaits=awaits, deck=deck, evidence=evidence, sensor=True)
    elif out != want:
        text = f"{out} cards were drawn where {want} belong: key the boxes, or count the hands."
        yield found(rule, "unclear", text, awaits=("boxes|hands",), deck=deck, evidence=evidence, basis="default")


def overdue(seen: Seen) -> Iterator[Finding]:
    """A round begins although the stub had to be counted before."""
    rule = stub_rule(seen.after)
    begins = seen.after.round.bets_closed and not seen.before.round.bets_closed
    if rule is None or not (begins or seen.first):
        return
    deck = seen.after.in_play or seen.after.round.deck
    if rounds_uncounted(seen.after, deck) > rule.number("every"):
        text = "The stub was not counted in the last five rounds: count it now."
        awaits = (f"counted:{deck}",)
        yield found(rule, "overdue", text, awaits=awaits, deck=deck, evidence=(seen.entry.number,))
