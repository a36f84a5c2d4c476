"""Keyed errors in the deal: 36.14(c), (d), (e), (h), (i) and 26.15(c), (d), (e), (h), (i)."""

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.said import ExpectedFinding, TextSilentError


def in_error(this: BlackjackRound, how: str) -> list[ExpectedFinding]:
    """Use a card drawn in error as though it were the next from the shoe (36.14(c), (e))."""
    if not this.loose or this.loose_known:
        raise TextSilentError
    this.loose_known = how
    return this.game.book.said(how, "USE_NEXT", "CONTINUE")


def refuse(this: BlackjackRound, number: int) -> list[ExpectedFinding]:
    """Refuse a card: the player gets no more (36.14(e))."""
    box = this.named(number)
    if box is None or this.loose_known != "exposed":
        raise TextSilentError
    box.refused = True
    return this.game.book.said("exposed", "CONTINUE", "USE_NEXT", needed=False)


def first_missed(this: BlackjackRound) -> list[ExpectedFinding]:
    """Deal the dealer's first card late: before each second card (36.14(d)), before the first two (26.15(d)).

    In Switch Hands and blackjack no text of ours states the consequence (SH-15).
    """
    if this.phase not in {"second", "hole"}:
        raise TextSilentError
    if not this.game.ends:
        this.phase = "lost"
        return this.game.book.said("first missed", "ALERT", "HOLD")
    if this.game.name == "TAB" and len(this.boxes) == 1:
        raise TextSilentError
    this.void, this.void_ids = True, this.game.book.numbers["first missed"]
    return this.game.book.said("first missed", "VOID")


def not_dealt(this: BlackjackRound, number: int, cards: int) -> list[ExpectedFinding]:
    """Miss a box: no cards, it joins the next deal (26.15(h): its hand is dead); one card, an option (36.14(h))."""
    if this.named(number) is None or this.phase not in {"second", "hole", "play"} or this.misuse or this.inserted:
        raise TextSilentError
    if any(box.decided for box in this.boxes) or this.insurance:
        raise TextSilentError
    this.phase = "lost"
    if cards:
        return this.game.book.said("not dealt", "OPTION")
    if this.game.name == "DAB":
        return this.game.book.said("not dealt", "HAND_DEAD", "CONTINUE")
    return this.game.book.said("not dealt", "", "HAND_DEAD CONTINUE OPTION", needed=False)


def skipped(this: BlackjackRound, number: int) -> list[ExpectedFinding]:
    """Skip a box: its cards later, before the hole card is turned, or a dead hand (36.14(i))."""
    box = this.named(number)
    if box is None or not box.owed or this.phase != "play":
        raise TextSilentError
    box.late = True
    return this.game.book.said("skipped", "OPTION")


def option(this: BlackjackRound, number: int, choice: str) -> list[ExpectedFinding]:
    """Apply a skipped box's option: cards after all other players, or a dead hand with its wager back (36.14(i))."""
    box = this.named(number)
    if box is None or not box.late or this.phase != "play":
        raise TextSilentError
    if choice == "dead":
        box.dead, box.owed, box.late = True, False, False
        return this.game.book.said("skipped", "HAND_DEAD")
    if any(other.undecided for other in this.boxes if other is not box):
        raise TextSilentError
    box.late = False
    return this.game.book.said("skipped", "CONTINUE", needed=False)
