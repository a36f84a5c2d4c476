"""Stub counts and what a wrong one leads to (51.7(e), 51.9(d), 35.9(e)); hands of a wrong size (51.12(b))."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import Unpack

from pitwarden.rules.checks.check_entry import BEGINS, check
from pitwarden.rules.checks.context import CaseDetails, CheckContext, find_case
from pitwarden.rules.profile.grammar import device_words
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.decks import (
    STUB_ROWS,
    cards_found,
    expected_stub,
    is_dealing,
    rounds_uncounted,
    stub_agrees,
    stub_rule,
)
from pitwarden.rules.queries.layout import deal_template, next_stack
from pitwarden.rules.state.card_book import last_count
from pitwarden.rules.state.state import Finding, IrregularityRecord, RulesState
from pitwarden_client.events.dealer_cards import KpHands, KpStub
from pitwarden_client.events.dealer_play import KpDealerReveal, KpDecision
from pitwarden_client.events.device import ShoeStack

_OF_COUNTS: Final = ("hand_count:wrong:", "stub_wrong:")
"""Begins of the keys of what counts of hands and stub lead to; stacks and draws share the first with them."""


@check("stub.wrong_stub", place=300, rules=("stub_wrong",), on=("kp.stub",))
def wrong_stub(seen: CheckContext) -> Iterator[Finding]:
    """Report that the stub was counted and is not what it should be: the hands decide what follows."""
    rule, act, state = seen.rule("stub_wrong"), seen.act, seen.after
    wanted = expected_stub(state)
    if (
        rule is None
        or not isinstance(act, KpStub)
        or wanted is None
        or state.round.void
        or state.round.settlement.counts
    ):
        return
    if stub_agrees(state, act.count) or state.table.mode == "hand":  # C-10: such a count is evidence of the ledger
        return
    yield find_case(
        rule, "recount", count=act.count, right=wanted, known_deck=state.round.deck or state.shoe.deck,
        evidence=(seen.entry.number,), key="stub_wrong",
    )  # fmt: skip


@check("stub.hands", place=290, rules=("stub_wrong", "hand_count"), on=("kp.hands", "kp.stub"), reads=STUB_ROWS)
def hands(seen: CheckContext) -> Iterator[Finding]:
    """Report that the hands were counted: misdealt, a deck that is not whole, or both; perhaps before the stub."""
    state, before, counts = seen.after, seen.before.round, seen.after.round.settlement.counts
    wrong, misdealt = seen.rule("stub_wrong"), seen.rule("hand_count")
    if wrong is None or misdealt is None or not counts or not isinstance(seen.act, KpHands | KpStub):
        return
    stubbed = isinstance(seen.act, KpStub)
    # A count that made the round void does not answer the count that is keyed after it.
    if before.void and not (stubbed and _voided_by_counts(seen)):
        return
    total, stub, want = state.setup.profile.total, state.round.settlement.stub, expected_stub(state)
    size, uneven = state.setup.profile.hand_size, _uneven(state, counts)
    there = None if state.table.mode == "hand" else cards_found(state, counts)
    deck = state.round.deck or state.shoe.deck
    evidence = (seen.entry.number,)
    if there is not None and there != total:
        if uneven and stub == want and not before.void:
            yield _ending(misdealt, "wrong", size=size, deck=deck, evidence=evidence)
        case = "both" if uneven else "deck"
        basis = "default" if uneven and wrong.basis == "text" else wrong.basis
        device = _contradicted(seen, deck)
        yield _ending(
            wrong, f"{case}_counted" if device else case, deck=deck, count=there, right=total,
            name=device_words(device), evidence=evidence, basis=basis, blast=True, doubts=device,
        )  # fmt: skip
    elif uneven and not before.void:
        counted = there is not None and stub != want
        rule, case = (wrong, "misdealt") if counted else (misdealt, "wrong")
        yield _ending(rule, case, size=size, deck=deck, evidence=evidence)


def _voided_by_counts(seen: CheckContext) -> bool:
    """Return whether the hands that were counted in this round made it void, and nothing else did."""
    number = seen.before.round.number
    ending = [case for case in seen.before.cases if case.live and case.said.round == number and _ends(case)]
    return all(case.finding.key.startswith(_OF_COUNTS) for case in ending)


def _ends(case: IrregularityRecord) -> bool:
    return not frozenset({"VOID", "DEAD"}).isdisjoint(case.said.verdicts)


@check("stub.stack", place=270, rules=("hand_count",), on=("shoe.stack",))
def stack(seen: CheckContext) -> Iterator[Finding]:
    """Report that a stack of the deal does not have the size of a hand; what leaves the shoe later is the stub."""
    rule, data, before = seen.rule("hand_count"), seen.entry.data, seen.before
    size = next_stack(before.setup, before.round)
    if rule is None or not isinstance(data, ShoeStack) or data.count == size or before.round.void:
        return
    if before.round.open and not is_dealing(before):
        return
    deck = seen.after.round.deck or seen.after.shoe.deck
    evidence = (seen.entry.number,)
    yield _ending(rule, "wrong_stack", count=data.count, size=size, deck=deck, evidence=evidence, sensor=True)


@check("stub.draws", place=280, rules=("hand_count",), on=("kp.decision", "kp.dealer_reveal"))
def draws(seen: CheckContext) -> Iterator[Finding]:
    """Report that at the first decision the cards drawn are not those of all hands."""
    rule, state, act = seen.rule("hand_count"), seen.after, seen.act
    ends = isinstance(act, KpDecision | KpDealerReveal) and not seen.before.round.deal.marks
    plan = deal_template(state.setup, state.round)
    if (
        rule is None
        or not ends
        or plan is None
        or not state.round.deal.marks
        or seen.before.round.void
        or not (state.shoe.drawn or state.round.deal.dealt)
        or state.table.mode == "hand"
    ):
        return
    out, want = state.round.deal.marks[0], plan.ends[0]
    deck = state.round.deck or state.shoe.deck
    evidence = (seen.entry.number,)
    if out < want and out % state.setup.profile.hand_size and not _miscounted(state):
        yield _ending(rule, "wrong_deal", count=out, right=want, deck=deck, evidence=evidence, sensor=True)
    elif out != want:
        yield find_case(rule, "unclear", count=out, right=want, deck=deck, evidence=evidence, basis="default")


def _miscounted(state: RulesState) -> bool:
    """Return whether the floor refuted in this round what the shoe said of its cards: then the hands are counted."""
    refuted = (case for case in state.cases if case.said.status == "refuted" and case.said.round == state.round.number)
    return any(case.finding.key.startswith("hand_count:") for case in refuted)


@check("stub.overdue", place=310, rules=STUB_ROWS, on=(BEGINS,))
def overdue(seen: CheckContext) -> Iterator[Finding]:
    """Report that a round begins although the stub had to be counted before."""
    rule = stub_rule(seen.after)
    if rule is None or not seen.after.setup.keyed(rule.needs) or not seen.begins:
        return
    deck = seen.after.in_play or seen.after.round.deck
    behind = rounds_uncounted(seen.after, deck)
    if behind > rule.number("every"):
        yield find_case(rule, "overdue", deck=deck, count=behind, evidence=(seen.entry.number,))


def _contradicted(seen: CheckContext, deck: str) -> str:
    """Return the device whose count last found the deck whole, empty for a person: its count is in doubt now."""
    last = last_count(seen.before.book(deck))
    return last.by if last is not None and seen.after.device(last.by) is not None else ""


def _uneven(state: RulesState, counts: tuple[int, ...]) -> bool:
    """Return whether a box or the dealer's area lacks its number of cards; cards dealt by hand may lie there."""
    size, boxes = state.setup.profile.hand_size, len(state.round.deal.active)
    if any(one.to == "all" for one in state.setup.profile.passes):
        return any(count != size for count in counts)
    rule = stub_rule(state)
    by_hand = rule.number("by_hand") if rule else 0
    return any(count != size for count in counts[:boxes]) or any(count != by_hand for count in counts[boxes:])


def _ending(rule: ClauseRule, case: str, **details: Unpack[CaseDetails]) -> Finding:
    """Return a finding that voids all hands by its clause; where no clause of the game says so, the floor rules."""
    ends = "VOID" in rule.verdicts(rule.record(case).of)
    return find_case(rule, case if ends else f"{case}_ruled", **details)
