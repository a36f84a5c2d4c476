"""The life of an irregularity: opened, acknowledged, cleared, refuted, withdrawn; said anew at each change."""

from functools import lru_cache
from itertools import compress
from typing import Final, Literal, get_args

from pitwarden.rules.checks.house_policy import UNPERMITTED
from pitwarden.rules.engine.precedence import settled_before
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import (
    NOTED,
    REST,
    ClearingStep,
    Fact,
    FactKind,
    case_fact,
    clearing_steps,
    deck_fact,
    fact,
    remedy_text,
    ten_refuted,
)
from pitwarden.rules.queries.decks import decks_in_rotation, is_which_unknown
from pitwarden.rules.state.card_book import blast_rounds
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import (
    LAST_COUNT,
    Finding,
    IrregularityRecord,
    PendingFinding,
    RulesState,
    replace_deck,
)
from pitwarden.rules.transitions.clearing_rights import MAY_CLEAR, attributed, may_act
from pitwarden.rules.transitions.void_rows import counted_after_all
from pitwarden_client.events.base import MAX_NUMBER, Position
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Actor, Basis, Irregularity, Notice, OpenedIrregularity

Status = Literal["open", "acknowledged", "cleared", "refuted", "withdrawn"]
_ORDERED: Final[frozenset[FactKind]] = frozenset({"shuffled", "burned"})
_ONCE: Final = fact("ten_destroyed")
_ROUND_END: Final = fact("round_end")
_RULED: Final[frozenset[FactKind]] = frozenset({"noted", "confirmed"})
_WHILE_HERE: Final[frozenset[FactKind]] = frozenset({"shuffled", "verified", "counted", "spread"})
"""What is asked of a deck, and no longer once it left the table."""
_OF_A_CASE: Final[frozenset[FactKind]] = frozenset({"ack", *_RULED, "refute", "ten_refuted"})
"""What a person says of one case; all else moves only those that await it."""
_BASES: Final[dict[str, Basis]] = {basis: basis for basis in get_args(Basis)}
_ACTORS: Final[dict[str, Actor]] = {actor: actor for actor in get_args(Actor)}


def irregularity_ref(entry: LogEntry, index: int) -> str:
    """Return the name of output `index` of a row; a long epoch is cut so that it stays an identifier."""
    return f"{entry.epoch[:40]}-{min(entry.number, MAX_NUMBER)}-{index}"


def open_irregularities(
    state: RulesState, entry: LogEntry, findings: tuple[Finding, ...], out: list[RuleOutput]
) -> RulesState:
    """Return `state` with a case for each new finding; those with a grace wait, those without a remedy are notices."""
    for found in findings:
        if _known(state, found):
            continue
        # The row that shows whose act it was is this one; the row that ends a grace is a tick.
        finding = found if found.act_of == "none" else attributed(found, state, entry)
        if finding.grace:
            pending = (
                *state.pending,
                PendingFinding(state.log_ms + state.setup.grace_ms, replace(finding, grace=False)),
            )
            state = replace(state, pending=pending)
        elif finding.awaits:
            state = _open(state, entry, finding, out)
        else:
            out.append(_notice(finding))
    return state


