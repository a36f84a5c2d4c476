"""Duties: stub counts, card changes, inspections, shuffles, cuts. They follow from the state; changes are published."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from pitwarden.rules.engine.irregularities import irregularity_ref
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.queries.decks import (
    STUB_ROWS,
    card_changes,
    decks_in_rotation,
    rounds_uncounted,
    stub_rule,
)
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.shoe import cut_offered_to, deck_due_for_cut
from pitwarden_client.events.outputs import Duty

ROWS: Final = declared(
    __name__,
    decides=(
        "bart_carter", "burn", "card_change", "card_change_hand", "cut_offer", "cutting_card", "cutting_card_depth",
        "inspection", "reader_inspection", *STUB_ROWS,
    ),
)  # fmt: skip

LATE_MS: Final = 60_000
"""Cards so far past their time when it is first noticed, as by a change to hand dealing, are overdue at once."""


@dataclass(frozen=True, slots=True)
class RequiredDuty:
    """A duty that the state asks for."""

    duty: Literal["stub_count", "card_change", "inspection", "shuffle", "burn", "cut"]
    subject: str
    status: Literal["due", "overdue"]
    rule: ClauseRule
    sentence: str


def update_duties(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> tuple[Duty, ...]:
    """Return the duties of `state`; new ones, changes and those that are done are added to `out`."""
    wanted = tuple(_wanted(state))
    if not (wanted or state.duties):
        return ()
    kept: list[Duty] = []
    for duty in state.duties:
        now = next((one for one in wanted if (one.duty, one.subject) == (duty.duty, duty.subject)), None)
        status = "done" if now is None else now.status
        same = (duty.status, status) in {("overdue", "due"), (status, status)}
        said = duty if same else duty.model_copy(update={"status": status})
        if said is not duty:
            out.append(said)
        if now is not None:
            kept.append(said)
    known = {(duty.duty, duty.subject) for duty in state.duties}
    for one in wanted:
        if (one.duty, one.subject) not in known:
            made = Duty(
                ref=irregularity_ref(entry, len(out)), duty=one.duty, catalogue=one.rule.clause, clauses=one.rule.cites,
                status=one.status, actor=one.rule.actor, sentence=one.sentence, subject=one.subject,
            )  # fmt: skip
            out.append(made)
            kept.append(made)
    return tuple(kept)


def _wanted(state: RulesState) -> Iterator[RequiredDuty]:
    for asked in _of_game(state.setup.profile):
        yield from asked(state)
    for deck, change, left in card_changes(state):
        known = any((duty.duty, duty.subject) == ("card_change", deck.ident) for duty in state.duties)
        late = state.holds(f"old:{deck.ident}") or (left <= -LATE_MS and not known)
        status: Literal["due", "overdue"] = "overdue" if late else "due"
        yield RequiredDuty("card_change", deck.ident, status, change, change.sentence("duty", deck=deck.ident))
    day = state.table.day
    for device in state.devices if state.table.open else ():
        if not (-1 < device.inspected < day and device.on_table):
            continue
        rule = ROWS(state, "reader_inspection" if device.kind == "reader" else "inspection")
        if rule is not None:
            text = rule.sentence("duty", device=device.ident)
            yield RequiredDuty("inspection", device.ident, "due", rule, text)


def _rack(state: RulesState) -> Iterator[RequiredDuty]:
    rule, limit = ROWS(state, "bart_carter"), state.setup.policy.bart_carter_rack
    if rule is not None and state.setup.policy.bart_carter and state.shoe.racked > limit:
        late = state.round.open and len(state.round.deal.dealt) > 0
        text = rule.sentence("duty", count=state.shoe.racked)
        yield RequiredDuty("shuffle", state.shoe.counted, "overdue" if late else "due", rule, text)


def _uncarded(state: RulesState) -> Iterator[RequiredDuty]:
    """Yield the shuffle of a shoe without a cutting card, when about a quarter of the set is left in it (C-33)."""
    shoe, total = state.shoe, state.setup.profile.total
    virtual = state.setup.policy.cutcard_policy == "virtual" and shoe.deck == shoe.counted and not shoe.partial
    deep = virtual and shoe.deck and total - (shoe.drawn - shoe.strange) <= total // 4
    rule = ROWS(state, "cutting_card_depth") if deep else None
    if rule is not None:
        rule = ROWS(state, "cutting_card") or rule
        yield RequiredDuty("shuffle", shoe.deck, "due", rule, rule.sentence("duty", deck=shoe.deck))


def _cut(state: RulesState) -> Iterator[RequiredDuty]:
    rule = ROWS(state, "cut_offer")
    deck = None if rule is None else deck_due_for_cut(state)
    if rule is not None and deck is not None and state.setup.keyed(rule.needs):
        who = cut_offered_to(state, deck)
        case = "duty_of_dealer" if who == "dealer" else "duty"
        yield RequiredDuty("cut", who, "due", rule, rule.sentence(case, deck=deck.ident, name=who.replace("_", " ")))


def _burn(state: RulesState) -> Iterator[RequiredDuty]:
    """Yield the card that a new dealer, or the first dealer of a full shoe, burns (36.7(c), 2B.7(c))."""
    rule = ROWS(state, "burn") if state.shoe.burn_due else None
    if rule is not None:
        deck = state.shoe.deck or state.in_play
        yield RequiredDuty("burn", deck or "shoe", "due", rule, rule.sentence("duty"))


def _stub(state: RulesState) -> Iterator[RequiredDuty]:
    rule = stub_rule(state)
    if rule is None or not state.setup.keyed(rule.needs):
        return
    rotation = decks_in_rotation(state)
    every, early = rule.number("every"), max(1, len(rotation))
    for deck in rotation:
        behind = rounds_uncounted(state, deck)
        if behind <= every - early:
            continue
        known = next((duty for duty in state.duties if (duty.duty, duty.subject) == ("stub_count", deck)), None)
        in_play = state.round.windows.bets_closed and deck == (state.round.deck or state.shoe.deck)
        if in_play or known is not None:
            late = in_play and behind > every
            text = rule.sentence("duty", deck=deck, count=behind)
            yield RequiredDuty("stub_count", deck, "overdue" if late else "due", rule, text)


_BY_ROWS: Final[tuple[tuple[tuple[str, ...], Callable[[RulesState], Iterator[RequiredDuty]]], ...]] = (
    (STUB_ROWS, _stub),
    (("bart_carter",), _rack),
    (("burn",), _burn),
    (("cutting_card_depth",), _uncarded),
    (("cut_offer",), _cut),
)


@lru_cache(maxsize=64)
def _of_game(profile: GameProfile) -> tuple[Callable[[RulesState], Iterator[RequiredDuty]], ...]:
    """Return the sources of duties for which the profile has a row."""
    return tuple(asked for rows, asked in _BY_ROWS if any(ROWS.of(profile, row) is not None for row in rows))
