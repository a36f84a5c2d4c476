"""Second evaluator of 3 Card Blitz hands, written from 13:69F-51 alone: it tries every choice of cards."""

from itertools import combinations

VALUE = {"A": 11, "K": 10, "Q": 10, "J": 10} | {str(pips): pips for pips in range(2, 11)}
BLIND = ("double_blitz", "royal_blitz", "blitz", "total_of_30", "total_of_29", "total_of_28", "total_of_27")
Card = tuple[str, str]


def choices(hand: list[Card]) -> list[tuple[Card, ...]]:
    """Return every choice of one to three cards of one suit (51.5(a))."""
    suits = ([card for card in hand if card[1] == suit] for suit in "CDHS")
    return [some for suited in suits for size in (1, 2, 3) for some in combinations(suited, size)]


def points(hand: list[Card]) -> int:
    return max(sum(VALUE[rank] for rank, _ in some) for some in choices(hand))


def blitzes(hand: list[Card]) -> list[tuple[Card, ...]]:
    """Return every ace with two ten-value cards of its suit (51.1)."""
    return [some for some in choices(hand) if len(some) == 3 and sum(VALUE[rank] for rank, _ in some) == 31]


def is_double(hand: list[Card]) -> bool:
    """Return whether two Blitz combinations in the hand share no card."""
    return any(not set(one) & set(other) for one, other in combinations(blitzes(hand), 2))


def royal_suits(hand: list[Card]) -> list[str]:
    return sorted({some[0][1] for some in blitzes(hand) if {rank for rank, _ in some} == {"A", "K", "Q"}})


def blind(hand: list[Card]) -> str:
    if is_double(hand):
        return "double_blitz"
    if royal_suits(hand):
        return "royal_blitz"
    total = points(hand)
    return {31: "blitz"}.get(total, f"total_of_{total}" if total >= 27 else "total_of_26_or_less")


def flush(hand: list[Card]) -> int:
    """Return the largest number of cards of one suit, 0 where fewer than four win nothing."""
    most = max(sum(suit == other for _, other in hand) for suit in "CDHS")
    return most if most >= 4 else 0


def progressive(hand: list[Card]) -> set[str]:
    names = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    for suit in "CDHS":
        if all((rank, suit) in hand for rank in ("A", "K", "Q", "J", "10")):
            return {"five_card_royal_flush"}
    royals = {f"royal_blitz_{names[suit]}" for suit in royal_suits(hand)}
    if is_double(hand):
        return {"double_blitz"} | royals
    total = points(hand)
    return royals or ({"blitz"} if total == 31 else {"total_of_30"} if total == 30 else set())
