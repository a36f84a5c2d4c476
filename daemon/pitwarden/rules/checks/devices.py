"""Shoes and shufflers that fail (36.14(j), 51.12(c), (d)), the method interlock (36.14(k), 51.12(e)), a short shoe."""

from collections.abc import Iterator

from pitwarden.rules.checks.context import CheckContext, make_finding
from pitwarden.rules.profile.facts import REST, ClearingStep, deck_fact, device_fact, fact, mode_keyed
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.decks import is_dealing
from pitwarden.rules.queries.hands import card_due
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden.rules.transitions.shuffler import deck_for_hand_shuffle
from pitwarden_client.events.dealer_cards import KpManualShuffle, KpMode
from pitwarden_client.events.device import ShoeEmpty, ShoeFault, ShufflerFault, ShufflerStarted


def shuffler_fault(seen: CheckContext) -> Iterator[Finding]:
    """The shuffler jammed, stopped, or did not complete its cycle: its cards are shuffled again, no more."""
    rule, data = seen.rule("shuffler_fault"), seen.entry.data
    if rule is not None and isinstance(data, ShufflerFault):
        text = f"The shuffler failed ({data.fault}): shuffle deck {data.deck} again; the round in play goes on."
        yield _again(seen, rule, data.deck, seen.entry.source, text)


def shuffler_overdue(seen: CheckContext) -> Iterator[Finding]:
    """A cycle that began has not ended within the device's time."""
    rule = seen.rule("shuffler_fault")
    if rule is None:
        return
    limit = seen.after.setup.policy.shuffler_timeout_ms
    for device in seen.after.devices:
        if device.kind == "shuffler" and device.busy and seen.entry.log_ms - device.since_ms >= limit:
            text = f"The shuffler has not completed its cycle: shuffle deck {device.deck} again."
            yield _again(seen, rule, device.deck, device.ident, text)


def shoe_fault(seen: CheckContext) -> Iterator[Finding]:
    """The shoe jammed, stopped, or ran out before all cards were dealt."""
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
            text = "The shoe failed and no clause says what follows: hold until the floor has ruled."
            yield make_finding(rule, "fault", text, evidence=evidence, device=device)
        return
    after = state.setup.policy.shoe_fault_after_deal
    if _dealing(state) or (after == "void" and state.round.open):
        text = "The shoe failed during the deal: the round is void; empty the device and shuffle with the dealt cards."
        deck = state.round.deck or state.shoe.deck
        awaits = ((fact("round_end"),), (deck_fact("shuffled", deck),))
        yield make_finding(rule, "dealing", text, awaits=awaits, deck=deck, device=device, evidence=evidence)
    else:
        text = "The shoe failed with no card to deal: a supervisor rules before settlement."
        yield make_finding(rule, "after", text, device=device, evidence=evidence, basis="default", actor="supervisor")


def method(seen: CheckContext) -> Iterator[Finding]:
    """Cards are shuffled or dealt by another method while the device is on the table."""
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
        text = f"{device.ident} leaves the table before any other method is used."
        deck = device.deck or (act.deck or deck_for_hand_shuffle(before) if isinstance(act, KpManualShuffle) else "")
        again = _reshuffled(before, deck) if isinstance(act, KpManualShuffle) and deck else ()
        again = (mode_keyed(before.table.mode),) if isinstance(act, KpMode) else again  # no other method was meant
        awaits = ((device_fact("removed", device.ident), *again),)
        yield make_finding(rule, "changed", text, device=device.ident, awaits=awaits, evidence=(seen.entry.number,))


def hand_without_shuffler(seen: CheckContext) -> Iterator[Finding]:
    """The cards are to be dealt from the hand, or a round begins so, and no shuffler is on the table."""
    rule, asked = seen.rule("hand_needs_shuffler"), isinstance(seen.act, KpMode) or seen.begins
    if rule is not None and asked and seen.after.table.mode == "hand" and seen.after.present("shuffler") is None:
        text = "Cards are dealt from the hand only where an automated shuffler shuffles them."
        put_back = [device_fact("installed", one.ident) for one in seen.after.devices if one.kind == "shuffler"]
        awaits = ((fact("mode"), fact("noted"), *put_back),)
        yield make_finding(rule, "dealt", text, awaits=awaits, evidence=(seen.entry.number,))


def short_shoe(seen: CheckContext) -> Iterator[Finding]:
    """The shoe has no cards left and the round still needs some."""
    state = seen.after
    rule = seen.rule("short_shoe") if state.shoe.empty else None
    if rule is not None and card_due(state) and not state.round.short:
        text = "Not enough cards for the round: shuffle and cut the discards, burn one card, complete the round."
        ended = deck_fact("shuffled", state.round.deck or state.in_play)
        awaits = ((deck_fact("shuffled", REST), ended), (fact("cut"), ended), (fact("burned"), ended))
        yield make_finding(
            rule, "short", text, awaits=awaits, evidence=(seen.entry.number,), key="short_shoe", once=True
        )


def _dealing(state: RulesState) -> bool:
    return (state.round.bets_closed or len(state.round.dealt) > state.round.carried) and is_dealing(state)


def _again(seen: CheckContext, rule: ClauseRule, deck: str, device: str, text: str) -> Finding:
    awaits = (_reshuffled(seen.before, deck),)
    return make_finding(rule, "again", text, deck=deck, device=device, awaits=awaits, evidence=(seen.entry.number,))


def _reshuffled(state: RulesState, deck: str) -> ClearingStep:
    """What says that `deck` was shuffled after all: in a round short of cards the discards are."""
    whole = deck_fact("shuffled", deck)
    return (deck_fact("shuffled", REST), whole) if state.completes(deck) else (whole,)
