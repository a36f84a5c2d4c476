"""Corners of 3 Card Blitz: decks exchanged in mid-deal, cards that never come back, counts, keyed wagers, voids."""

from random import Random
from typing import Final

from pitwarden_tools.oracle.corner_blackjack import boxes_of, rounds
from pitwarden_tools.oracle.corner_keys import key
from pitwarden_tools.oracle.said import Setup

FULL: Final = 52
HAND: Final = 7
RESULTS: Final = ("returned", "returned", "lose", "win", "push")
KINDS: Final = ("ante", "blind", "play", "flush_bonus", "progressive")
DRAWN: Final = ("sh.card", "sh.stack")


def _mid_deal(rng: Random, lines: list[str], opening: int) -> tuple[int, int]:
    """Return the place of a card of a deal, not the first of it, and the cards that left since the load; (-1, 0)."""
    at = key(rng, lines, opening, *DRAWN)
    if at <= 0 or not lines[at - 1].startswith(DRAWN):
        return -1, 0
    out = 0
    for line in reversed(lines[:at]):
        if line.startswith("sh.load"):
            break
        out += 1 if line.startswith("sh.card") else int(line.split()[1]) if line.startswith("sh.stack") else 0
    return at, out


def deck_exchanged(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Take the stub out in mid-deal, and load another deck, or a whole one of the same name."""
    at, out = _mid_deal(rng, lines, opening)
    if at < 0:
        return -1
    deck = rng.choice(setup.decks)[0]
    lines[at:at] = [f"sh.unload {FULL - out}", f"sh.load {deck} {FULL}"]
    return at


def counted_elsewhere(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Let the shuffler count 52 of the deck that is being dealt."""
    at, _ = _mid_deal(rng, lines, opening)
    if at < 0 or not setup.shuffler or not setup.counts:
        return -1
    loaded = [line.split()[1] for line in lines[:at] if line.startswith("sh.load")]
    lines[at:at] = [f"sf.start {loaded[-1]}", f"sf.done {loaded[-1]} {FULL}"]
    return at


def given_back_wrong(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Let the automated shoe give back another number of cards than it holds, before or after the round's end."""
    at = key(rng, lines, opening, "sh.unload")
    if at < 0:
        return -1
    line = f"sh.unload {max(0, int(lines[at].split()[1]) + rng.choice((-2, -1, 1)))}"
    lines.pop(at)
    end = next((there for there in range(at, len(lines)) if lines[there] == "kp.round_end"), at)
    lines.insert(end + 1 if rng.random() < 0.5 else at, line)  # noqa: PLR2004  half
    return at


def jam(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Jam the automated shoe in mid-deal; not all of its cards come back (51.12(d))."""
    at, out = _mid_deal(rng, lines, opening)
    if at < 0 or setup.mode != "auto_shoe":
        return -1
    end = next((there for there in range(at, len(lines)) if lines[there] == "kp.round_end"), len(lines))
    back = FULL - out - rng.choice((0, 0, 1, 2))
    lines[at:end] = [f"sh.fault {rng.choice(('jam', 'stopped', 'short'))}", f"sh.unload {back}"]
    return at


def counts(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Count stub and hands, in either order, right or wrong (51.7(e)2)."""
    spans = rounds(lines, opening)
    if not spans:
        return -1
    start, end = rng.choice(spans)
    at = next((there for there in range(start, end) if lines[there] == "kp.dealer_reveal"), end)
    hands = len(boxes_of(lines[start])) + 1
    stub, held = FULL - HAND * hands + rng.choice((0, 0, -1, 1)), [HAND] * hands
    if rng.random() < 0.6:  # noqa: PLR2004  most
        held[rng.randrange(hands)] += rng.choice((-1, 1))
    made = [f"kp.stub {stub}", f"kp.hands {' '.join(map(str, held))}"]
    rng.shuffle(made)
    lines[at:at] = made[: rng.choice((1, 2, 2))]
    return at


def wagers(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Key the wagers of each round, some of them alone, late, unequal, or of another amount."""
    first, slips = -1, rng.choice((0.0, 0.15))
    for start, end in reversed(rounds(lines, opening)):
        before, stakes = list[str](), dict[int, int]()
        for box in boxes_of(lines[start]):
            stakes[box] = rng.choice((500, 1_000))
            made = [f"kp.wager ante {box} {stakes[box]}", f"kp.wager blind {box} {stakes[box]}"]
            made += [f"kp.wager flush_bonus {box} 500"] if rng.random() < 0.3 else []  # noqa: PLR2004  some
            jackpot = 500 if rng.random() >= slips else 700
            made += [f"kp.wager progressive {box} {jackpot}"] if rng.random() < 0.3 else []  # noqa: PLR2004  some
            rng.shuffle(made)
            before += [line for line in made if rng.random() >= slips / 2]
        held = [piece for at in range(start, end + 1) for piece in _during(rng, lines[at], stakes, slips)]
        lines[start : end + 1] = [*before, *held]
        first = start
    return first


def _during(rng: Random, line: str, stakes: dict[int, int], slips: float) -> list[str]:
    words = line.split()
    if words[0] == "kp.decision" and rng.random() < 0.5:  # noqa: PLR2004  half
        stake = stakes.get(int(words[1]), 500) * (2 if rng.random() < slips else 1)
        return [f"kp.wager play {words[1]} {stake}", line] if words[2] == "play" or rng.random() < slips else [line]
    if words[0] in {"kp.no_more_bets", *DRAWN} and rng.random() < slips / 2:
        return [line, f"kp.wager {rng.choice(KINDS)} {rng.randint(1, 6)} 500"]
    return [line]


def void_settled(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Void a round, deal on for some lines, and settle (51.12)."""
    spans = [span for span in rounds(lines, opening) if span[1] - span[0] > 3]  # noqa: PLR2004  any deal
    if not spans:
        return -1
    start, end = rng.choice(spans)
    at, hands = rng.randint(start + 2, end), len(boxes_of(lines[start])) + 1
    void = {
        "manual_shoe": ["sh.card 5C up"],
        "auto_shoe": ["sh.stack 8"],
        "hand": [rng.choice(("kp.face_up", f"kp.hands 8 {' '.join(['7'] * (hands - 1))}"))],
    }[setup.mode]
    if rng.random() < 0.3:  # noqa: PLR2004  some
        void = [f"kp.hands 6 {' '.join(['7'] * (hands - 1))}"]
    on = lines[at : min(end, at + rng.choice((0, 0, 1, 2, 4)))]
    lines[at:end] = [*void, *on, *_settlements(rng, boxes_of(lines[start]))]
    return at


def _settlements(rng: Random, boxes: list[int]) -> list[str]:
    return [f"kp.settled {box} {rng.choice(KINDS)} {rng.choice(RESULTS)}" for box in boxes for _ in range(2)]


def settled_at_the_end(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Settle wagers before a round's end, with any result: Play of a folded hand, too."""
    spans = rounds(lines, opening)
    if not spans:
        return -1
    start, end = rng.choice(spans)
    lines[end:end] = _settlements(rng, boxes_of(lines[start]))
    return end


def never_turned(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Leave a hand, or the dealer's, face down to the end of the round (51.10(d), (e)1)."""
    at = key(rng, lines, opening, "kp.reveal", "kp.reveal", "kp.dealer_reveal")
    if at >= 0:
        del lines[at]
    return at


def not_shuffled(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Leave out the shuffle after a round, or after each one (51.4(a))."""
    at = key(rng, lines, opening, "sf.start")
    if at < 0:
        return -1
    each = rng.random() < 0.5  # noqa: PLR2004  half
    gone = ("sf.start", "sf.done", "sf.fault")
    kept = [line for there, line in enumerate(lines) if there < at or not line.startswith(gone) or not each]
    if not each:
        del kept[at : at + 2]
    lines[:] = kept
    return at


BLITZ_CORNERS: Final = {
    "deck exchanged in mid-deal": deck_exchanged, "shuffler counts the deck that is dealt": counted_elsewhere,
    "wrong number given back": given_back_wrong, "jam whose cards never return": jam, "stub and hands": counts,
    "keyed wagers": wagers, "void settled": void_settled, "settled at the end": settled_at_the_end,
    "hand never turned": never_turned, "not shuffled": not_shuffled,
}  # fmt: skip
