"""Rounds of 3 Card Blitz and their outcomes by 51.5, 51.10(d), (e) and 51.11."""

from random import Random
from typing import Final

from pitwarden_tools.outcomes.rounds import RANKS, PlayedRound
from pitwarden_tools.outcomes.texts import EVEN, blind, blitz_total, flush_bonus, progressive

_HAND: Final = 7
_ROUNDS: Final = 12
_RICH: Final = ("A", "K", "Q", "J", "10")


def blitz_rounds(rng: Random) -> tuple[list[str], list[PlayedRound]]:
    """Return the header of a random table, and some rounds with a shuffle after each."""
    tables = {"blind": rng.choice("123"), "flush_bonus": rng.choice("12")}
    header = ["title: random rounds", "game: CB", "devices: shoe auto, shuffler"]
    header.append(f"pay: {', '.join(f'{wager} {table}' for wager, table in tables.items())}")
    return header, [_round(rng, tables) for _ in range(_ROUNDS)]


def _hands(rng: Random, hands: int) -> list[list[str]]:
    """Return random hands; at times the first are made of high cards of two suits, so that rare lines occur."""
    cards = [f"{name}{suit}" for name in RANKS for suit in "SHDC"]
    rng.shuffle(cards)
    if rng.random() < 0.3:  # noqa: PLR2004  in some rounds
        suits = rng.sample("SHDC", 2)
        cards.sort(key=lambda card: (card[-1] in suits and card[:-1] in _RICH) + 0.9 * rng.random())
    return [[cards.pop() for _ in range(_HAND)] for _ in range(hands)]


def _round(rng: Random, tables: dict[str, str]) -> PlayedRound:
    made, keyed = PlayedRound(), rng.random() < 0.6  # noqa: PLR2004  most tables key
    boxes = rng.choice((1, 2, 3, 6))
    *hands, dealer = _hands(rng, boxes + 1)
    bonus: dict[int, list[str]] = {}
    for box in range(1, boxes + 1):
        chosen = ("flush_bonus", "progressive")
        bonus[box] = [wager for wager in chosen if rng.random() < 0.6] if keyed else [*chosen]  # noqa: PLR2004  most boxes
        if keyed:
            made.key(f"kp.wager ante {box}", f"kp.wager blind {box}", *(f"kp.wager {one} {box}" for one in bonus[box]))
    made.key(f"kp.boxes 1-{boxes}", "kp.no_more_bets")
    made.key(*(f"sh.stack {_HAND} {' '.join(hand)}" for hand in (*hands, dealer)))
    folded = {box for box in range(1, boxes + 1) if rng.random() < 0.2}  # noqa: PLR2004  some fold
    for box in range(1, boxes + 1):
        made.key(f"kp.{'fold' if box in folded else 'play'} {box}")
    made.key(f"sh.unload {52 - _HAND * (boxes + 1)}", "kp.dealer_reveal")
    for box in range(boxes, 0, -1):
        if box not in folded or (keyed and bonus[box]):
            made.key(f"kp.reveal {box}")
            _bonuses(made, box, hands[box - 1], bonus[box], tables)
        if box in folded:
            for wager in ("ante", "blind"):
                made.wagered(f"box{box}", wager, "lose")
        else:
            _compared(made, f"box{box}", (hands[box - 1], dealer), tables)
    made.key("kp.round_end", "shuffle")
    return made


def _bonuses(made: PlayedRound, box: int, hand: list[str], wagers: list[str], tables: dict[str, str]) -> None:
    for wager in wagers:
        pays = progressive(hand) if wager == "progressive" else flush_bonus(hand, tables[wager])
        made.wagered(f"box{box}", wager, "win" if pays else "lose", pays)


def _compared(made: PlayedRound, name: str, hands: tuple[list[str], list[str]], tables: dict[str, str]) -> None:
    mine, theirs = map(blitz_total, hands)
    result = "push" if mine == theirs else "win" if mine > theirs else "lose"
    for wager in ("ante", "play"):
        made.wagered(name, wager, result, EVEN)
    pays = blind(hands[0], tables["blind"])
    made.wagered(name, "blind", "push" if result == "win" and pays == "push" else result, pays)
