"""Two keys that commute at the table commute in the rules core: no verdict depends on which was keyed first.

Each phase lists keys between which the texts state no order. Not among them are those that a text orders: choices and
decisions from the left (2B.7(f), 36.7(g)), settlements from the right (2.26(e), 51.10(e)), windows (36.7(d), (e)), and
wagers that stand beside another one (36.6(b)).
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden_client.events.outputs import Duty, Irregularity, Outcomes, Refused

CB_SHOE = "game: CB\nboxes: 2\ndevices: shoe, shuffler counts=no\nmode: manual_shoe"
CB_AUTO = "game: CB\nboxes: 2\ndevices: shoe auto, shuffler counts=no"
CB_HAND = "game: CB\nboxes: 2\ndevices: shuffler counts=yes\nmode: hand\ndecks: A red, B blue"
BLACKJACK = {"TAB": "kp.deal", "DAB": "kp.deal", "IB": "kp.no_more_bets", "SH": "kp.deal"}


@dataclass(frozen=True)
class Phase:
    """Keys that commute, with the header of the table, the lines before them, and the lines after them."""

    header: str
    before: tuple[str, ...]
    keys: tuple[str, ...]
    after: tuple[str, ...] = ()


def counts(header: str, stub: int, hands: str) -> Phase:
    """Return the phase in which stub and hands of a completely dealt round are counted."""
    dealt = ("open", "deal") if "hand" not in header else ("open", "kp.boxes 1 2", "kp.no_more_bets")
    return Phase(header, (*dealt, "kp.play 1", "kp.play 2"), (f"kp.stub {stub}", f"kp.hands {hands}"))


def opening(game: str) -> Phase:
    """Return the phase in which devices are inspected and a deck is opened, before any card."""
    tens = 32 if game in {"TAB", "DAB"} else 0
    keys = ("ft.inspect shoe ok", "ft.inspect shuffler ok", "ft.table_open", "kp.dealer d1")
    decks = ("ft.deck_opened A", f"ft.opening A table {tens}", "sf.start A", "sf.done A -")
    return Phase(f"game: {game}\nboxes: 1\ndevices: shoe, shuffler counts=no", (), keys, decks)


PHASES = {
    **{
        f"counts {name} {stub} {hands}": counts(header, stub, hands)
        for name, header in (("shoe", CB_SHOE), ("auto", CB_AUTO), ("hand", CB_HAND))
        for stub in (29, 30, 31, 32)
        for hands in ("7 7 7", "7 8 7", "7 6 7")
    },
    **{f"opening {game}": opening(game) for game in (*BLACKJACK, "CB")},
    "decisions CB": Phase(CB_SHOE, ("open", "deal"), ("kp.play 1", "kp.fold 2"), ("kp.dealer_reveal", "kp.round_end")),
    "after a round from the hand": Phase(
        CB_HAND,
        ("open", "kp.boxes 1 2", "kp.no_more_bets", "kp.play 1", "kp.play 2", "kp.dealer_reveal", "kp.round_end"),
        ("kp.collected A", "sf.start A", "kp.dealer d2"),
        ("sf.done A 52", "kp.boxes 1 2", "kp.no_more_bets", "kp.play 1", "kp.face_up"),
    ),
    "boxes and the last deck": Phase(
        CB_HAND,
        ("open", "kp.boxes 1 2", "kp.no_more_bets", "kp.play 1", "kp.play 2", "kp.dealer_reveal", "kp.round_end"),
        ("kp.collected A", "kp.boxes 1 2"),
        ("kp.no_more_bets", "kp.face_up"),
    ),
    **{
        f"before the deal {game}": Phase(
            f"game: {game}\nboxes: 2",
            ("open",),
            ("kp.boxes 1 2", f"kp.wager {wager} 1 1000", f"kp.wager {wager} 2 1000"),
            ("deal",),
        )
        for game, wager in (("TAB", "first_attack"), ("DAB", "first_attack"), ("IB", "blackjack"), ("SH", "blackjack"))
    },
    **{
        f"new dealer {game}": Phase(
            f"game: {game}\nboxes: 2",
            ("open", "round"),
            ("kp.dealer d2", "kp.boxes 1 2", "kp.wager first_attack 1 1000" if game == "TAB" else "kp.wager ante 1"),
            ("sh.card 4D", start, "sh.card 9C", "sh.card 8C"),
        )
        for game, start in (("TAB", "kp.deal"), ("SH", "kp.deal"))
    },
    "steps of Switch Hands": Phase(
        "game: SH\nboxes: 2",
        ("open", "kp.wager ante 1", "kp.wager ante 2", "deal"),
        ("kp.settled 1 ante", "kp.settled 2 ante"),
        ("kp.choice 1 keep", "kp.choice 2 keep", "kp.hit 1", "sh.card 2C"),
    ),
    "losing insurance": Phase(
        "game: TAB\nboxes: 2",
        (
            "open", "kp.wager first_attack 1 1000", "kp.wager first_attack 2 1000",
            "deal up=A hole=2 b1=9C/8D b2=9H/8S", "kp.open insurance", "kp.wager insurance 1 500",
            "kp.wager insurance 2 500", "kp.close insurance", "kp.bonus_settled 1", "kp.stand 1", "kp.bonus_settled 2",
            "kp.stand 2", "kp.hole_up",
        ),
        ("kp.settled 1 insurance lose", "kp.settled 2 insurance lose"),
        ("kp.dealer_draw", "sh.card 6H"),
    ),
    "wagers at craps": Phase(
        "game: CR",
        ("ft.table_open",),
        ("kp.dice_wager pass", "kp.dice_wager four_hard", "kp.dice_wager dont_pass spot=2"),
        ("kp.dice 4", "kp.dice_settled four_hard win", "kp.dice 4 2 2"),
    ),
}  # fmt: skip

Told = tuple[
    frozenset[tuple[str | None, frozenset[str]]], Counter[str], frozenset[tuple[str, str, str]], frozenset[str]
]


@cache
def told(phase: str, order: tuple[int, ...]) -> Told:
    """Return what holds after the phase with its keys in `order`: verdicts by deck, refusals, outcomes, duties."""
    one = PHASES[phase]
    keys = [one.keys[at] for at in order]
    text = "\n".join((f"title: {phase}", "cites: all", one.header, "---", *one.before, *keys, *one.after, ""))
    played = play_scenario(parse_scenario(text, phase))
    outputs = [output for line in played.judged for step in line.steps for output in step.outputs]
    last = {output.ref: output for output in outputs if isinstance(output, Irregularity)}
    words: dict[str | None, set[str]] = {}
    for case in last.values():
        if case.status in {"open", "acknowledged"}:
            words.setdefault(case.deck, set()).update(case.verdicts)
    for said in words.values():
        if "DECK_OUT" in said:  # A9-2: a deck that leaves is not shuffled
            said.discard("SHUFFLE")
    wagers = {
        (made.hand, made.wager): made.result
        for output in outputs
        if isinstance(output, Outcomes)
        for made in output.wagers
    }
    duties = {output.ref: output for output in outputs if isinstance(output, Duty)}
    return (
        frozenset((deck, frozenset(said)) for deck, said in words.items()),
        Counter(output.catalogue for output in outputs if isinstance(output, Refused)),
        frozenset((hand, wager, result) for (hand, wager), result in wagers.items()),
        frozenset(duty.duty for duty in duties.values() if duty.status != "done"),
    )


@pytest.mark.parametrize("phase", PHASES)
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_order_of_keys_that_commute_changes_no_verdict(phase: str, data: st.DataObject) -> None:
    usual = tuple(range(len(PHASES[phase].keys)))
    order = tuple(data.draw(st.permutations(usual)))
    assert told(phase, order) == told(phase, usual)


def test_the_phases_reach_every_verdict_on_a_deck() -> None:
    said = {
        word for phase in PHASES for _, words in told(phase, tuple(range(len(PHASES[phase].keys))))[0] for word in words
    }
    assert {"VOID", "DECK_OUT", "SHUFFLE", "HOLD"} <= said
