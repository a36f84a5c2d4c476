"""3 Card Blitz: keyed wagers and settlements, of a round, of a folded hand, and of a void round.

51.1, 51.6(b), 51.10(a), (d), (e), 51.11(e)1, 51.12.
"""

from typing import Final

from pitwarden_tools.oracle.blitz_round import BONUSES, BlitzRound
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, find

VOIDS: Final = "CB-16|CB-22|CB-35|CB-36|CB-38"
REQUIRED: Final = frozenset({"ante", "blind"})
JACKPOT: Final = 500


def wager(this: BlitzRound, kind: str, box: int, cents: int | None) -> list[ExpectedFinding]:
    """Place a wager: before "No more bets", but for Play (51.6(b)); Play equals the Ante (51.1)."""
    if this.void:
        return list(ANYTHING)
    if kind == "play":
        return _play(this, box, cents)
    if this.announced or (this.started and kind in REQUIRED):
        return [find("CB-11|CB-12|CB-24|G-13", "refused")]
    if this.started or kind not in REQUIRED.union(BONUSES):
        return list(ANYTHING)
    if kind == "progressive" and cents not in {None, JACKPOT}:  # 51.11(e)1: "a $5 Bet"
        return [find("CB-33", "", "refused ALERT HOLD")]
    again = (box, kind) in this.wagers
    this.wagers[box, kind] = None if again else cents
    return list(ANYTHING) if again else []


def _play(this: BlitzRound, box: int, cents: int | None) -> list[ExpectedFinding]:
    ante = this.wagers.get((box, "ante"))
    if not this.started or box not in this.boxes or this.decided.get(box) == "fold":
        return list(ANYTHING)
    if cents is not None and ante is not None and cents != ante:
        return [find("CB-26", "", "refused ALERT HOLD")]
    return [] if (box, "ante") in this.wagers else list(ANYTHING)


def bets_closed(this: BlitzRound) -> list[ExpectedFinding]:
    """Close the bets: a bonus takes "each participating player who has placed an Ante and Blind wager" (51.10(a))."""
    alone = {box for box, kind in this.wagers if kind in BONUSES and not whole(this, box)}
    known = any(whole(this, box) for box, _ in this.wagers)
    return [find("CB-24|CB-32|CB-33", "", "ALERT HOLD", needed=known, box=box, fresh=True) for box in sorted(alone)]


def whole(this: BlitzRound, box: int) -> bool:
    """Return whether Ante and Blind of the box are keyed."""
    return all((box, kind) in this.wagers for kind in REQUIRED)


def settled(this: BlitzRound, box: int, kind: str, result: str) -> list[ExpectedFinding]:
    """Settle a wager: of a void round it is returned; a folded hand has forfeited Ante and Blind (51.1)."""
    if this.boxes and box not in this.boxes:
        return [find("", "refused", needed=False)]
    if not this.places_known or not this.setup.knows("kp.decision"):
        return list(ANYTHING)
    folded = this.decided.get(box) == "fold"
    if this.void:
        before = (folded and kind in REQUIRED and result == "lose") or box in this.revealed
        if result == "" or before or box not in this.boxes:
            return list(ANYTHING)
        return [] if result == "returned" else [find(VOIDS, "ALERT", "HOLD", box=box, fresh=True)]
    if folded and result == "win" and kind in REQUIRED | {"play"} and this.started:
        # 51.10(d): Ante and Blind are lost with the fold, which the dealer's turned hand makes final at the latest.
        final = kind == "play" or this.dealer_shown
        return [find("CB-26|CB-28|CB-29", "ALERT", "HOLD", needed=final, box=box, fresh=True)]
    return list(ANYTHING)


def never_turned(this: BlitzRound) -> list[ExpectedFinding]:
    """End the round: each hand with an active wager was turned, and the dealer's first (51.10(d), (e)1)."""
    keyed = this.setup.knows("kp.reveal", "kp.dealer_reveal", "kp.decision") and this.places_known
    if not keyed or this.void or not this.started or set(this.boxes) - set(this.decided):
        return list(ANYTHING)
    active = [box for box in this.boxes if this.active(box)]
    if not this.dealer_shown:
        return [find("CB-27|CB-28", "", "ALERT HOLD", needed=bool(active), fresh=True)] if active else list(ANYTHING)
    unturned = [box for box in active if box not in this.revealed]
    return [find("CB-28", "ALERT", "HOLD", box=box, fresh=True) for box in unturned]
