"""Mutation of an honest night into a random sequence: a line left out, repeated, early, or without a reason."""

from dataclasses import replace
from random import Random
from typing import Final

from pitwarden_tools.oracle.blackjack_night import blackjack_night
from pitwarden_tools.oracle.blitz_night import blitz_night
from pitwarden_tools.oracle.coverage import keyed
from pitwarden_tools.oracle.dice_night import dice_night
from pitwarden_tools.oracle.night import Sequence

FAMILY: Final = (
    "kp.face_up", "kp.drawn_in_error exposed", "kp.drawn_in_error unexposed", "kp.refuse 2", "kp.dealer_first_missed",
    "kp.no_cards 2", "kp.one_card 1", "kp.skipped 1", "kp.opt 1 dead", "sh.cut", "sh.empty", "rd.ins", "rd.res no",
    "rd.res bj", "rd.fault jam", "kp.reader_bad", "ft.notified", "ft.recut", "kp.dealer d9", "sf.fault A jam",
    "kp.manual_shuffle A", "kp.cut dealer", "kp.idle_spread", "kp.hole_up", "kp.dealer_draw", "sh.card 5H",
    "sh.card 10S", "sh.card 7D up", "sh.card JKR", "kp.decision 1 hit", "kp.decision 2 double", "kp.decision 1 split",
    "kp.boxes 1 2 3 4 5 6 7", "kp.round_end", "kp.open insurance", "ft.device_removed shuffler", "sh.load A 384",
    "sf.start A", "sh.unload 300",
)  # fmt: skip

EXTRA: Final = {
    "DAB": (*FAMILY, "kp.ten", "sf.done A 383", "kp.decision 1 surrender", "kp.settled 1 first_attack"),
    "SH": (
        *FAMILY, "sf.done A 311", "kp.choice 1 keep", "kp.choice 2 switch", "kp.choice 7 keep", "kp.antes_collected",
        "kp.wager blackjack 1",
    ),
    "IB": (*FAMILY, "sf.done A 311", "kp.ib_settled", "kp.wager ib 1", "kp.wager ib 2"),
    "TAB": (
        "kp.face_up", "kp.ten", "kp.drawn_in_error exposed", "kp.drawn_in_error unexposed", "kp.refuse 2",
        "kp.dealer_first_missed", "kp.skipped 1", "kp.opt 1 dead", "sh.cut", "sh.empty", "rd.ins", "rd.res no",
        "rd.res bj", "rd.fault jam", "kp.reader_bad", "ft.notified", "ft.recut", "kp.dealer d9", "sf.fault A jam",
        "kp.manual_shuffle A", "kp.cut dealer", "kp.idle_spread", "kp.hole_up", "kp.dealer_draw", "sh.card 5H",
        "sh.card 10S", "sh.card 7D up", "sh.card JKR", "kp.decision 1 hit", "kp.decision 2 double",
        "kp.decision 1 split", "kp.boxes 1 2 3 4 5 6 7", "kp.round_end", "kp.open insurance",
        "ft.device_removed shuffler", "sh.load A 384", "sf.start A", "sf.done A 383", "sh.unload 300",
    ),
    "CB": (
        "kp.face_up", "kp.drawn_in_error unexposed", "kp.drawn_in_error exposed", "sh.fault jam", "sh.empty",
        "sf.fault A jam", "kp.manual_shuffle A", "kp.cut dealer", "ft.recut", "kp.idle_spread", "kp.hands 7 7 7",
        "kp.hands 7 8 7", "kp.hands 7 6 8", "kp.stub 31", "kp.stub 30", "kp.stub 38", "kp.collected A",
        "kp.collected B", "kp.dealer_reveal", "kp.round_end", "kp.mode manual_shoe", "kp.mode hand", "kp.boxes 1 2 3",
        "ft.device_removed shoe", "ft.device_removed shuffler", "sh.load A 52", "sf.start A", "sf.done A 51",
        "kp.decision 1 fold", "kp.decision 5 play", "kp.reveal 1",
    ),
}  # fmt: skip
"""Lines without a reason."""

MUTATIONS: Final = (0, 0, 1, 1, 2, 3)
WILD_MUTATIONS: Final = (0, 1, 2, 3, 4, 6)


def sequence(game: str, seed: int, index: int, *, wild: bool = False) -> Sequence:
    """Return the sequence `index` of `seed`: always the same.

    `wild`: more mutations, and decks that come preshuffled.
    """
    rng = Random(f"{game} {seed} {index}")
    made = night(game, rng, wild=wild)
    if game == "CR":
        return made
    lines = list(made.lines)
    opening = made.opening
    mutations = rng.choice(WILD_MUTATIONS if wild else MUTATIONS)
    for _ in range(mutations):
        first = 0 if rng.random() < (0.2 if wild else 0.1) else opening
        at = rng.randrange(first, max(first + 1, len(lines)))
        mutate(rng, game, lines, min(at, len(lines) - 1))
    setup = replace(made.setup, keyed=keyed(game, rng))
    if setup.keyed is not None:
        lines = [line for line in lines if not line.startswith("kp.") or line.split()[0] in setup.keyed]
    return Sequence(setup, tuple(lines), opening, honest=made.honest and not mutations)


def night(game: str, rng: Random, *, wild: bool = False, by_hand: bool = False) -> Sequence:
    """Return a night of `game` before any mutation."""
    match game:
        case "CB":
            return blitz_night(rng, wild=wild, by_hand=by_hand)
        case "CR":
            return dice_night(rng)
        case _:
            return blackjack_night(game, rng, wild=wild)


def mutate(rng: Random, game: str, lines: list[str], at: int) -> None:
    """Leave out, repeat or exchange a line, make a card a found one, or insert a line without a reason."""
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2 if at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        case 3 if lines[at].startswith("sh.card") and "up" not in lines[at]:
            lines[at] = rng.choice(
                (f"{lines[at]} up", "sh.card 10D", "sh.card 10H up")[: 3 if game in {"TAB", "DAB"} else 1]
            )
        case _:
            lines.insert(at, rng.choice(EXTRA[game]))
