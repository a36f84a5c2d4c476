"""Errors in the deal that somebody keys: 36.14(c), (d), (e), (i)."""

from pitwarden_simulators.oracle.said import Finding, TextSilentError, find
from pitwarden_simulators.oracle.triple_state import Round


def in_error(this: Round, how: str) -> list[Finding]:
    """36.14(c), (e): as though it were the next card from the shoe."""
    if not this.loose or this.loose_known:
        raise TextSilentError
    this.loose_known = how
    return [find("TAB-38" if how == "unexposed" else "TAB-40", "USE_NEXT", "CONTINUE")]


def first_missed(this: Round) -> list[Finding]:
    """36.14(d): the dealer's first card comes before the second card of each player."""
    if this.phase in {"second", "hole"} and len(this.boxes) > 1:
        this.void = True
        return [find("TAB-39", "VOID")]
    raise TextSilentError


def skipped(this: Round, number: int) -> list[Finding]:
    """36.14(i): the cards later, before the hole card is revealed, or a dead hand."""
    box = this.named(number)
    if box is None or not box.owed or this.phase != "play":
        raise TextSilentError
    box.late = True
    return [find("TAB-44", "OPTION")]


def option(this: Round, number: int, choice: str) -> list[Finding]:
    """36.14(i): the cards come after all other players have theirs; a dead hand has its wager returned."""
    box = this.named(number)
    if box is None or not box.late or this.phase != "play":
        raise TextSilentError
    if choice == "dead":
        box.dead, box.owed, box.late = True, False, False
        return [find("TAB-44", "HAND_DEAD")]
    if any(other.undecided for other in this.boxes if other is not box):
        raise TextSilentError
    box.late = False
    return [find("TAB-44", "CONTINUE", needed=False)]
