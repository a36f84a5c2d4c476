"""Hole-card reader: 36.7(k), 36.10(b), 36.14(l), (m); 26.11(b), 26.15(l), (m); 2B.7(e) to (i); 2.26(e)."""

from dataclasses import replace

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.points import rank
from pitwarden_tools.oracle.said import ExpectedFinding, TextSilentError

PAIR = 2


def reader_missed(this: BlackjackRound) -> list[ExpectedFinding]:
    """Check that the reader was used before any additional card, with A, K, Q or J up (36.7(k))."""
    if (
        not this.setup.reader
        or not this.inspected
        or this.reader_out
        or this.answer
        or rank(this.dealer[0]) not in this.game.checked
        or not this.game.book.duty("check", "")
    ):
        return []
    if this.inserted:
        raise TextSilentError
    return this.game.book.duty("check", "ALERT HOLD")


def inserted(this: BlackjackRound) -> list[ExpectedFinding]:
    """Insert the card: never with another up card (36.14(l)); insurance first (36.10(b)). 2.26(e), 2B.7(e), (f)."""
    if not this.inspected or this.reader_out or this.inserted or this.misuse:
        raise TextSilentError
    if this.phase != "play" or any(len(hand.cards) > PAIR for box in this.boxes for hand in box.hands):
        raise TextSilentError
    this.inserted = True
    found = this.early()
    if rank(this.dealer[0]) not in this.game.checked:
        this.misuse = "pending"
        return [
            *this.game.book.said("misuse", "HOLD", "ALERT"),
            *(replace(one, needed=False) for one in found),
        ]  # A9-11
    if rank(this.dealer[0]) == "A" and this.insurance != "closed":
        this.insurance = "closed"
        if this.setup.knows("kp.close"):
            found += this.game.book.said("insurance", "ALERT")
    return found


def answered(this: BlackjackRound, answer: str) -> list[ExpectedFinding]:
    """Apply the answer, which counts when the check was due."""
    if not this.inserted or this.answered:
        raise TextSilentError
    this.answered = True
    if this.misuse:
        return []
    this.answer = answer
    return []


def reader_bad(this: BlackjackRound) -> list[ExpectedFinding]:
    """Remove a faulty reader: from here on only the procedures without it; its answer is void (36.14(m), 26.15(m))."""
    if not this.setup.reader or this.reader_out:
        raise TextSilentError
    this.reader_out = this.answered = True
    this.answer = ""
    return this.game.book.said("reader bad", "NO_READER")


def notified(this: BlackjackRound) -> list[ExpectedFinding]:
    """Notify the supervisor (36.14(l)1, 2, 26.15(l)1, 2): the device decides.

    Without such a text no hand is dead (A9-11).
    """
    this.misuse = "told"
    if not this.setup.visible:
        return this.game.book.said("misuse", "CONTINUE", needed=False)
    this.void = True
    if not this.game.ends:
        return this.game.book.said("misuse", "HOLD ALERT", needed=False)
    return this.game.book.said("misuse", "DEAD")
