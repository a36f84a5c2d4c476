"""Order and amounts of settlement.

The order of settlement and of the hands: insurance, splits, boxes from the right (26.10(b), 26.11(d), 2B.7(k)).

Keyed settlements against what public cards make of the wagers (kind W). Alerts only: no text has a remedy.

A wager at craps settled otherwise than the last roll decided it (19:47-1.2(a)). Alerts only.
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.check_entry import OF_DEALER, PAID, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.evaluation.blackjack import AGAINST_21
from pitwarden.rules.evaluation.craps import PLACED
from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.announce import DICE_ROWS
from pitwarden.rules.outcomes.blackjack import settles_now
from pitwarden.rules.profile.facts import fact, key_fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.queries.hands import undecided_hands
from pitwarden.rules.queries.layout import all_certain
from pitwarden.rules.queries.open_wagers import are_settled
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.state import Finding
from pitwarden.rules.state.wagers import KeyedSettlement, RoundWagers
from pitwarden.rules.transitions.hole_card import agreed
from pitwarden_client.events.dealer_play import KpDecision, KpReveal
from pitwarden_client.events.dealer_wagers import KpDiceSettled, KpSettled
from pitwarden_client.events.outputs import WagerOutcome


@check("settlement.insurance_unsettled", place=720, rules=("insurance_settled",), on=(OF_DEALER,))
def insurance_unsettled(seen: CheckContext) -> Iterator[Finding]:
    """Report that the dealer draws while losing insurance wagers are on the layout."""
    before = seen.before.round
    if len(seen.after.round.play.dealer) <= len(before.play.dealer):
        return
    rule = seen.rule("insurance_settled")
    if rule is None or not seen.drew or before.void or before.settlement.insurance_settled or not before.play.hole_up:
        return
    if are_settled(before, ("insurance",)):
        return
    if up_rank(seen.after) == "A" and {"insurance"} & {*before.windows.opened, *before.windows.closed}:
        cancels, evidence = (key_fact("kp.insurance_settled"), fact("insurance_settled")), (seen.entry.number,)
        yield find_case(rule, "open", grace=True, cancels=cancels, evidence=evidence, once=True)


@check("settlement.other_hand_open", place=730, rules=("split_order",), on=("kp.decision",))
def other_hand_open(seen: CheckContext) -> Iterator[Finding]:
    """Report that a box decides while a hand that another box split is not complete."""
    rule, act, before = seen.rule("split_order"), seen.act, seen.before.round
    if rule is None or not isinstance(act, KpDecision) or before.void:
        return
    others = {hand.box for hand in before.play.hands if hand.half} - {
        act.box,
        *before.exceptions.owed,
    }  # those wait: 36.14(i)
    box = next((hand.box for hand in undecided_hands(before) if hand.box in others), None) if others else None
    if box is not None:
        yield find_case(rule, "other", box=box, evidence=(seen.entry.number,), once=True)


@check("settlement.decided_out_of_turn", place=740, rules=("decision_order",), on=("kp.decision",))
def decided_out_of_turn(seen: CheckContext) -> Iterator[Finding]:
    """Report that a box decides while one farther to the dealer's left still has to (36.7(f), (g)).

    One that waits for a card that it asked for, or was skipped, has decided; of one that split, 36.9(b) speaks.
    """
    rule, act, played = seen.rule("decision_order"), seen.act, seen.after.round
    if rule is None or not isinstance(act, KpDecision) or played.void or not all_certain(seen.after.setup, played):
        return
    aside = {
        *played.exceptions.owed,
        *(hand.box for hand in played.play.hands if hand.half or hand.target in played.play.asked),
    }
    box = next((hand.box for hand in undecided_hands(played) if hand.box < act.box and hand.box not in aside), None)
    if box is not None:
        key, evidence = f"{rule.key}:{played.number}", (seen.entry.number,)
        yield find_case(rule, "order", box=act.box, other_box=box, evidence=evidence, once=True, key=key)


@check("settlement.turned_out_of_turn", place=750, rules=("reveal_order",), on=("kp.reveal",))
def turned_out_of_turn(seen: CheckContext) -> Iterator[Finding]:
    """Report that a player's hand is turned before the dealer's, or after one farther to the dealer's left."""
    rule, act, shown = seen.rule("reveal_order"), seen.act, seen.before.round.play.shown
    if rule is None or not isinstance(act, KpReveal) or seen.before.round.void:
        return
    key = f"{rule.key}:{seen.before.round.number}"
    passed = [int(hand.removeprefix("box")) for hand in shown if hand != "dealer"]
    if "dealer" not in shown:
        yield find_case(rule, "early", box=act.box, evidence=(seen.entry.number,), once=True, key=key)
    elif passed and act.box > min(passed):
        evidence = (seen.entry.number,)
        yield find_case(rule, "order", box=act.box, other_box=min(passed), evidence=evidence, once=True, key=key)


