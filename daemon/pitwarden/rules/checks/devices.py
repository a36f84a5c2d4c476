"""Shoes and shufflers that fail (36.14(j), 51.12(c), (d)), the method interlock (36.14(k), 51.12(e)), a short shoe."""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import BEGINS, BUSY, EMPTY, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.profile.facts import REST, ClearingStep, deck_fact, device_fact, fact, mode_keyed
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.hands import card_due
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden.rules.transitions.shuffler import deck_for_hand_shuffle
from pitwarden_client.events.dealer_cards import KpManualShuffle, KpMode
from pitwarden_client.events.device import ShoeEmpty, ShoeFault, ShufflerFault, ShufflerStarted


@check("devices.shuffler_fault", place=210, rules=("shuffler_fault",), on=("shuffler.fault",))
def shuffler_fault(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shuffler jammed, stopped, or did not complete its cycle: its cards are shuffled again."""
    rule, data = seen.rule("shuffler_fault"), seen.entry.data
    if rule is not None and isinstance(data, ShufflerFault):
        yield _again(seen, rule, "again", (data.deck, seen.entry.source), name=data.fault)


@check("devices.shuffler_overdue", place=220, rules=("shuffler_fault",), on=(BUSY,))
def shuffler_overdue(seen: CheckContext) -> Iterator[Finding]:
    """Report that a cycle that began has not ended within the device's time."""
    rule = seen.rule("shuffler_fault")
    if rule is None:
        return
    limit = seen.after.setup.policy.shuffler_timeout_ms
    for device in seen.after.devices:
        if device.kind == "shuffler" and device.busy and seen.entry.log_ms - device.since_ms >= limit:
            yield _again(seen, rule, "overdue", (device.deck, device.ident))


@check(
    "devices.shoe_fault",
    place=230,
    rules=("auto_shoe_fault", "shoe_fault"),
    on=("shoe.fault", "shoe.empty"),
    reads=("short_shoe",),
)
def shoe_fault(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shoe jammed, stopped, or ran out before all cards were dealt."""
    data, state = seen.entry.data, seen.after
    ran_out = isinstance(data, ShoeEmpty) and seen.rule("short_shoe") is None
    if not (isinstance(data, ShoeFault) or (ran_out and _dealing(state))):
        return
    automatic = state.table.mode == "auto_shoe" or state.shoe.automated
    rule = seen.rule("auto_shoe_fault") if automatic else None
    evidence, device = (seen.entry.number,), seen.entry.source
    if rule is None:
        rule = seen.rule("shoe_fault")
        if rule is not None:
            yield find_case(rule, "fault", evidence=evidence, device=device)
        return
    after = state.setup.policy.shoe_fault_after_deal
    if _dealing(state) or (after == "void" and state.round.open):
        deck = state.round.deck or state.shoe.deck
        yield find_case(rule, "dealing", deck=deck, device=device, evidence=evidence)
    else:
        yield find_case(rule, "after", device=device, evidence=evidence, basis="default", actor="supervisor")


@check("devices.method", place=240, rules=("method_change",), on=("shuffler.started", "kp.manual_shuffle", "kp.mode"))
def method(seen: CheckContext) -> Iterator[Finding]:
    """Report that cards are shuffled or dealt by another method while the device is on the table."""
    rule, act, before = seen.rule("method_change"), seen.act, seen.before
    if rule is None:
        return
    device = None
    data = seen.entry.data
    if isinstance(data, ShufflerStarted):
        others = (one for one in before.devices if one.kind == "shuffler" and one.ident != seen.entry.source)
        device = next((one for one in others if one.on_table and one.deck == data.deck), None)
    elif isinstance(act, KpManualShuffle):
        device = before.present("shuffler")
    elif isinstance(act, KpMode) and act.mode != "auto_shoe" and rule.param("dealing", default=False):
        shoe = before.present("shoe")
        device = shoe if shoe is not None and (shoe.automated or before.table.mode == "auto_shoe") else None
    if device is not None:
        deck = device.deck or (act.deck or deck_for_hand_shuffle(before) if isinstance(act, KpManualShuffle) else "")
        again = _reshuffled(before, deck) if isinstance(act, KpManualShuffle) and deck else ()
        again = (mode_keyed(before.table.mode),) if isinstance(act, KpMode) else again  # no other method was meant
        awaits = ((device_fact("removed", device.ident), *again),)
        yield find_case(rule, "changed", device=device.ident, awaits=awaits, evidence=(seen.entry.number,))


@check("devices.hand_without_shuffler", place=250, rules=("hand_needs_shuffler",), on=("kp.mode", BEGINS))
def hand_without_shuffler(seen: CheckContext) -> Iterator[Finding]:
    """Report that the cards are to be dealt from the hand, or a round begins so, and no shuffler is on the table."""
    rule, asked = seen.rule("hand_needs_shuffler"), isinstance(seen.act, KpMode) or seen.begins
    if rule is not None and asked and seen.after.table.mode == "hand" and seen.after.present("shuffler") is None:
        put_back = [device_fact("installed", one.ident) for one in seen.after.devices if one.kind == "shuffler"]
        awaits = ((fact("mode"), fact("noted"), *put_back),)
        yield find_case(rule, "dealt", awaits=awaits, evidence=(seen.entry.number,))


@check("devices.short_shoe", place=260, rules=("short_shoe",), on=(EMPTY,))
def short_shoe(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shoe has no cards left and the round still needs some."""
    state = seen.after
    rule = seen.rule("short_shoe") if state.shoe.empty else None
    if rule is not None and card_due(state) and not state.round.exceptions.short:
        yield find_case(
            rule, "short", known_deck=state.round.deck or state.in_play, evidence=(seen.entry.number,),
            key="short_shoe", once=True,
        )  # fmt: skip


def _dealing(state: RulesState) -> bool:
    return state.round.course in {"closed", "dealing"}


def _again(seen: CheckContext, rule: ClauseRule, case: str, at: tuple[str, str], name: str = "") -> Finding:
    # In a round that ran short of cards, the shuffle of the discards is that of the deck.
    deck, device = at
    case = f"{case}_discards" if seen.before.completes(deck) else case
    return find_case(rule, case, deck=deck, device=device, name=name, evidence=(seen.entry.number,))


def _reshuffled(state: RulesState, deck: str) -> ClearingStep:
    """Return what shows that `deck` was shuffled after all: in a round short of cards, the discards are."""
    whole = deck_fact("shuffled", deck)
    return (deck_fact("shuffled", REST), whole) if state.completes(deck) else (whole,)
