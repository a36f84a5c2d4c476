"""Hole-card reader and the dealer's draw rule.

The hole-card reader: mandatory check, misuse, failure (36.7(k), 36.10(b), 36.14(l), (m)). Never what it saw.

The dealer's draw rule (TAB-31, TAB-32, DAB-12, DAB-13, SH-19): stopping early, and draws that cannot matter.
"""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import ASKED, FURTHER, OF_DEALER, REPORTED, REVEAL, TURNED, check
from pitwarden.rules.checks.context import CheckContext, find_case, round_key
from pitwarden.rules.outcomes.terms import dealer_matters, dealer_natural, hand_matters
from pitwarden.rules.profile.facts import device_fact, fact, key_fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.hands import dealer_must_stand
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.queries.reader import (
    answer_contradicted,
    blackjack_said,
    hole_is_out,
    is_reader_in_use,
    is_reader_late,
    is_reader_out,
    up_card_allows_reader,
    up_rank,
)
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden.rules.transitions.hole_card import agreed
from pitwarden_client.events.dealer_play import KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.device import ReaderInserted


@check("reader.not_checked", place=180, rules=("reader_check",), on=(FURTHER,))
def not_checked(seen: CheckContext) -> Iterator[Finding]:
    """Report that an additional card is drawn before the reader has answered, with an up card that asks for it."""
    rule, before = seen.rule("reader_check"), seen.before
    dealt = seen.drew and seen.after.now.fate in {"card", "extra"}  # what is found in the shoe is dealt to nobody
    if rule is None or not dealt or not before.round.live:
        return
    # 36.14(m): a reader that failed in this round is not waited for, also where it is back on the table.
    asked = not (before.round.play.reader.answered or before.round.play.reader.failed)
    whole = asked and cards_missing(before.setup, before.round) == 0
    if whole and is_reader_in_use(before) and up_card_allows_reader(before) is True:
        evidence = (seen.entry.number,)
        yield find_case(rule, "late", grace=True, cancels=(fact("answered"),), evidence=evidence, once=True)


@check("reader.card_after_blackjack", place=190, rules=("no_card_after_blackjack",), on=(REPORTED, TURNED))
def card_after_blackjack(seen: CheckContext) -> Iterator[Finding]:
    """Report a card that is drawn although the dealer has a blackjack, by the reader's report or on the table."""
    rule, before = seen.rule("no_card_after_blackjack"), seen.before
    if rule is None or not (seen.drew and before.round.open):
        return
    if not blackjack_said(before.round):
        yield from _after_the_turned_blackjack(seen, rule)
        return
    if seen.after.now.fate == "burn" or not any(before.setup.keyed((act,)) for act in ("kp.round_end", "kp.dealer")):
        return  # a dealer who comes after this round, unless one of the two is keyed
    yield find_case(rule, "drawn", evidence=(seen.entry.number,), once=True)


def _after_the_turned_blackjack(seen: CheckContext, rule: ClauseRule) -> Iterator[Finding]:
    """Report that a player is dealt a card that was requested after the dealer's blackjack was turned too early."""
    before, after = seen.before, seen.after
    # Without a request the card may be of the next round, or the key of a player who had decided may be missing.
    for_player = after.now.fate == "card" and len(after.round.play.dealer) == len(before.round.play.dealer)
    if for_player and before.round.live and dealer_natural(before):
        key = round_key(seen, rule, "shown")
        yield find_case(rule, "shown", evidence=(seen.entry.number,), once=True, key=key)


