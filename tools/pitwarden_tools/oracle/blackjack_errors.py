"""Errors in the deal that somebody keys: 36.14(c), (d), (e), (h), (i) and 26.15(c), (d), (e), (h), (i)."""

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.said import ExpectedFinding, TextSilentError


def in_error(this: BlackjackRound, how: str) -> list[ExpectedFinding]:
    """36.14(c), (e): as though it were the next card from the shoe."""
    if not this.loose or this.loose_known:
        raise TextSilentError
    this.loose_known = how
    return this.game.book.said(how, "USE_NEXT", "CONTINUE")


def refuse(this: BlackjackRound, number: int) -> list[ExpectedFinding]:
    """36.14(e): a player who refuses the card gets no more."""
    box = this.named(number)
    if box is None or this.loose_known != "exposed":
        raise TextSilentError
    box.refused = True
    return this.game.book.said("exposed", "CONTINUE", "USE_NEXT", needed=False)


def first_missed(this: BlackjackRound) -> list[ExpectedFinding]:
    """36.14(d): the dealer's first card comes before the second card of each player. 26.15(d): before their first two.

    In Switch Hands and blackjack no text of ours says what follows (SH-15).
    """
    if this.phase not in {"second", "hole"}:
        raise TextSilentError
    if not this.game.ends:
        this.phase = "lost"
        return this.game.book.said("first missed", "ALERT", "HOLD")
    if this.game.name == "TAB" and len(this.boxes) == 1:
        raise TextSilentError
    this.void = True
    return this.game.book.said("first missed", "VOID")


def not_dealt(this: BlackjackRound, number: int, cards: int) -> list[ExpectedFinding]:
    """36.14(h), 26.15(h): no cards, and the box is in the next deal (26.15(h): its hand is dead); one: an option."""
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
    """36.14(i): the cards later, before the hole card is revealed, or a dead hand."""
    box = this.named(number)
    if box is None or not box.owed or this.phase != "play":
        raise TextSilentError
    box.late = True
    return this.game.book.said("skipped", "OPTION")


def option(this: BlackjackRound, number: int, choice: str) -> list[ExpectedFinding]:
    """36.14(i): the cards come after all other players have theirs; a dead hand has its wager returned."""
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