@check("settlement.bonus_after_comparison", place=820, rules=("bonus_before_comparison",), on=("kp.settled",))
def bonus_after_comparison(seen: CheckContext) -> Iterator[Finding]:
    """Report that a wager of a box is settled before an earlier one in the order of its wagers (51.10(e)2, 3)."""
    rule, act, before = seen.rule("bonus_before_comparison"), seen.act, seen.before.round
    if rule is None or not isinstance(act, KpSettled) or before.void:
        return
    order, box = rule.words("order"), f"box{act.box}"
    rank = {wager: at for at, wager in enumerate(order)} | dict.fromkeys(rule.words("compared"), len(order))
    done = {line.split()[1] for line in before.settlement.settled if line.split()[0] == box}
    placed = {wager.split()[0] for wager in before.windows.wagers if wager.split()[1] == str(act.box)}
    here = rank.get(act.called, len(order) + 1)
    later = [wager for wager in done if rank.get(wager, -1) > here]
    waiting = [wager for wager in order if wager in placed - done - {act.called} and rank[wager] < here <= len(order)]
    if later or waiting:
        names, key, evidence = " then ".join(order).replace("_", " "), f"{rule.key}:{act.box}", (seen.entry.number,)
        yield find_case(rule, "broken", box=act.box, names=names, evidence=evidence, once=True, key=key)


@check("settlement.out_of_turn", place=760, rules=("settle_order",), on=("kp.settled",))
def out_of_turn(seen: CheckContext) -> Iterator[Finding]:
    """Report that a box is settled after one that lies farther to the dealer's left: settlement begins at the right."""
    rule, act = seen.rule("settle_order"), seen.act
    if rule is None or not isinstance(act, KpSettled) or act.called not in rule.words("wagers"):
        return
    if seen.before.round.void:  # 51.10(e), 2B.7(k) order the settlement of hands: a void round has none
        return
    before = (line.split() for line in seen.before.round.settlement.settled)
    passed = [int(words[0].removeprefix("box")) for words in before if words[1:] == [act.called]]
    if passed and act.box > min(passed):
        evidence = (seen.entry.number,)
        yield find_case(rule, "order", box=act.box, other_box=min(passed), evidence=evidence, once=True, key=rule.key)


SETTLED: Final = {"win": "won", "lose": "lost", "push": "a push", "returned": "returned", "half": "half lost"}
"""Words of a sentence for the result of a settlement."""


@check("outcomes.differs", place=790, rules=("settled_wrongly",), on=(PAID,), reads=("attack",))
def differs(seen: CheckContext) -> Iterator[Finding]:
    """Report that a wager was settled in another way than its outcome, be it before or after that was said."""
    rule, bets = seen.rule("settled_wrongly"), seen.after.round.windows.bets
    if rule is None or not bets.paid or seen.after.round.void:
        return
    attack = seen.row("attack")
    for paid in bets.paid:
        one = contradiction(bets, paid, attack)
        if one is not None:
            made = find_case(
                rule, "settled", box=paid.box, name=paid.wager.replace("_", " "), result=SETTLED[paid.result],
                outcome=SETTLED[one.result], line=one.line.replace("_", " "), evidence=(paid.number,), once=True,
                key=settlement_key(rule.key, seen.after.round.number, paid),
            )  # fmt: skip
            yield replace(made, clause=one.catalogue, cites=one.clauses)


