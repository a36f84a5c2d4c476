"""Decisions and cards of players: 36.7(f) to (h), 36.8, 36.9, 36.11(a); 26.8 to 26.12(a); 2B.7(e), (f); 2.26(e)."""

from pitwarden_tools.oracle import blackjack_reader as reader
from pitwarden_tools.oracle.blackjack_settled import no_bonus
from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.blackjack_wagers import BONUSES
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.points import rank
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, TextSilentError, find


def bonus(this: BlackjackRound, number: int) -> list[ExpectedFinding]:
    """Settle a bonus wager, beginning from the dealer's left (36.7(f))."""
    box = this.named(number)
    if box is None and not this.boxes:
        raise TextSilentError
    if box is None:
        return [find("", "refused")]
    if this.phase != "play" or ahead(this, box):
        raise TextSilentError
    box.bonus_settled = True
    return []


def dealt(this: BlackjackRound) -> list[ExpectedFinding]:
    """End the deal, with the hole card as its last card (house order); refused where the deal was corrected."""
    whole = this.phase == "play" and not any(box.decided for box in this.boxes)
    this.laid = whole and this.setup.knows("kp.one_card", "kp.dealt")
    return [find("", "refused", needed=False)]


def ahead(this: BlackjackRound, box: Box) -> bool:
    """Return whether a box farther left is not finished (36.7(f), (g): beginning from the dealer's left)."""
    return any(other is not box and other.undecided and not other.late for other in this.left_of(box))


def decision(this: BlackjackRound, number: int, decision: str) -> list[ExpectedFinding]:
    """Apply a decision: 36.7(g), 36.8, 36.9, 36.11(a), 36.14(e) after a refused card; 26.8 to 26.10, 26.12(a)."""
    box = this.named(number)
    if box is None and not this.boxes:
        raise TextSilentError
    if box is None:
        return [find("", "refused")]
    if this.phase != "play" or ahead(this, box) or box.owed or this.misuse == "pending" or this.answer == "bj":
        raise TextSilentError
    if "choices" in this.game.steps and not box.chosen:
        raise TextSilentError
    if box.refused and decision not in {"stand", "surrender"}:
        return this.game.book.said("exposed", "refused")
    forbidden = box.forbids(decision)
    if forbidden == "any" or (forbidden and this.unsure(box)):
        raise TextSilentError
    if forbidden:
        return _forbidden(this, forbidden)
    unsettled = not _announced(this, box) and this.game.book.duty("bonus", "")
    owed = box.decide(decision)
    found = this.game.book.duty("bonus", "ALERT", needed=False) if unsettled else []
    if this.loose and owed:  # 36.14(c), (e): as though it were the next card from the shoe
        box.take(this.loose)
        this.loose = this.loose_known = ""
    return found + _burned(this)


def after_the_blackjack(this: BlackjackRound, number: int, decision: str) -> list[ExpectedFinding]:
    """Request a card although the dealer's blackjack lies on the table: what is dealt for it breaches 36.7(k)."""
    box = this.named(number)
    waiting = this.undecided
    if box is None or decision != "hit" or not waiting or waiting[0] is not box or box.owed or box.refused:
        raise TextSilentError
    box.owed = True
    return list(ANYTHING)


def _burned(this: BlackjackRound) -> list[ExpectedFinding]:
    """Burn the exposed card that a player refused, once no player is left and the dealer cannot use it (36.14(e)).

    36.11(c), 26.12(c): the dealer draws no card where the dealer's points affect no hand.
    """
    refused = this.loose_known == "exposed" and any(box.refused for box in this.boxes)
    if not refused or this.undecided or not this.moot:
        return []
    certain = this.game.name == "TAB"
    if certain:
        this.loose = this.loose_known = ""
    return this.game.book.said("exposed", "BURN", needed=certain)


def _forbidden(this: BlackjackRound, subjects: str) -> list[ExpectedFinding]:
    """Return the finding of a refusal under any of the numbers of `subjects`."""
    numbers = this.game.book.numbers
    ids = [numbers[subject] for subject in subjects.split() if subject in numbers]
    if not ids:
        raise TextSilentError
    return [find("|".join(ids), "refused")]


def player_card(this: BlackjackRound, card: str) -> list[ExpectedFinding]:
    """Deal a player's card, requested by a decision or not (36.7(h))."""
    if this.answer == "bj":  # 36.7(k): no additional cards shall be dealt
        if not this.game.book.duty("no card", ""):
            raise TextSilentError
        this.phase = "lost"
        return this.game.book.duty("no card", "ALERT")
    early = this.early()
    found = [*early, *reader.reader_missed(this)]
    if this.insurance == "open" or (rank(this.dealer[0]) == "A" and not this.insurance):
        found += this.game.book.said("insurance", "ALERT", needed=False)
    box = next((box for box in this.boxes if box.owed and not box.late), None)
    if box is None:
        if this.loose or this.misuse == "pending" or (found and not early):
            raise TextSilentError
        if found:
            this.phase = "lost"
            return found
        this.loose = card
        return list(ANYTHING)
    if not _announced(this, box):
        # Where others' wagers are keyed, a box without one may have made none.
        found += this.game.book.duty("bonus", "ALERT", needed=not this.wagers)
    elif any((box.number, kind) in this.perhaps_placed for kind in BONUSES) and not box.bonus_settled:
        found += this.game.book.duty("bonus", "ALERT", needed=False)
    box.take(card)
    return found


def _announced(this: BlackjackRound, box: Box) -> bool:
    """Return whether no bonus wager of the box waits to be settled, as far as it is keyed (36.7(f))."""
    return box.bonus_settled or no_bonus(this, box) or not this.setup.knows("kp.bonus_settled")


def step(this: BlackjackRound, name: str) -> list[ExpectedFinding]:
    """Settle all in-between wagers, or collect all antes."""
    if name not in this.game.steps or this.phase != "play" or name in this.steps:
        raise TextSilentError
    if any(box.decided for box in this.boxes) and name == "antes":
        raise TextSilentError
    this.steps.add(name)
    return []


def choice(this: BlackjackRound, number: int, choice: str) -> list[ExpectedFinding]:
    """Apply a player's one-time option, after the antes, beginning from the dealer's left (2B.7(f))."""
    box = this.named(number)
    if box is None and not this.boxes:
        raise TextSilentError
    if box is None:
        return [find("", "refused")]
    if "choices" not in this.game.steps or this.phase != "play":
        raise TextSilentError
    if box.chosen:
        return this.game.book.duty("choices", "refused")
    if this.inserted or this.insurance or any(other.decided for other in this.boxes):
        raise TextSilentError
    unordered = any(not other.chosen for other in this.left_of(box))
    found = this.game.book.duty("antes", "ALERT", "HOLD", needed=False) if this.missing("antes") else []
    if unordered:
        found += this.game.book.duty("choices", "ALERT", "HOLD", needed=False)
    box.choose(switch=choice == "switch")
    return found
