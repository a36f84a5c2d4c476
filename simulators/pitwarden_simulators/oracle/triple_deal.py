"""The deal of triple attack blackjack in its order: 36.7(d), (e); its windows; insurance by 36.10(a)."""

from pitwarden_simulators.oracle.hands import Box
from pitwarden_simulators.oracle.points import rank
from pitwarden_simulators.oracle.said import Finding, TextSilentError, find
from pitwarden_simulators.oracle.triple_state import Round


def boxes(this: Round, boxes: list[int]) -> list[Finding]:
    """The active boxes; 1.13V(a): no more than the table has."""
    if len(boxes) > this.setup.positions or max(boxes) > this.setup.positions:
        return [find("G-13", "refused")]
    if this.dealing:
        raise TextSilentError
    this.boxes = [Box(number) for number in boxes]
    return []


def deal(this: Round) -> list[Finding]:
    """All wagers are in."""
    if not this.setup.knows("kp.boxes"):
        this.announced = True
        return []
    if not this.boxes or this.dealing:
        raise TextSilentError
    this.announced, this.phase = True, "first"
    return []


def unannounced(this: Round, card: str) -> list[Finding]:
    """36.7(d): all wagers are placed before the first card."""
    if not this.boxes:
        raise TextSilentError
    this.phase = "first"
    return [find("TAB-14", "ALERT"), *first(this, card)]


def first(this: Round, card: str) -> list[Finding]:
    """36.7(d): one card up to each box."""
    box = next(box for box in this.boxes if not box.hands[0].cards)
    box.hands[0].cards.append(card)
    if box is this.boxes[-1]:
        this.phase = "attack2"
    return []


def up(this: Round, card: str) -> None:
    """36.7(d): the dealer's own card, face up."""
    this.dealer.append(card)
    this.phase = "attack3"


def second(this: Round, card: str) -> list[Finding]:
    """36.7(e): a second card up to each box."""
    this.phase = "second"
    box = next(box for box in this.boxes if len(box.hands[0].cards) == 1)
    box.hands[0].cards.append(card)
    if box is this.boxes[-1]:
        this.phase = "hole"
    return []


def close(this: Round, window: str) -> list[Finding]:
    """Each player has placed the wager or declined it."""
    if window == "attack2" and this.phase == "attack2":
        this.phase = "up"
    elif window == "attack3" and this.phase == "attack3":
        this.phase = "second"
    elif window == "insurance" and this.phase == "play" and this.insurance != "closed":
        if rank(this.dealer[0]) != "A":
            raise TextSilentError
        this.insurance = "closed"
    else:
        raise TextSilentError
    return []


def open_window(this: Round, window: str) -> list[Finding]:
    """36.10(a): insurance, when the dealer's first card is an ace."""
    if window == "insurance" and this.phase == "play" and not this.insurance:
        if rank(this.dealer[0]) != "A":
            return [find("TAB-23", "refused")]
        this.insurance = "open"
        return []
    if window == this.phase:
        return []
    raise TextSilentError
