"""Cards found in the shoe: face up (36.14(a), 51.12(a)) and stray 10s (36.14(b)). What the first and the next do."""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import FOUND, ODD, check
from pitwarden.rules.checks.context import CheckContext, find_case, round_key
from pitwarden.rules.profile.facts import case_fact, fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.decks import is_dealing
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.dealer_irregularities import KpFaceUp, KpTen
from pitwarden_client.events.dealer_play import KpBoxes
from pitwarden_client.events.device import ShoeCard


@check("found_cards.face_up", place=20, rules=("face_up",), on=(ODD, "kp.face_up", "kp.boxes"))
def face_up(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card was found face up."""
    rule, state = seen.rule("face_up"), seen.after
    sensed = isinstance(seen.entry.data, ShoeCard) and seen.entry.data.up is True
    if rule is None:
        return
    dealing_only = rule.param("dealing_only", default=False) is True
    late = dealing_only and isinstance(seen.act, KpBoxes) and _was_in_the_deal(seen)
    if not (sensed or late or isinstance(seen.act, KpFaceUp)):
        return
    evidence, deck = (seen.entry.number,), state.shoe.deck or state.shoe.counted
    if state.table.mode == "hand":
        deck = state.round.deck or state.in_play
    card = state.now.draw  # the floor may refute it, keyed or sensed: its reveal bars a retraction
    key, sensed = f"face_up:{_row(seen, card)}", card is not None
    if dealing_only and not (late or _dealt_now(seen)):
        yield find_case(rule, "stub", evidence=evidence, key=key, sensor=sensed, basis="default", actor="supervisor")
        return
    more = rule.number("allowed") < state.shoe.ups
    if not more:
        words = () if state.now.fate == "ten" else rule.verdicts("first")
        case = "first_over" if seen.before.round.void else "first"
        yield find_case(rule, case, evidence=evidence, key=key, sensor=sensed, verdicts=words)
    elif not (seen.before.round.void and _shuffle_owed(seen, deck)):
        case = _too_many(seen, rule)
        verdicts = tuple(word for word in rule.verdicts("more") if word != "VOID" or case == "more")
        yield find_case(
            rule, case, evidence=evidence, key=key, deck=deck, sensor=sensed, verdicts=verdicts,
            basis=_basis(rule, case),
        )  # fmt: skip


def _too_many(seen: CheckContext, rule: ClauseRule) -> str:
    """Return the case of a second card face up: a round that is over is not ended again."""
    if "VOID" not in rule.verdicts("more"):
        return "more_ruled"
    return "more_between" if seen.before.round.void or not seen.after.round.open else "more"


@check("found_cards.stray_ten", place=10, rules=("stray_ten",), on=(FOUND, "kp.ten"))
def stray_ten(seen: CheckContext) -> Iterator[Finding]:
    """Report that a 10 was found in a pack without 10s."""
    rule, state = seen.rule("stray_ten"), seen.after
    if rule is None or state.now.fate != "ten" or not (seen.drew or isinstance(seen.act, KpTen)):
        return
    card, deck = state.now.draw, state.shoe.deck or state.shoe.counted
    number = card.number if card is not None else seen.entry.number
    key = f"ten:{_row(seen, card)}"
    more = rule.number("allowed") < state.shoe.tens
    case = "more" if more else "first_over" if seen.before.round.void else "first"
    if more and (seen.before.round.void or not state.round.open):
        case = "first_over" if state.round.open and _shuffle_owed(seen, deck) else "more_between"
    verdicts = tuple(word for word in rule.verdicts(rule.record(case).of) if word != "VOID" or case == "more")
    yield find_case(
        rule, case, key=key, deck=deck, sensor=True, verdicts=verdicts, evidence=(number,), basis=_basis(rule, case)
    )


def _basis(rule: ClauseRule, case: str) -> str:
    """Return the basis of `case`: no text orders a shuffle for cards that are found while none are dealt."""
    return "default" if case == "more_between" and rule.basis == "text" else rule.basis


def _row(seen: CheckContext, card: DrawnCard | None) -> str:
    return f"{seen.entry.epoch}:{seen.entry.number}" if card is None else card.row


def _shuffle_owed(seen: CheckContext, deck: str) -> bool:
    """Whether all cards of `deck` are to be shuffled already: a void round that another clause ended may not ask it."""
    cases = (case.said for case in seen.before.cases if case.live)
    return any("SHUFFLE" in said.verdicts and "CONTINUE" not in said.verdicts and said.deck == deck for said in cases)


@check("found_cards.dealer_first_missed", place=590, rules=("dealer_first",), on=("kp.dealer_first_missed",))
def dealer_first_missed(seen: CheckContext) -> Iterator[Finding]:
    """Report that the dealer dealt the players' second cards without a first card of the dealer's own."""
    rule = seen.rule("dealer_first")
    if (
        rule is not None
        and seen.said(fact("dealer_first_missed"))
        and seen.after.round.open
        and not seen.before.round.void
    ):
        played, evidence = seen.after.round, (seen.entry.number,)
        warned = rule.verdicts("early") and played.deal.boxes and len(played.deal.dealt) <= len(played.deal.active)
        if warned or "VOID" not in rule.verdicts("missed"):
            yield find_case(rule, "early", evidence=evidence, key=round_key(seen, rule, "early"))
            return
        if seen.after.setup.policy.dealer_first_confirm:
            yield find_case(rule, "confirm", evidence=evidence, key="dealer_first")
            return
        yield _missed(rule, evidence)


@check("found_cards.dealer_first_confirmed", place=600, rules=("dealer_first",), on=("ft.confirmed",))
def dealer_first_confirmed(seen: CheckContext) -> Iterator[Finding]:
    """Report that the floor confirms that the dealer's first card is missing."""
    rule = seen.rule("dealer_first")
    cases = (case for case in seen.before.cases if case.live and case.finding.key == "dealer_first")
    if (
        rule is not None
        and seen.after.round.open
        and any(seen.said(case_fact("confirmed", case.said.ref)) for case in cases)
    ):
        yield _missed(rule, (seen.entry.number,))


def _missed(rule: ClauseRule, evidence: tuple[int, ...]) -> Finding:
    return find_case(rule, "missed", evidence=evidence, key="dealer_first:void")


def _was_in_the_deal(seen: CheckContext) -> bool:
    """Whether the boxes keyed now make the last card, taken for one of the stub, one of the deal."""
    last = seen.before.shoe.last
    if last is None or seen.before.shoe.last_fate != "up" or not is_dealing(seen.after):
        return False
    return any(
        case.live and case.finding.key == f"face_up:{last.row}" and "VOID" not in case.said.verdicts
        for case in seen.before.cases
    )


def _dealt_now(seen: CheckContext) -> bool:
    """Whether the card was found in the deal; a key that follows the deal's last card speaks of that card."""
    before = seen.before
    if not isinstance(seen.act, KpFaceUp):
        return not before.round.void and is_dealing(seen.after)
    last = (
        cards_missing(before.setup, before.round) == 0
        and not before.round.deal.marks
        and before.shoe.last_fate == "card"
    )
    return before.round.live and (last or is_dealing(before))
