"""Keyed wagers of the blackjack family: windows, stakes, and who may place them.

36.1, 36.5(d), 36.6(b), 36.7(d), (e), 36.8(a), 36.9(a), 36.10(b), 36.12; 26.9(a), 26.10(a), 26.11(b), 26.13; 2.26(d);
2B.5(d), 2B.9. Where a limit is not in our sources any answer is accepted.
"""

from typing import Final

from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.hands import Box
from pitwarden_tools.oracle.points import PAIR, rank, value
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, find

BONUSES: Final = frozenset({"suited_royals", "triple_match"})
ATTACKS: Final = ("first_attack", "attack2", "attack3")
STAKED: Final = {"TAB": ATTACKS, "DAB": ("first_attack", "doubleattack")}
"""Wagers that a double or a split is measured by: 36.8(a), 36.9(a); 26.9(a), 26.10(a)."""
INSURED: Final = {"TAB": ATTACKS, "DAB": ("first_attack",)}
"""Wagers of which insurance is at most half: 36.10(b); 26.11(b)."""
BETTORS: Final = {"TAB": (3, "TAB-35"), "DAB": (3, "DAB-14"), "SH": (1, "SH-26")}
LEAST: Final = 100


def wager(this: BlackjackRound, kind: str, number: int, cents: int | None, bettor: int) -> list[ExpectedFinding]:
    """Place a wager of a box."""
    game = this.game.name
    if this.void:
        return list(ANYTHING)
    if this.boxes and this.named(number) is None:
        return [find("", "refused", needed=False)]
    most, bettors = BETTORS.get(game, (9, ""))
    if bettor > most:  # once cards are drawn, the closed window is a reason, too
        return [find("" if this.drawn else bettors, "refused")]
    found = _judged(this, kind, number, cents, bettor)
    if any(one.words == {"refused"} and not one.needed for one in found):
        this.perhaps_placed.add((number, kind))
    if not any(one.words == {"refused"} for one in found) and found != list(ANYTHING):
        again = (number, bettor, kind) in this.wagers
        this.wagers[number, bettor, kind] = None if again else cents
        return list(ANYTHING) if again else found
    if found == list(ANYTHING):
        this.wagers[number, bettor, kind] = None
    return found


def _judged(this: BlackjackRound, kind: str, number: int, cents: int | None, bettor: int) -> list[ExpectedFinding]:
    game = this.game.name
    if game == "TAB" and kind in {"first_attack", *BONUSES}:
        return _before_the_cards(this, kind, number, cents, bettor)
    if game == "TAB" and kind in {"attack2", "attack3"}:
        return _attack(this, kind, number, cents, bettor)
    if kind == "insurance" and game in INSURED:
        return _insurance(this, number, cents, bettor)
    if kind in {"double", "split"} and game in STAKED:
        return _added(this, kind, number, cents, bettor)
    if game == "IB" and kind == "ib":
        return this.game.book.duty("wager", "refused") if this.drawn else _beside(this, number, bettor)
    if game == "SH" and kind == "blackjack":
        return this.game.book.duty("wager", "refused") if this.drawn else []
    return [] if not this.drawn and kind in {"first_attack", "blackjack"} else list(ANYTHING)


def _beside(this: BlackjackRound, number: int, bettor: int) -> list[ExpectedFinding]:
    """Place an in-between wager: "each player who has placed a blackjack wager" (2.26(d))."""
    return [] if (number, bettor, "blackjack") in this.wagers else list(ANYTHING)


def _before_the_cards(
    this: BlackjackRound, kind: str, number: int, cents: int | None, bettor: int
) -> list[ExpectedFinding]:
    """Place a first attack or a bonus wager: before the first card (36.5(d), 36.6(b)).

    A bonus wager takes "a player who has placed the first attack wager", and from one dollar to its amount.
    """
    if this.drawn:
        return [find("TAB-11|TAB-12", "refused")]
    if kind == "first_attack":
        return []
    first = this.wagers.get((number, bettor, "first_attack"), 0)
    if (number, bettor, "first_attack") not in this.wagers:  # which may be keyed after it, or not at all here
        return [find("TAB-12", "refused", needed=bool(placed(this, {"first_attack"})))]
    if cents is not None and (cents < LEAST or (first is not None and cents > first)):
        return [find("TAB-12", "refused")]
    twice = cents is not None and first is None  # the first one: its chips were added to, or its amount corrected
    return [find("TAB-12", "refused", needed=False)] if twice else []


def _attack(this: BlackjackRound, kind: str, number: int, cents: int | None, bettor: int) -> list[ExpectedFinding]:
    """Place a second or third attack wager, in its window; not above the first (36.1, 36.7(d), (e))."""
    numbers = "TAB-11|TAB-15" if kind == "attack2" else "TAB-11|TAB-16"
    if this.phase == "lost" or this.loose_refuted:
        return list(ANYTHING)
    if this.phase != kind:
        # While the boxes are not keyed, how many cards come before it is unknown.
        return [find(numbers, "refused")] if this.phase != "idle" and this.boxes else list(ANYTHING)
    if (number, bettor, "first_attack") not in this.wagers:
        return list(ANYTHING)
    first = this.wagers[number, bettor, "first_attack"]
    if cents is not None and first is None:
        return list(ANYTHING)  # keyed twice: chips may have been added, or the amount corrected
    if cents is not None and first is not None and cents > first:
        return [find(numbers, "refused")]
    return []