@check("reader.insurance_open", place=200, rules=("insurance_first",), on=(FURTHER, "reader.inserted"))
def insurance_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that the hole card is read, or without a reader a further card drawn, while insurance is open."""
    rule, state, before = seen.rule("insurance_first"), seen.after, seen.before
    if rule is None or not state.round.live:
        return
    if (
        "insurance" in before.round.windows.closed or up_rank(state) != "A"
    ):  # the row itself may be what made the ace public
        return
    inserted = isinstance(seen.entry.data, ReaderInserted)
    additional = seen.drew and cards_missing(before.setup, before.round) == 0 and not is_reader_in_use(before)
    if inserted or (additional and state.now.fate in {"card", "extra"}):
        cancels, evidence = (key_fact("kp.close insurance"),), (seen.entry.number,)
        case = "open" if inserted else "open_drawn"
        yield find_case(rule, case, grace=True, cancels=cancels, evidence=evidence, once=True)


@check("reader.misuse", place=120, rules=("reader_misuse",), on=("reader.inserted", "kp.misplaced", REVEAL))
def misuse(seen: CheckContext) -> Iterator[Finding]:
    """Report that the hole card is inserted with an up card that does not ask for the reader."""
    rule, state = seen.rule("reader_misuse"), seen.after
    shown = (
        state.round.play.reader.misused and not seen.before.round.play.reader.misused
    )  # by a correction, after the insertion
    inserted = isinstance(seen.entry.data, ReaderInserted) or shown
    if rule is None or not inserted or not state.round.live:
        return
    if cards_missing(state.setup, state.round) is None:  # without the boxes nobody knows which card is the hole card
        return
    evidence, names = (state.round.play.reader.inserted,), [one.ident for one in state.devices if one.kind == "reader"]
    device = names[0] if shown else seen.entry.source
    if not hole_is_out(state):
        key = round_key(seen, rule, "no_hole")
        yield find_case(rule, "no_hole", evidence=evidence, device=device, basis="default", key=key)
        return
    if up_card_allows_reader(state) is not False:
        return
    reader = state.present("reader")
    case = "inserted_unknown" if reader is not None and reader.visible is None else "inserted"
    case = case if rule.verdicts("visible") else "inserted_ruled"
    yield find_case(rule, case, evidence=evidence, device=device, key="misuse")


@check("reader.misuse_ruled", place=130, rules=("reader_misuse",), on=("ft.notified", "ft.reader_visible"))
def misuse_ruled(seen: CheckContext) -> Iterator[Finding]:
    """Report that a supervisor knows of the misuse: what follows is by what the device lets a player determine."""
    rule, state = seen.rule("reader_misuse"), seen.after
    if rule is None or not state.round.open or not seen.before.round.play.reader.misused:
        return
    waiting = next((case for case in seen.before.cases if case.live and case.finding.key == "misuse"), None)
    device = None if waiting is None else state.device(waiting.finding.device or "")
    if (
        waiting is None
        or device is None
        or seen.before.round.void
        or not all(set(step) & set(state.now.facts) for step in waiting.awaits)
    ):
        return
    evidence = (seen.before.round.play.reader.inserted, seen.entry.number)
    if device.visible:
        yield find_case(rule, "visible", evidence=evidence, key="misuse:dead")
    else:
        yield find_case(rule, "shielded", evidence=evidence, key="misuse:on")


@check("reader.failed", place=140, rules=("reader_failure",), on=("reader.fault", "kp.reader_bad", "ft.inspect"))
def failed(seen: CheckContext) -> Iterator[Finding]:
    """Report that the reader failed, did not pass its inspection, or was called bad."""
    rule = seen.rule("reader_failure")
    device = seen.after.present("reader")
    if rule is None or device is None:
        return
    why = {
        fact("reader_fault"): "failed",
        fact("reader_bad"): "keyed",
        device_fact("failed", device.ident): "inspected",
    }
    for cause, case in why.items():
        if seen.said(cause):
            yield from _out(seen, case)


@check("reader.silent", place=150, rules=("reader_failure",), on=(ASKED,))
def silent(seen: CheckContext) -> Iterator[Finding]:
    """Report that the reader has not answered in its time."""
    before, played = seen.before, seen.after.round
    asked = played.live and not before.round.play.reader.failed
    if asked and is_reader_late(before, seen.after.log_ms) and not is_reader_out(before):
        yield from _out(seen, "silent")


@check("reader.contradicted", place=160, rules=("reader_failure",), on=(REVEAL,))
def contradicted(seen: CheckContext) -> Iterator[Finding]:
    """Report that the hole card, now face up, is not what the reader said."""
    if seen.said(fact("hole_shown")) and answer_contradicted(seen.after):
        yield from _out(seen, "contradicted")


@check("reader.used_while_out", place=170, rules=("reader_failure",), on=("reader.inserted",))
def used_while_out(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card is inserted although the table may continue only without the reader."""
    rule, played = seen.rule("reader_failure"), seen.after.round
    used = isinstance(seen.entry.data, ReaderInserted) and played.live
    if rule is not None and used and is_reader_out(seen.before):
        evidence, device = (seen.entry.number,), seen.entry.source
        key = round_key(seen, rule, "used")
        yield find_case(rule, "used", evidence=evidence, device=device, basis="default", key=key)


def _out(seen: CheckContext, case: str) -> Iterator[Finding]:
    rule, device = seen.rule("reader_failure"), seen.after.present("reader")
    if rule is not None and device is not None:
        yield find_case(rule, case, device=device.ident, evidence=(seen.entry.number,), key="reader_failure")


@check(
    "dealer_draws.stopped_early",
    place=770,
    rules=("dealer_draws",),
    on=("kp.settled", "kp.round_end"),
    reads=("attack",),
)
def stopped_early(seen: CheckContext) -> Iterator[Finding]:
    """Report that the round ends, or a hand is settled by the dealer's total, while the dealer has to draw."""
    rule, before, act = seen.rule("dealer_draws"), agreed(seen.before, seen.entry), seen.act
    if rule is None or not before.round.play.hole_up or before.round.exceptions.short:
        return
    if before.round.exceptions.parked or before.round.exceptions.extras:  # the dealer may have taken it
        return
    if not isinstance(act, KpRoundEnd) and not (isinstance(act, KpSettled) and _by_the_dealer(seen, before, act)):
        return
    if dealer_must_stand(before) is False and dealer_matters(before) is True:
        key = f"{rule.key}:{before.round.number}"
        yield find_case(rule, "early", evidence=(seen.entry.number,), once=True, key=key)


@check("dealer_draws.moot_draw", place=780, rules=("moot_draw",), on=(OF_DEALER,))
def moot_draw(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card was drawn for the dealer's hand when its points had no effect on any hand."""
    before, after = seen.before.round, seen.after
    if after.now.fate != "burned" and len(after.round.play.dealer) <= len(before.play.dealer):
        return
    rule = seen.rule("moot_draw")
    if rule is None or not seen.drew or dealer_must_stand(after):
        return
    if dealer_matters(after) is False:
        case = "burned" if after.now.fate == "burned" else "drawn"
        key = f"{rule.key}:{after.round.number}"
        yield find_case(rule, case, evidence=(seen.entry.number,), once=True, key=key)


def _by_the_dealer(seen: CheckContext, state: RulesState, act: KpSettled) -> bool:
    rule = seen.row("attack")
    if rule is None or act.wager not in {rule.param("wager", default=""), *rule.words("also")}:
        return False
    return any(hand_matters(state, rule, hand) is True for hand in state.round.play.hands if hand.box == act.box)
