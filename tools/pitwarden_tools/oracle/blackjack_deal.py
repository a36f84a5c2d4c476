"""Order of the deal: 36.7(d), (e); 2B.7(d); 2.26(e); its windows; insurance by 36.10(a), 26.11(a), 2B.7(g)."""

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.blackjack_wagers import without_the_caller
from pitwarden_tools.oracle.games import WINDOWS
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.points import rank
from pitwarden_tools.oracle.said import ExpectedFinding, TextSilentError, find


def boxes(this: BlackjackRound, boxes: list[int]) -> list[ExpectedFinding]:
    """Set the active boxes, no more than the table has (1.13V(a), 1.10D(a))."""
    if len(boxes) > this.setup.positions or max(boxes) > this.setup.positions:
        return [find("G-13", "refused")]
    if this.dealing:
        raise TextSilentError
    this.boxes = [Box(number, this.game.name, this.setup.positions) for number in boxes]
    return []


def deal(this: BlackjackRound) -> list[ExpectedFinding]:
    """Begin the deal: all wagers are in."""
    if not this.setup.knows("kp.boxes"):
        this.announced = True
        return []
    if not this.boxes or this.dealing:
        raise TextSilentError
    this.announced, this.phase = True, this.game.deal[0]
    return []


def card(this: BlackjackRound, face: str) -> list[ExpectedFinding]:
    """Deal the next card, after the wagers (36.7(d), 2.26(e)) and the windows before it (36.7(d), (e))."""
    if this.phase == "idle" and not this.boxes:
        raise TextSilentError
    found = too_soon(this)
    if this.phase == "idle":
        this.phase = this.game.deal[0]
    if this.phase in WINDOWS:
        _next(this)
    _place(this, face)
    return found


def too_soon(this: BlackjackRound) -> list[ExpectedFinding]:
    """Return the findings on a card that is drawn while wagers may still be made (36.7(d), (e), 2.26(e))."""
    if this.phase == "idle":
        return this.game.book.said("start", "ALERT")
    return this.game.book.said(this.phase, "ALERT") if this.phase in WINDOWS else []


def _place(this: BlackjackRound, face: str) -> None:
    this.drawn += 1
    if this.phase in {"up", "hole"}:
        this.dealer.append(face)
        _next(this)
        return
    size = {"first": 0, "second": 1, "down": 0, "down again": 1}[this.phase]
    piles = [box.down if this.phase.startswith("down") else box.hands[0].cards for box in this.boxes]
    pile = next(pile for pile in piles if len(pile) == size)
    pile.append(face)
    if pile is piles[-1]:
        _next(this)


def _next(this: BlackjackRound) -> None:
    at = this.game.deal.index(this.phase) + 1
    this.phase = this.game.deal[at] if at < len(this.game.deal) else "play"


def close(this: BlackjackRound, window: str) -> list[ExpectedFinding]:
    """Close a window: each player has placed the wager or declined it."""
    if window in WINDOWS and window == this.phase:
        _next(this)
        return without_the_caller(this, window)
    deal = this.game.deal
    if window in WINDOWS and window in deal and this.phase in deal[: deal.index(window)] and this.drawn:
        this.phase = "lost"  # the key may be early, or a player got no card (36.14(h)): what follows shows
        return this.game.book.said(window, "ALERT", needed=False) if this.setup.early_window else []
    if window == "insurance" and this.phase == "play" and this.insurance != "closed":
        if rank(this.dealer[0]) != "A":
            raise TextSilentError
        this.insurance = "closed"
        return []
    raise TextSilentError


def open_window(this: BlackjackRound, window: str) -> list[ExpectedFinding]:
    """Open insurance, when the dealer's first card is an ace (36.10(a), 26.11(a)); after all choices (2B.7(f))."""
    if window == "insurance" and this.phase == "play" and not this.insurance:
        if rank(this.dealer[0]) != "A":
            if this.game.name in {"SH", "IB"}:  # 2A.11 and 2.9 are not in our sources
                raise TextSilentError
            return this.game.book.duty("insurance", "refused")
        this.insurance, this.offered = "open", True
        return this.game.book.duty("choices", "ALERT HOLD") if this.missing("choices") else []
    if window == this.phase:
        return []
    raise TextSilentError
