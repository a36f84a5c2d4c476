"""The order of settlement and of the hands: insurance, splits, boxes from the right (26.10(b), 26.11(d), 2B.7(k))."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_play import KpDecision, KpReveal
from pitwarden_client.events.dealer_wagers import KpSettled

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.queries.hands import undecided
from pitwarden.rules.queries.layout import all_certain
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.state import Finding


def insurance_unsettled(seen: Seen) -> Iterator[Finding]:
    """The dealer draws while losing insurance wagers are on the layout."""
    before = seen.before.round
    if len(seen.after.round.dealer) <= len(before.dealer):
        return
    rule = seen.rule("insurance_settled")
    if rule is None or not seen.drew or before.over or before.insurance_settled or not before.hole_up:
        return
    if up_rank(seen.after) == "A" and {"insurance"} & {*before.opened, *before.closed}:
        text = "The dealer drew before losing insurance wagers were collected."
        cancels = ("key:kp.insurance_settled",)
        yield found(rule, "open", text, grace=True, cancels=cancels, evidence=(seen.entry.number,), once=True)


def other_hand_open(seen: Seen) -> Iterator[Finding]:
    """A box decides while a hand that another box split is not complete."""
    rule, act, before = seen.rule("split_order"), seen.act, seen.before.round
    if rule is None or not isinstance(act, KpDecision) or before.over:
        return
    others = {hand.box for hand in before.hands if hand.half} - {act.box, *before.owed}  # those wait: 36.14(i)
    box = next((hand.box for hand in undecided(before) if hand.box in others), None) if others else None
    if box is not None:
        text = f"Box {box} has a split hand that is not complete: it comes before any other hand."
        yield found(rule, "other", text, box=box, evidence=(seen.entry.number,), once=True)


def decided_out_of_turn(seen: Seen) -> Iterator[Finding]:
    """A box decides while one farther to the dealer's left still has to (36.7(f), (g)).

    One that waits for a card that it asked for, or was skipped, has decided; of one that split, 36.9(b) speaks.
    """
    rule, act, played = seen.rule("decision_order"), seen.act, seen.after.round
    if rule is None or not isinstance(act, KpDecision) or played.over or not all_certain(seen.after.setup, played):
        return
    aside = {*played.owed, *(hand.box for hand in played.hands if hand.half or hand.target in played.asked)}
    box = next((hand.box for hand in undecided(played) if hand.box < act.box and hand.box not in aside), None)
    if box is not None:
        text = f"Box {act.box} decided before box {box}: the dealer goes from box to box, from the left."
        key, evidence = f"{rule.key}:{played.number}", (seen.entry.number,)
        yield found(rule, "order", text, box=act.box, evidence=evidence, once=True, key=key)


def turned_out_of_turn(seen: Seen) -> Iterator[Finding]:
    """A player's hand is turned before the dealer's, or after one that lies farther to the dealer's left."""
    rule, act, shown = seen.rule("reveal_order"), seen.act, seen.before.round.shown
    if rule is None or not isinstance(act, KpReveal) or seen.before.round.over:
        return
    key = f"{rule.key}:{seen.before.round.number}"
    passed = [int(hand.removeprefix("box")) for hand in shown if hand != "dealer"]
    if "dealer" not in shown:
        text = f"Box {act.box} was turned before the dealer's hand."
        yield found(rule, "early", text, box=act.box, evidence=(seen.entry.number,), once=True, key=key)
    elif passed and act.box > min(passed):
        text = f"Box {act.box} was turned after box {min(passed)}: settlement begins at the dealer's right."
        yield found(rule, "order", text, box=act.box, evidence=(seen.entry.number,), once=True, key=key)


def bonus_after_comparison(seen: Seen) -> Iterator[Finding]:
    """A wager of a box is settled before one that comes earlier in the order of its wagers (51.10(e)2, 3)."""
    rule, act, before = seen.rule("bonus_before_comparison"), seen.act, seen.before.round
    if rule is None or not isinstance(act, KpSettled) or before.over:
        return
    order, box = rule.words("order"), f"box{act.box}"
    rank = {wager: at for at, wager in enumerate(order)} | dict.fromkeys(rule.words("compared"), len(order))
    done = {line.split()[1] for line in before.settled if line.split()[0] == box}
    placed = {wager.split()[0] for wager in before.wagers if wager.split()[1] == str(act.box)}
    here = rank.get(act.wager, len(order) + 1)
    later = [wager for wager in done if rank.get(wager, -1) > here]
    waiting = [wager for wager in order if wager in placed - done - {act.wager} and rank[wager] < here <= len(order)]
    if later or waiting:
        text = f"Box {act.box}: {' then '.join(order).replace('_', ' ')} are settled before the hands are compared."
        key = f"{rule.key}:{act.box}"
        yield found(rule, "broken", text, box=act.box, evidence=(seen.entry.number,), once=True, key=key)


def out_of_turn(seen: Seen) -> Iterator[Finding]:
    """A box is settled after one that lies farther to the dealer's left: settlement begins at the right."""
    rule, act = seen.rule("settle_order"), seen.act
    if rule is None or not isinstance(act, KpSettled) or act.wager not in rule.words("wagers"):
        return
    before = (line.split() for line in seen.before.round.settled)
    passed = [int(words[0].removeprefix("box")) for words in before if words[1:] == [act.wager]]
    if passed and act.box > min(passed):
        text = f"Box {act.box} was settled after box {min(passed)}: settlement begins at the dealer's right."
        yield found(rule, "order", text, box=act.box, evidence=(seen.entry.number,), once=True, key=rule.key)
