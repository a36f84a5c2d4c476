"""Order of dealing and play.

The order of dealing, keypad against shoe (TAB-14 to TAB-19, CB-11, CB-27). Alerts only: no text has a remedy.

Between the deal and play: in-between wagers settled (IB-05), antes collected (SH-16), hands chosen (SH-17).

2.26(e), 2B.7(e) and (f) put them before any additional card and before the reader, and name no remedy: the floor rules.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.check_entry import BY_HAND, FIRST, FURTHER, OF_DEAL, REVEAL, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.profile.facts import Fact, box_decided, fact, key_fact
from pitwarden.rules.queries.choices import choice_of, choosers, is_step_open
from pitwarden.rules.queries.decks import deal_not_begun
from pitwarden.rules.queries.hands import is_completeness_unknown, undecided_hands
from pitwarden.rules.queries.layout import cards_missing, deal_template
from pitwarden.rules.queries.open_wagers import are_settled
from pitwarden.rules.queries.reader import blackjack_said, up_card_allows_reader
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.dealer_irregularities import KpFaceUp
from pitwarden_client.events.dealer_play import KpChoice, KpDealerDraw, KpDealerReveal, KpHoleUp
from pitwarden_client.events.dealer_wagers import KpClose, KpOpen, KpWager
from pitwarden_client.events.device import ReaderInserted

_WINDOWS: Final = {"first": "window_first", "up": "window_up"}
"""Profile row on the window after a pass of the deal, by the name of the pass."""


@check("order.bets_open", place=610, rules=("bets_closed",), on=(FIRST, "kp.decision", *BY_HAND))
def bets_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card is dealt before the bets were closed.

    From the hand, where no device senses a card, a key shows the deal.
    """
    rule, played = seen.rule("bets_closed"), seen.after.round
    if rule is None or played.windows.bets_closed or played.void:
        return
    old, by_hand = seen.before.round, seen.after.table.mode == "hand" and not seen.before.round.keyed_after_deal
    if seen.first or (by_hand and old.open and (played.keyed_after_deal or isinstance(seen.act, KpFaceUp))):
        evidence = (seen.entry.number,)
        cancels = (fact("bets_closed"), fact("burned"))
        yield find_case(rule, "open", grace=True, cancels=cancels, evidence=evidence, once=True)


@check("order.window_open", place=620, rules=("window_first", "window_up"), on=(OF_DEAL,))
def window_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card of the next pass is dealt while the window between the passes is open."""
    state = seen.after
    if not seen.drew or state.now.fate != "card" or state.round.deal.early != 0:
        return
    plan = deal_template(state.setup, state.round)
    if plan is None or len(state.round.deal.marks) >= len(plan.ends):
        return
    left = range(len(state.round.deal.marks), len(plan.ends) - 1)
    ended = next((at for at in left if len(state.round.deal.dealt) == plan.ends[at] + 1), None)
    if ended is None:
        return
    one = state.setup.profile.passes[ended]
    if any(f"kp.close {window}" in one.ends for window in state.round.windows.closed):
        return  # closed too early, and not open
    rule = seen.rule(_WINDOWS[one.name]) if one.name in _WINDOWS else None
    if rule is not None:
        cancels = (*(key_fact(end) for end in one.ends), fact("explained"))
        evidence = (seen.entry.number,)
        yield find_case(rule, "open", name=one.name, grace=True, cancels=cancels, evidence=evidence, once=True)


@check("order.closed_early", place=630, rules=("window_first", "window_up"), on=("kp.close",))
def closed_early(seen: CheckContext) -> Iterator[Finding]:
    """Report that a window is closed before each player, or the dealer, has the card that it follows (36.7(d), (e))."""
    act, before = seen.act, seen.before.round
    if seen.after.setup.policy.early_window != "alert":
        return
    sensed = before.live and (before.deal.dealt or deal_not_begun(seen.before))
    plan = deal_template(seen.before.setup, before) if sensed else None
    if plan is None or not isinstance(act, KpClose):
        return
    for at, one in enumerate(seen.before.setup.profile.passes):
        row = _WINDOWS.get(one.name)
        rule = seen.rule(row) if row and f"kp.close {act.window}" in one.ends else None
        if rule is not None and len(before.deal.dealt) < plan.ends[at]:
            evidence, key = (seen.entry.number,), window_key(one.name)
            yield find_case(rule, "early", grace=True, cancels=(fact("card"),), evidence=evidence, once=True, key=key)


def window_key(name: str) -> str:
    """Return the key of the finding that the window after the pass `name` was closed too early."""
    return f"window_early:{name}"


@check("order.unasked", place=640, rules=("unasked_card",), on=(FURTHER,))
def unasked(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card was drawn that neither the deal nor a decision asks for."""
    rule, state = seen.rule("unasked_card"), seen.after
    if rule is None or not seen.drew or state.now.fate != "extra" or state.round.void:
        return
    plan = deal_template(state.setup, state.round)
    if plan is None or len(state.round.deal.marks) < len(plan.ends) or blackjack_said(state.round):
        return
    if any(hand.half and is_completeness_unknown(state.round, hand) for hand in state.round.play.hands):
        return
    evidence = (seen.entry.number,)
    yield find_case(rule, "drawn", grace=True, cancels=(fact("explained"),), evidence=evidence, once=True)