def sum_of(this: BlackjackRound, kinds: tuple[str, ...], number: int, bettor: int) -> int | None:
    """Return the sum of these wagers of one bettor; None where an amount was not keyed."""
    if (number, bettor, "first_attack") not in this.wagers:
        return None
    stakes = [this.wagers[number, bettor, kind] for kind in kinds if (number, bettor, kind) in this.wagers]
    known = [stake for stake in stakes if stake is not None]
    return sum(known) if len(known) == len(stakes) else None


def without_the_caller(this: BlackjackRound, window: str) -> list[ExpectedFinding]:
    """Close a window: others of a box "may also place an additional bet" with the caller (36.12(e), 26.13(e)).

    Until the window closes the order of placing is free. Where the caller's first wager is not keyed nothing is known.
    """
    if this.game.name not in STAKED or window not in STAKED[this.game.name]:
        return []
    number = BETTORS[this.game.name][1]
    found = []
    for box, bettor, kind in this.wagers:
        # The caller's may have been refused where its amount does not count.
        alone = kind == window and bettor > 1 and this.wagers.get((box, 1, window)) is None
        if alone and (box, 1, "first_attack") in this.wagers:
            certain = this.wagers[box, bettor, kind] is not None and (box, 1, window) not in this.wagers
            found.append(find(number, "ALERT", box=box, needed=certain, fresh=True))
    return found


def _insurance(this: BlackjackRound, number: int, cents: int | None, bettor: int) -> list[ExpectedFinding]:
    """Insure: with an ace up, after the second cards and before any additional one; at most half (36.10, 26.11)."""
    refused = [find(f"{this.game.book.numbers['insurance']}|TAB-52|TAB-11", "refused")]
    if this.dealer and rank(this.dealer[0]) != "A":
        return refused
    if this.phase != "play" or not this.dealer:
        return list(ANYTHING)
    if this.insurance == "closed" or this.inserted:
        return refused if this.game.name == "TAB" else list(ANYTHING)  # 36.5(g); 26.5 is not in our sources
    if any(box.decided for box in this.boxes):
        return list(ANYTHING)
    staked = sum_of(this, INSURED[this.game.name], number, bettor)
    if this.insurance == "open" and (cents is None or (number, bettor, "first_attack") not in this.wagers):
        return []
    if cents is None or staked is None:
        return list(ANYTHING)
    # "in excess of half ... to the next unit that can be wagered in chips, when ... exactly half ... cannot be wagered"
    unit, half = this.setup.insurance_unit, staked / 2
    most = half if half % unit == 0 else (half // unit + 1) * unit
    if cents > most:
        return refused
    return [] if this.insurance == "open" else list(ANYTHING)


def _added(this: BlackjackRound, kind: str, number: int, cents: int | None, bettor: int) -> list[ExpectedFinding]:
    """Add a double's wager, at most the sum; or a split's, equal to it (36.8(a), 36.9(a), 26.9(a), 26.10(a))."""
    box = this.named(number)
    if this.phase != "play" or box is None or box.hand is None or box.dead:
        return list(ANYTHING)
    staked = sum_of(this, STAKED[this.game.name], number, bettor)
    if bettor > 1:
        return _others(this, kind, box, bettor)
    if cents is None or staked is None:
        return list(ANYTHING)
    refused = [find(this.game.book.numbers[kind], "refused")]
    if kind == "double":
        return refused if cents > staked else _unless(this, box.natural or this.unsure(box))
    cards = box.hand.cards
    pair = len(cards) == PAIR and value(cards[0]) == value(cards[1])
    if not pair or this.unsure(box) or box.decided:
        return list(ANYTHING)
    return [] if cents == staked else refused


def _others(this: BlackjackRound, kind: str, box: Box, bettor: int) -> list[ExpectedFinding]:
    """Double at a hand that another calls: only "whenever ... the player calling the decisions decides to" (d)."""
    asked = any(hand.doubled for hand in box.hands) or (box.number, 1, "double") in this.wagers
    own = (box.number, bettor, "first_attack") in this.wagers
    if kind == "double" and not asked and own:
        return [find(BETTORS[this.game.name][1], "refused")]
    return list(ANYTHING)


def _unless(_this: BlackjackRound, silent: bool) -> list[ExpectedFinding]:  # noqa: FBT001  a condition of the text
    return list(ANYTHING) if silent else []


def placed(this: BlackjackRound, kinds: frozenset[str] | set[str], number: int = 0) -> set[tuple[int, int, str]]:
    """Return the wagers of these kinds, of one box or of all."""
    return {key for key in this.wagers if key[2] in kinds and number in {0, key[0]}}
