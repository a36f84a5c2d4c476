"""Hole-card reader: 36.7(k), 36.10(b), 36.14(l), (m); 26.11(b), 26.15(l), (m); 2B.7(e) to (i); 2.26(e)."""

from dataclasses import replace

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.games import WINDOWS
from pitwarden_tools.oracle.points import rank
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, TextSilentError

PAIR = 2
DEALT = frozenset({"first", "up", "second", "hole", "down", "down again", *WINDOWS})
"""Phases in which no hole card is out yet."""


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
    if this.inserted or this.reader_doubt:
        raise TextSilentError
    return this.game.book.duty("check", "ALERT HOLD")


def inserted(this: BlackjackRound) -> list[ExpectedFinding]:
    """Insert the card: never with another up card (36.14(l)); insurance first (36.10(b)). 2.26(e), 2B.7(e), (f)."""
    if this.reader_doubt or not this.setup.reader:
        raise TextSilentError
    if this.reader_out:  # 36.14(m), 26.15(m): "only ... when a card reader device is not in use"
        this.stray_insert = True
        wrong = bool(this.dealer) and rank(this.dealer[0]) not in this.game.checked
        this.phase = "lost" if wrong else this.phase
        played = this.announced or this.drawn  # between rounds the floorperson may try it
        found = _by_hand(this, "reader bad", "ALERT", "HOLD NO_READER")
        return [*(replace(one, needed=one.needed and bool(played)) for one in found), *_also(this, misuse=True)]
    if not this.inspected or this.inserted or this.misuse:
        raise TextSilentError
    if this.phase in DEALT and not this.setup.knows(*this.game.keys):
        raise TextSilentError
    if this.phase in DEALT and (this.announced or this.drawn):  # 36.7(k): it determines "whether the hole card will"
        this.stray_insert = True
        return [*_by_hand(this, "misuse", "ALERT", "HOLD"), *_also(this, misuse=True)]
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


def _by_hand(this: BlackjackRound, subject: str, words: str, maybe: str) -> list[ExpectedFinding]:
    """Return an ALERT of the house: it needs no text, so it need not be an analogy either."""
    return [replace(one, analogy=False) for one in this.game.book.said(subject, words, maybe)]


def _also(this: BlackjackRound, *, misuse: bool) -> list[ExpectedFinding]:
    """Return what the same insertion may breach besides: 2.26(e), 2B.7(e), (f), 36.10(b), 36.14(l)."""
    book = this.game.book
    also = [*this.early(), *book.said("insurance", "ALERT", needed=False)]
    also += book.said("misuse", "", "HOLD ALERT", needed=False) if misuse else []
    return [replace(one, needed=False, analogy=False) for one in also]


def answered(this: BlackjackRound, answer: str) -> list[ExpectedFinding]:
    """Apply the answer, which counts when the check was due."""
    if this.stray_insert and (not this.inserted or this.answered):
        this.stray_insert = False
        return list(ANYTHING)  # nothing was checked
    if not this.inserted or this.answered:
        raise TextSilentError
    this.answered = True
    if this.misuse:
        return []
    this.answer = answer
    return []


def reader_bad(this: BlackjackRound) -> list[ExpectedFinding]:
    """Remove a faulty reader: from here on only the procedures without it; its answer is void (36.14(m), 26.15(m))."""
    if not this.setup.reader:
        raise TextSilentError
    if this.reader_out:
        return list(ANYTHING)
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
    this.void_ids = this.game.book.numbers["misuse"]
    return this.game.book.said("misuse", "DEAD")
