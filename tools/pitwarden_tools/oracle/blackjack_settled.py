"""Settlements keyed one by one: bonuses, insurance, in-between wagers, surrendered hands, and those of a void round.

36.5(e), 36.7(f), (h), 36.10(d), 36.14(a), (b), (d), (i), (l); 26.8(a), 26.11(d), 26.15; 2.26(e).
"""

from typing import Final

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.blackjack_wagers import ATTACKS, BONUSES, placed
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.points import GAME, blackjack, rank, total
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, TextSilentError, find

MAIN: Final = frozenset({*ATTACKS, "doubleattack"})
THREE: Final = 3


def settled(this: BlackjackRound, number: int, kind: str, result: str) -> list[ExpectedFinding]:
    """Settle one wager of a box; `result` empty when it was not keyed."""
    box = this.named(number)
    if box is None and this.boxes:
        return [find("", "refused")]
    if not this.setup.knows("kp.decision"):
        return [] if this.boxes and not this.void else list(ANYTHING)  # no text names the round
    if box is None:
        return list(ANYTHING)
    if this.void:
        return after_void(this, box, kind, result)
    if box.dead and kind in ATTACKS and result not in {"", "returned"} and this.game.ends:
        return [find(this.game.book.numbers["skipped"], "ALERT", "HOLD", box=number, fresh=True)]  # (i)
    if box.surrendered and this.game.name == "DAB" and kind in MAIN:
        return _surrendered(this, box, result)
    this.settled.add((number, kind))
    if kind in BONUSES and this.phase == "play":
        return _bonus(this, box)
    if kind == "insurance" and this.hole_up and this.insurance == "closed":
        insured = placed(this, {"insurance"})
        done = bool(insured) and all((at, "insurance") in this.settled for at, *_ in insured)
        this.insurance_settled = this.insurance_settled or done
        this.collect_doubt = not insured  # who insured was not keyed
    if kind == "ib" and this.phase == "play" and "ib" in this.game.steps:
        return _between(this, number)
    return list(ANYTHING)


def none_insured(this: BlackjackRound) -> bool:
    """Return whether wagers are keyed in this round and none is insurance: there is no losing one (36.10(d))."""
    return bool(this.wagers) and not placed(this, {"insurance"})


def no_bonus(this: BlackjackRound, box: Box) -> bool:
    """Return whether the box's wagers are keyed and none is a bonus wager (36.7(f): "if a player has placed")."""
    return bool(placed(this, {"first_attack"}, box.number)) and not placed(this, BONUSES, box.number)


def _bonus(this: BlackjackRound, box: Box) -> list[ExpectedFinding]:
    bonuses = placed(this, BONUSES, box.number)
    if bonuses and all((box.number, kind) in this.settled for _, _, kind in bonuses):
        box.bonus_settled = True
    return list(ANYTHING)


def _between(this: BlackjackRound, number: int) -> list[ExpectedFinding]:
    """Settle an in-between wager, "starting with the player farthest to his or her right" (2.26(e))."""
    between = {at for at, *_ in placed(this, {"ib"})}
    if not between:
        raise TextSilentError  # who placed one was not keyed
    later = any(at > number and (at, "ib") not in this.settled for at in between)
    if between and all((at, "ib") in this.settled for at in between):
        this.steps.add("ib")
    return this.game.book.duty("ib", "ALERT", "HOLD", needed=False) if later else list(ANYTHING)


def _surrendered(this: BlackjackRound, box: Box, result: str) -> list[ExpectedFinding]:
    """Settle a surrendered hand: half at once, "of the player's wager(s)" (26.8(a)1).

    With an ace or a court card up at the hole card, entirely lost if the dealer has blackjack (2); or after the
    reader's no (3).
    """
    determined = this.hole_up or (this.answer == "no" and not this.reader_out)  # 26.15(m)
    if rank(this.dealer[0]) in this.game.checked and not determined:
        return this.game.book.duty("surrender", "ALERT", "HOLD")
    lost = rank(this.dealer[0]) in this.game.checked and this.hole_up and blackjack(this.dealer)
    right = "lose" if lost else "half"
    if result in {"", right}:
        return []
    return [find(this.game.book.numbers["surrender"], "ALERT", "HOLD", box=box.number, fresh=True)]


def after_void(this: BlackjackRound, box: Box, kind: str, result: str) -> list[ExpectedFinding]:
    """Settle a wager of a void or dead round: returned, but for what the text's own order settled before (C-31)."""
    if not this.void_ids or result == "":
        return list(ANYTHING)
    if result == "returned":
        return []
    if _before_the_void(this, box, kind, result):
        return list(ANYTHING)
    return [find(this.void_ids, "ALERT", "HOLD", box=box.number, fresh=True)]


def _before_the_void(this: BlackjackRound, box: Box, kind: str, result: str) -> bool:
    """Return whether the text's order may have settled it: a bonus, a bust, a 21, a surrendered hand, insurance."""
    known = this.dealt_on and not this.unsure(box) and bool(box.hands[0].cards)
    if len(box.hands) > 1 or box.dead or not known:
        return True
    cards = box.hands[0].cards
    # 36.7(f), (g): the dealer reaches a box when each one farther left has decided; the key for that may be late.
    reached = box.bonus_settled or box.decided or not any(other.undecided for other in this.left_of(box))
    if kind in BONUSES:
        return reached
    if kind == "insurance":
        return this.hole_up and rank(this.dealer[0]) == "A"
    if kind not in MAIN:
        return True
    if this.game.name != "TAB":
        return box.surrendered or total(cards)[0] >= GAME
    paid = box.natural or (len(cards) >= THREE and total(cards)[0] == GAME)
    return reached and ((result == "lose" and total(cards)[0] > GAME) or (result == "win" and paid))