@check("order.bonus_open", place=650, rules=("bonus_first",), on=(FURTHER,))
def bonus_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that a box is dealt a further card before its bonus wagers were announced and settled."""
    played = seen.after.round
    if (
        played.play.hands is seen.before.round.play.hands
        or not seen.drew
        or seen.after.now.fate != "card"
        or played.void
    ):
        return
    rule = seen.rule("bonus_first")
    had = {hand.target: len(hand.cards) for hand in seen.before.round.play.hands}
    box = next(
        (hand.box for hand in played.play.hands if len(hand.cards) > had.get(hand.target, len(hand.cards))), None
    )
    if rule is None or box is None or box in played.settlement.bonus or are_settled(played, rule.words("wagers"), box):
        return
    cancels = (key_fact("kp.bonus_settled"), fact("bonus_settled"))
    evidence, key = (seen.entry.number,), f"{rule.key}:{box}"
    yield find_case(rule, "open", grace=True, cancels=cancels, box=box, evidence=evidence, once=True, key=key)


@check(
    "order.dealer_too_early",
    place=660,
    rules=("dealer_last",),
    on=("kp.dealer_draw", "kp.hole_up", "kp.settled", "kp.round_end", REVEAL),
)
def dealer_too_early(seen: CheckContext) -> Iterator[Finding]:
    """Report that the dealer draws, or looks at the hole card without a blackjack, while a hand is undecided."""
    rule, played = seen.rule("dealer_last"), seen.after.round
    shown = seen.said(fact("hole_shown"))
    if rule is None or not (shown or isinstance(seen.act, KpDealerDraw | KpHoleUp)) or played.void:
        return
    # A sealed answer may be a blackjack, and the dealer knows it: the alert waits until the answer is public.
    use = played.play.reader
    sealed = use.answered and not (use.said or use.failed or use.misused)
    # Where the turned card contradicts the report, the dealer turned it by 36.7(k) all the same.
    told = blackjack_said(played) or blackjack_said(seen.before.round)
    if not isinstance(seen.act, KpDealerDraw) and (sealed or told):
        return
    waiting = undecided_hands(played)
    if waiting:
        yield find_case(rule, "early", other_box=waiting[0].box, evidence=(seen.entry.number,), once=True)


@check("order.undecided_reveal", place=670, rules=("all_decided",), on=("kp.dealer_reveal",))
def undecided_reveal(seen: CheckContext) -> Iterator[Finding]:
    """Report that the dealer's seven are turned while a box has neither played nor folded."""
    rule, played = seen.rule("all_decided"), seen.after.round
    if rule is None or not isinstance(seen.act, KpDealerReveal) or played.void:
        return
    waiting = [box for box in played.deal.active if box not in played.play.decided]
    if waiting:
        cancels, evidence = tuple(box_decided(box) for box in waiting[:1]), (seen.entry.number,)
        yield find_case(rule, "early", other_box=waiting[0], grace=True, cancels=cancels, evidence=evidence, once=True)


@check("before_play.ib_unsettled", place=680, rules=("ib_settled",), on=(FURTHER, "reader.inserted"))
def ib_unsettled(seen: CheckContext) -> Iterator[Finding]:
    """Report that play goes on while in-between wagers are not settled."""
    yield from _early(seen, "ib_settled", fact("ib_settled"))


@check("before_play.antes_on_the_layout", place=690, rules=("antes_collected",), on=(FURTHER, "reader.inserted"))
def antes_on_the_layout(seen: CheckContext) -> Iterator[Finding]:
    """Report that play goes on while the antes lie on the layout."""
    yield from _early(seen, "antes_collected", fact("antes_collected"))


@check("before_play.choice_open", place=700, rules=("choices",), on=(FURTHER, "reader.inserted", "kp.open", "kp.wager"))
def choice_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that play goes on, or insurance is offered, while a player has not chosen between the two hands."""
    act = seen.act
    offered = (isinstance(act, KpOpen) and act.window == "insurance") or (
        isinstance(act, KpWager) and act.wager == "insurance"
    )
    yield from _early(seen, "choices", fact("all_chosen"), offered=offered)


@check("before_play.choice_out_of_turn", place=710, rules=("choice_order",), on=("kp.choice",))
def choice_out_of_turn(seen: CheckContext) -> Iterator[Finding]:
    """Report that a player chose before one who sits farther to the dealer's left."""
    rule, act, before = seen.rule("choice_order"), seen.act, seen.before
    if rule is None or not isinstance(act, KpChoice) or before.round.void:
        return
    asked = (box for box in choosers(before) if box not in (*before.round.deal.options, *before.round.deal.late))
    passed = next((box for box in asked if box < act.box and choice_of(before, box) is None), None)
    if passed is not None:
        evidence, key = (seen.entry.number,), f"{rule.key}:{before.round.number}"
        first = seen.entry.number
        yield find_case(
            rule, "order", box=act.box, other_box=passed, first=first, evidence=evidence, once=True, key=key
        )


def _plays_on(seen: CheckContext) -> bool:
    before = seen.before
    if not before.round.live:
        return False
    if isinstance(seen.entry.data, ReaderInserted):
        return up_card_allows_reader(seen.after) is not False
    return seen.drew and seen.after.now.fate in {"card", "extra"} and cards_missing(before.setup, before.round) == 0


def _early(seen: CheckContext, key: str, done: Fact, *, offered: bool = False) -> Iterator[Finding]:
    rule = seen.rule(key)
    if rule is None or not (offered or _plays_on(seen)) or not is_step_open(seen.before, key):
        return
    evidence = (seen.entry.number,)
    yield find_case(rule, "early", grace=True, cancels=(done,), evidence=evidence, once=True)
