"""The hole-card reader: 36.7(k), 36.10(b), 36.14(l), (m)."""

from pitwarden_simulators.oracle.points import rank
from pitwarden_simulators.oracle.said import Finding, TextSilentError, find
from pitwarden_simulators.oracle.triple_state import CHECKED, Round

PAIR = 2


def reader_missed(this: Round) -> list[Finding]:
    """36.7(k): with a reader and A, K, Q or J up the hole card is checked before any additional card."""
    if (
        not this.setup.reader
        or not this.inspected
        or this.reader_out
        or this.answer
        or rank(this.dealer[0]) not in CHECKED
    ):
        return []
    if this.inserted:
        raise TextSilentError
    return [find("TAB-20", "ALERT HOLD")]


def inserted(this: Round) -> list[Finding]:
    """36.14(l): an up card that is no ace, king, queen or jack. 36.10(b): insurance first."""
    if not this.inspected or this.reader_out or this.inserted or this.misuse:
        raise TextSilentError
    if this.phase != "play" or any(len(hand.cards) > PAIR for box in this.boxes for hand in box.hands):
        raise TextSilentError
    this.inserted = True
    if rank(this.dealer[0]) not in CHECKED:
        this.misuse = "pending"
        return [find("TAB-47", "HOLD", "ALERT")]
    if rank(this.dealer[0]) == "A" and this.insurance != "closed":
        this.insurance = "closed"
        return [find("TAB-23", "ALERT")] if this.setup.knows("kp.close") else []
    return []


def answered(this: Round, answer: str) -> list[Finding]:
    """The answer counts when the check was due."""
    if not this.inserted or this.answered:
        raise TextSilentError
    this.answered = True
    if this.misuse:
        return []
    this.answer = answer
    return []


def reader_bad(this: Round) -> list[Finding]:
    """36.14(m): only the procedures without a reader from here on."""
    if not this.setup.reader or this.reader_out:
        raise TextSilentError
    this.reader_out = this.answered = True
    return [find("TAB-48", "NO_READER")]


def notified(this: Round) -> list[Finding]:
    """36.14(l)1, 2: it depends on the device alone."""
    this.misuse = "told"
    if not this.setup.visible:
        return [find("TAB-47", "CONTINUE", needed=False)]
    this.void = True
    return [find("TAB-47", "DEAD")]