def expire_graces(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """`state` after the deadlines at or before the row's log time; a new epoch ends every wait."""
    due = [one for one in state.pending if one.due_ms <= entry.log_ms or entry.epoch != state.epoch]
    if not due:
        return state
    state = replace(state, pending=tuple(one for one in state.pending if one not in due))
    for one in due:
        state = _open(state, entry, one.finding, out)
    return state


def apply_facts(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """Return `state` after the row's facts: graces dropped, cases acknowledged, refuted, cleared."""
    facts = state.now.facts
    if not (facts and (state.cases or state.pending)):
        return state
    pending = tuple([one for one in state.pending if set(facts).isdisjoint(one.finding.cancels)])
    named = [one for one in facts if one.kind in _OF_A_CASE]
    left = list(facts)
    cases = tuple([
        _advanced(case, entry, left, out) if named or not _alternatives(case.awaits).isdisjoint(facts) else case
        for case in state.cases
    ])  # fmt: skip
    return replace(state, cases=cases, pending=pending)


def settle_consequences(state: RulesState) -> RulesState:
    """`state` with what follows from its cases: whether the round is over, and which old cases are forgotten."""
    if not (state.cases or state.round.void):
        return state
    played, number = state.round, min(state.round.number, LAST_COUNT)
    shuffled = any(one.kind == "shuffled" and one.subject != REST for one in state.now.facts)
    lives, begun = [case.live for case in state.cases], played.open
    live = list(compress(state.cases, lives))
    kept = tuple([
        case for case, is_live in zip(state.cases, lives, strict=True)
        if case.said.round == number or (case.finding.sensor and not shuffled) or is_live
    ])  # fmt: skip
    void = begun and any(case.said.round == number and case.ends_round for case in live)
    short = played.exceptions.short or (begun and "short_shoe" in [case.finding.key for case in live])
    if (void, short) == (played.void, played.exceptions.short) and len(kept) == len(state.cases):
        return state
    made = replace(
        state, cases=kept, round=replace(played, void=void, exceptions=replace(played.exceptions, short=short))
    )
    return counted_after_all(made) if played.void and not void else made


def change_status(
    case: IrregularityRecord, status: Status, entry: LogEntry, out: list[RuleOutput]
) -> IrregularityRecord:
    """`case` in its new status, said."""
    by = entry.data.person if isinstance(entry.data, InputLogged) else None
    said = case.said.model_copy(update={"status": status, "by": by})
    out.append(said)
    return replace(case, said=said)


def _known(state: RulesState, finding: Finding) -> bool:
    # One that was withdrawn was never right: the same finding on other grounds is a new one.
    same = [case for case in state.cases if case.finding.key == finding.key and case.said.status != "withdrawn"]
    # A person who commits the same breach in another round commits another one. What devices and decks cause stands.
    if finding.once and finding.act_of != "none":
        same = [case for case in same if case.said.round == min(state.round.number, LAST_COUNT)]
    waits = finding.key in [one.finding.key for one in state.pending]
    return waits or (bool(same) and (finding.once or any(case.live for case in same)))


def _open(state: RulesState, entry: LogEntry, finding: Finding, out: list[RuleOutput]) -> RulesState:
    keyed, begun = state.setup.keyed(("kp.round_end",)), state.round.open
    rest = tuple([step for step in finding.awaits if step != (_ROUND_END,)]) or (() if keyed else NOTED)
    wanted = finding.awaits if (begun and keyed) or not rest else rest
    awaits = _or_gone(_of_either(state, wanted))
    steps = clearing_steps(awaits)
    said = Irregularity(
        ref=irregularity_ref(entry, len(out)),
        catalogue=finding.clause,
        clauses=finding.cites,
        verdicts=finding.verdicts,
        basis=_BASES[finding.basis],
        status="open",
        actor=_ACTORS[finding.actor],
        clears=remedy_text(steps),
        clears_facts=steps,
        sentence=finding.sentence,
        round=min(state.round.number, LAST_COUNT),
        deck=finding.deck or None,
        device=finding.device,
        box=finding.box,
        evidence=finding.evidence,
        settled_before=settled_before(state, finding),
        blast=blast_rounds(state.book(finding.deck or ""), finding.doubts) if finding.blast else None,
    )
    out.append(said)
    state = replace(
        state, cases=(*state.cases, IrregularityRecord(said, finding, awaits, _opening(said, finding, awaits, entry)))
    )
    if "DECK_OUT" in finding.verdicts and finding.deck:
        state = replace_deck(state, replace(state.deck(finding.deck), removed=True, shuffled=False))
    if finding.key.startswith(UNPERMITTED):
        state = replace(state, table=replace(state.table, unpermitted=state.table.unpermitted + 1))
    return state


def _opening(
    said: Irregularity, finding: Finding, awaits: tuple[ClearingStep, ...], entry: LogEntry
) -> OpenedIrregularity:
    return OpenedIrregularity(
        ref=said.ref,
        at=Position(epoch=entry.epoch, number=min(entry.number, MAX_NUMBER)),
        logms=entry.log_ms,
        utc_ms=max(0, entry.utc_ms),
        may_act=may_act(said.actor, finding.act_of, awaits),
        may_clear=MAY_CLEAR[finding.act_of],
        not_by=finding.act_by,
    )


def _of_either(state: RulesState, awaits: tuple[ClearingStep, ...]) -> tuple[ClearingStep, ...]:
    """Return `awaits`; what an unknown one of two decks needs is met by that fact about either of them."""
    if not is_which_unknown(state):
        return awaits
    decks = decks_in_rotation(state)
    return tuple([
        tuple([Fact(one.kind, deck) for one in step for deck in (decks if one.subject == "" else (one.subject,))])
        for step in awaits
    ])  # fmt: skip


def _or_gone(awaits: tuple[ClearingStep, ...]) -> tuple[ClearingStep, ...]:
    """Return `awaits`; a deck that left the table is no longer to be shuffled, counted, verified or spread."""
    return tuple([_unless_gone(step) for step in awaits])


def _unless_gone(step: ClearingStep) -> ClearingStep:
    decks = [one.subject for one in step if one.kind in _WHILE_HERE and one.subject not in {None, "", REST}]
    # No row can establish a fact about an unknown deck: the floor rules instead.
    known = [one for one in step if one.subject != ""] or [fact("noted")]
    return tuple(dict.fromkeys([*known, *(deck_fact("gone", deck) for deck in decks if deck)]))


def _notice(finding: Finding) -> Notice:
    return Notice(
        catalogue=finding.clause, clauses=finding.cites, verdicts=finding.verdicts, sentence=finding.sentence,
        box=finding.box,
    )  # fmt: skip


def _advanced(case: IrregularityRecord, entry: LogEntry, left: list[Fact], out: list[RuleOutput]) -> IrregularityRecord:
    ref, key = case.said.ref, case.finding.key
    if case_fact("refute", ref) in left or (key.startswith("ten:") and ten_refuted(key[4:]) in left):
        return change_status(case, "refuted", entry, out)
    if not case.live:
        return case
    if case_fact("ack", ref) in left and case.said.status == "open":
        case = change_status(case, "acknowledged", entry, out)
    awaits = case.awaits
    for step in case.awaits:
        met = _met(step, ref, left)
        if met is None or (met.kind in _ORDERED and _waits_before(step, awaits)):
            continue
        awaits = tuple(one for one in awaits if one != step)
        if met == _ONCE:
            left.remove(met)
    if awaits == case.awaits:
        return case
    case = replace(case, awaits=awaits)
    return case if awaits else change_status(case, "cleared", entry, out)


@lru_cache(maxsize=1024)
def _alternatives(awaits: tuple[ClearingStep, ...]) -> frozenset[Fact]:
    return frozenset(one for step in awaits for one in step)


def _waits_before(step: ClearingStep, awaits: tuple[ClearingStep, ...]) -> bool:
    """Return whether `step` is the last of `awaits`, and more than the key that ends the round comes before it."""
    return step == awaits[-1] and bool(set(awaits) - {step, (_ROUND_END,)})


def _met(step: ClearingStep, ref: str, left: list[Fact]) -> Fact | None:
    """Return the first alternative of `step` that the row established; a ruling is on one irregularity alone."""
    for one in step:
        if (Fact(one.kind, ref) if one.kind in _RULED else one) in left:
            return one
    return None
