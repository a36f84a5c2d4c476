"""Corners of the blackjack family: keyed wagers, single settlements, voids dealt on, the reader, misread 10s."""

from random import Random
from typing import Final

from pitwarden_tools.oracle.corner_keys import key
from pitwarden_tools.oracle.games import GAMES
from pitwarden_tools.oracle.said import Setup

STAKES: Final = (500, 1_000, 2_000)
RESULTS: Final = ("returned", "returned", "lose", "win", "push", "half")
FIRST: Final = {"TAB": "first_attack", "DAB": "first_attack", "SH": "blackjack", "IB": "blackjack"}
FEW: Final = 4
"""Lines of a round that has hardly begun."""
BONUSES: Final = ("suited_royals", "triple_match")


def rounds(lines: list[str], opening: int) -> list[tuple[int, int]]:
    """Return each round as the places of its boxes and of its end."""
    starts = [at for at in range(opening, len(lines)) if lines[at].startswith("kp.boxes")]
    ends = [at for at in range(opening, len(lines)) if lines[at] == "kp.round_end"]
    return [(start, next((end for end in ends if end > start), len(lines) - 1)) for start in starts]


def boxes_of(line: str) -> list[int]:
    """Return the boxes of a `kp.boxes`."""
    return [int(word) for word in line.split()[1:]]