def contradiction(bets: RoundWagers, paid: KeyedSettlement, attack: ClauseRule | None) -> WagerOutcome | None:
    """Return an outcome that `paid` disagrees with; None where one agrees, or none is announced.

    Args:
        bets: Wagers of the round.
        paid: Settlement.
        attack: Row of the wagers that are decided alike: one that is not keyed was placed if it is settled.
    """
    said = _said(bets, paid)
    if not said and attack is not None and paid.wager in attack.words("also"):
        first = replace(paid, wager=str(attack.param("wager", default="")))
        said = [one for one in _said(bets, first) if one.line != "dead_hand"]
    # 2A.7, which may let a blackjack win, is not in our sources: the house that pays it is not contradicted (C-58).
    if paid.result == "win" and any(one.line == AGAINST_21 for one in said):
        return None
    return said[0] if said and all(one.result != paid.result for one in said) else None


def settlement_key(rule: str, number: int, paid: KeyedSettlement) -> str:
    """Return the key of the finding that `paid` of round `number` was settled wrongly."""
    return f"{rule}:{number}:{paid.number}"


@check("outcomes.surrender_settled_early", place=810, rules=("surrender",), on=("kp.settled",), reads=("attack",))
def surrender_settled_early(seen: CheckContext) -> Iterator[Finding]:
    """Report that a surrendered wager is settled while the hole card may still be a blackjack (26.8(a)2, 3)."""
    rule, act, before = seen.rule("surrender"), seen.act, agreed(seen.before, seen.entry)
    attack = seen.row("attack")
    if rule is None or attack is None or not rule.words("parked"):
        return
    if not isinstance(act, KpSettled) or before.round.void or act.box not in before.round.windows.bets.surrendered:
        return
    use = before.round.play.reader
    if use.answered and not (use.said or use.failed or use.misused):  # the dealer has an answer that is sealed yet
        return
    if (
        act.called in {attack.param("wager", default=""), *attack.words("also")}
        and not before.round.play.hole_up
        and settles_now(before) is False
    ):
        yield find_case(rule, "early", box=act.box, evidence=(seen.entry.number,), once=True)


def _said(bets: RoundWagers, paid: KeyedSettlement) -> list[WagerOutcome]:
    """Yield the outcomes that the settlement may mean: of the hand that was named, else of any hand of the box."""
    names = {f"box{paid.box}{half}" for half in ("", "b", "c", "d") if paid.half in {None, half}}
    return [one for one in bets.told if one.wager == paid.wager and one.hand in {*names, "table"}]


@check("dice.settled_wrongly", place=800, rules=("dice_settled",), on=("kp.dice_settled",), reads=DICE_ROWS)
def settled_wrongly(seen: CheckContext) -> Iterator[Finding]:
    """Report that a result was keyed that is not the last roll's, or a wager was settled that it did not decide."""
    rule, act = seen.rule("dice_settled"), seen.act
    if rule is None or not isinstance(act, KpDiceSettled):
        return
    decided = [
        one.result
        for one in seen.before.dice.decided
        if (one.bet.wager, one.bet.spot) == (act.wager, act.spot)
        and (one.bet.wager not in PLACED or one.bet.number == act.number)
    ]
    row = seen.row(act.wager)
    # 1.2(a)7: with the dice not keyed, both results of a total of 4 are possible.
    unread = any((one.bet.wager, one.bet.spot) == (act.wager, act.spot) for one in seen.before.dice.unread)
    if act.result in decided or (unread and act.result in {"win", "lose"}) or row is None:
        return
    name, is_now = act.wager.replace("_", " "), decided[0] if decided else "not decided"
    made = find_case(
        rule, "settled", count=act.spot, name=name, result=act.result, outcome=is_now, evidence=(seen.entry.number,),
        once=True, key=f"dice:{seen.entry.number}",
    )  # fmt: skip
    yield replace(made, clause=row.clause, cites=row.cites)