def wagers(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Key the wagers of each round in their windows, some of them too high, too late, or of another bettor."""
    first = -1
    slips = rng.choice((0.0, 0.15))
    for start, end in reversed(rounds(lines, opening)):
        kept = {box: rng.choice(STAKES) for box in boxes_of(lines[start])}
        made = [piece for at in range(start, end + 1) for piece in _with_wagers(rng, setup, lines[at], kept, slips)]
        before = [line for box, stake in kept.items() for line in _before(rng, setup, box, stake, slips)]
        lines[start : end + 1] = [*before, *made]
        first = start
    return first


def _before(rng: Random, setup: Setup, box: int, stake: int, slips: float) -> list[str]:
    game = setup.game
    made = [f"kp.wager {FIRST[game]} {box} {stake}"]
    if game == "TAB":
        most = 2 * stake if rng.random() < slips else min(500, stake)
        made += [f"kp.wager {bonus} {box} {most}" for bonus in BONUSES if rng.random() < 0.3]  # noqa: PLR2004  some
    if game == "IB" and rng.random() < 0.5:  # noqa: PLR2004  half
        made.append(f"kp.wager ib {box} 500")
    if rng.random() < slips:
        made.append(f"kp.wager {FIRST[game]} {box} 500 bettor={rng.choice((2, 3, 4))}")
    if game == "TAB" and rng.random() < slips:
        made.append(f"kp.wager suited_royals {box} 500 bettor=3")
    if rng.random() < slips:
        rng.shuffle(made)
    return made


def _with_wagers(rng: Random, setup: Setup, line: str, kept: dict[int, int], slips: float) -> list[str]:
    words = line.split()
    above = 2 if rng.random() < slips else 1
    if words[0] == "kp.close" and words[1] in {"attack2", "attack3", "doubleattack"}:
        boxes = [box for box in kept if rng.random() < 0.5]  # noqa: PLR2004  half
        placed = [f"kp.wager {words[1]} {box} {above * kept[box]}" for box in boxes]
        return [line, *placed] if rng.random() < slips else [*placed, line]
    if line == "kp.close insurance":
        boxes = [box for box in kept if rng.random() < 0.4]  # noqa: PLR2004  some
        placed = [f"kp.wager insurance {box} {(above**3) * kept[box] // 2}" for box in boxes]
        return [line, *placed] if rng.random() < slips else [*placed, line]
    if words[0] == "kp.decision" and words[2] in {"double", "split"} and rng.random() < 0.6:  # noqa: PLR2004  most
        stake = kept.get(int(words[1]), STAKES[0])
        added = rng.choice((stake, stake, 2 * stake, stake // 2, 10 * stake))
        other = [f"kp.wager {words[2]} {words[1]} 500 bettor=2"] if rng.random() < slips else []
        return [f"kp.wager {words[2]} {words[1]} {added}", line, *other]
    if rng.random() < slips / 8 and line.startswith("sh.card"):
        return [line, f"kp.wager {rng.choice((*BONUSES, FIRST[setup.game], 'insurance', 'attack2'))} 1 500"]
    return [line]


def settled_singly(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Settle the bonuses, insurance or in-between wagers of a round one by one, instead of by the key for all."""
    at = key(rng, lines, opening, "kp.bonus_settled", "kp.insurance_settled", "kp.ib_settled")
    if at < 0:
        return -1
    words = lines[at].split()
    if words[0] == "kp.bonus_settled":
        made = [f"kp.settled {words[1]} {bonus} {rng.choice(('win', 'lose'))}" for bonus in BONUSES]
    else:
        kind = "insurance" if words[0] == "kp.insurance_settled" else "ib"
        made = [f"kp.settled {box} {kind} lose" for box in range(setup.positions, 0, -1)]
    lines[at : at + 1] = made
    return at


def void_dealt_on(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Void a round by found cards, or by misuse of the reader, deal on for some lines, and settle."""
    spans = [span for span in rounds(lines, opening) if span[1] - span[0] > 3]  # noqa: PLR2004  any deal
    if not spans:
        return -1
    start, end = rng.choice(spans)
    at = rng.randint(start + 2, end)
    misuse = setup.reader and rng.random() < 0.3  # noqa: PLR2004  some
    ten = GAMES[setup.game].ends and rng.random() < 0.4  # noqa: PLR2004  some
    card = ["sh.card 10C", "ft.ten_destroyed"] if ten else ["sh.card 5C up"]
    void = ["rd.ins", "rd.res no", "ft.notified"] if misuse else [*card, *card]
    on = lines[at : min(end, at + rng.choice((0, 0, 1, 2, 4)))]
    lines[at:end] = [*void, *on, *_settlements(rng, setup, boxes_of(lines[start]))]
    return at


def _settlements(rng: Random, setup: Setup, boxes: list[int]) -> list[str]:
    kinds = [FIRST[setup.game], "insurance", *(BONUSES if setup.game == "TAB" else ("doubleattack",))]
    return [f"kp.settled {box} {rng.choice(kinds)} {rng.choice(RESULTS)}" for box in boxes for _ in range(2)]


def settled_at_the_end(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Settle wagers before a round's end, with any result."""
    spans = rounds(lines, opening)
    if not spans:
        return -1
    start, end = rng.choice(spans)
    lines[end:end] = _settlements(rng, setup, boxes_of(lines[start]))
    return end


def reader_early(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Use the reader before there is a hole card (36.7(k))."""
    spans = rounds(lines, opening)
    if not setup.reader or not spans:
        return -1
    start, end = rng.choice(spans)
    at = min(end, start + rng.randint(2, 9))
    lines[at:at] = ["rd.ins", f"rd.res {rng.choice(('no', 'bj'))}"]
    return at


def reader_fails(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Let the reader fail, and use it all the same, or after the floorperson inspected it (36.14(m))."""
    if not setup.reader:
        return -1
    at = key(rng, lines, opening, "rd.res", "kp.decision", "kp.hole_up", "kp.dealt")
    if at < 0:
        return -1
    replaced = lines[at].startswith("rd.res")
    back = key(rng, lines, at, "kp.round_end", "kp.boxes", "sh.card")
    if rng.random() < 0.4 and back > at:  # noqa: PLR2004  some
        lines.insert(back, "ft.inspect reader ok")
    lines[at : at + replaced] = [rng.choice(("rd.fault hardware", "kp.reader_bad"))]
    return at


def answer_wrong(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Let the reader answer what the hole card contradicts (36.14(m))."""
    at = key(rng, lines, opening, "rd.res")
    if at >= 0:
        lines[at] = "rd.res no" if lines[at].endswith("bj") else "rd.res bj"
    return at


def ten_refuted(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Misread a card as a 10, which the floorperson refutes; perhaps after a real one (36.14(b))."""
    at = key(rng, lines, opening, "sh.card")
    if at < 0 or GAMES[setup.game].tens:
        return -1
    real = ["sh.card 10C", "ft.ten_destroyed"] if rng.random() < 0.4 else []  # noqa: PLR2004  some
    lines[at : at + 1] = [*real, "sh.card 10D", "ft.ten_refuted"]
    return at


def void_refuted(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Let a second 10 void the round, deal on, and refute it: the round continues with the cards that were dealt."""
    spans = [span for span in rounds(lines, opening) if span[1] - span[0] > FEW]
    if not spans or GAMES[setup.game].tens:
        return -1
    start, end = rng.choice(spans)
    at = rng.randint(start + 2, end - 1)
    on = rng.choice((0, 1, 2, 3))
    lines[min(end, at + on) : min(end, at + on)] = ["ft.ten_refuted"]
    lines[at:at] = ["sh.card 10C", "ft.ten_destroyed", "sh.card 10D"]
    return at


def caller_has_none(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Let another bettor of a box place an attack wager, with or without the player who calls (36.12(e), 26.13(e))."""
    closed = [at for at in range(opening, len(lines)) if lines[at].startswith("kp.close") and "attack" in lines[at]]
    if not closed:
        return -1
    at = rng.choice(closed)
    start = max((one for one, end in rounds(lines, opening) if one < at), default=-1)
    if start < 0:
        return -1
    window, boxes = lines[at].split()[1], boxes_of(lines[start])
    box, caller = rng.choice(boxes), rng.random() < 0.4  # noqa: PLR2004  some
    placed = [f"kp.wager {window} {box} 500 bettor=2", *([f"kp.wager {window} {box} 500"] if caller else [])]
    lines[at:at] = placed
    lines[start:start] = [f"kp.wager {FIRST[setup.game]} {box} 500", f"kp.wager {FIRST[setup.game]} {box} 500 bettor=2"]
    return start


def turned_early(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Turn the hole card before the decisions, with a blackjack in it or not, and deal on (36.7(i), (k))."""
    at = key(rng, lines, opening, "kp.dealt")
    if at < 0:
        return -1
    start = max((one for one, end in rounds(lines, opening) if one < at), default=-1)
    cards = [place for place in range(max(start, 0), at) if lines[place].startswith("sh.card")]
    boxes = boxes_of(lines[start]) if start >= 0 else []
    ups = {"TAB": len(boxes), "DAB": 0, "IB": len(boxes), "SH": 3 * len(boxes)}[setup.game]
    if not cards or ups >= len(cards):
        return -1
    lines[cards[ups]], lines[cards[-1]] = "sh.card KH", "sh.card AS"
    if rng.random() < 0.3:  # noqa: PLR2004  some
        lines[cards[-1]] = "sh.card 7S"
    lines[at + 1 : at + 1] = ["kp.hole_up", "kp.hole_up", f"kp.decision {boxes[0]} hit", "sh.card 2D"]
    return at


def counted_elsewhere(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Let the shuffler count all cards of the set that the shoe is dealing."""
    at = key(rng, lines, opening, "sh.card")
    if at < 0 or not setup.shuffler or not setup.counts:
        return -1
    lines[at:at] = ["sf.start A", f"sf.done A {GAMES[setup.game].pack(setup.in_set)}"]
    return at


BLACKJACK_CORNERS: Final = {
    "keyed wagers": wagers, "settled one by one": settled_singly, "void dealt on": void_dealt_on,
    "settled at the end": settled_at_the_end, "reader without a hole card": reader_early,
    "reader used after it failed": reader_fails, "answer contradicted": answer_wrong, "10 refuted": ten_refuted,
    "shuffler counts the set that is dealt": counted_elsewhere, "void refuted": void_refuted,
    "attack wager without the caller's": caller_has_none, "hole card turned early": turned_early,
}  # fmt: skip
