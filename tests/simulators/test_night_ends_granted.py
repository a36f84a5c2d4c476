"""After any night, the floor brings the table to new cards and a granted permit: no irregularity stays open."""

from dataclasses import replace
from typing import Final

import pytest

from pitwarden.rules import step
from pitwarden.rules.engine.permit import deal_permit
from pitwarden.rules.state.entry import LogEntry
from pitwarden_client.events.floor import FtSettleNote
from pitwarden_client.events.inputs import InputLogged
from pitwarden_tools.oracle.command import GAMES
from pitwarden_tools.oracle.core import PACE_MS, START_MS, Cores, JudgingCore
from pitwarden_tools.oracle.mutation import sequence
from pitwarden_tools.oracle.said import Setup

SEQUENCES: Final = 60
RULED: Final = (
    "ft.notified",
    "ft.reader_visible yes",
    "ft.ten_destroyed",
    "ft.ten_destroyed",
    "kp.mixed",
    "kp.round_end",
)
NEW: Final = (("X", "green"), ("Y", "yellow"))


def note(core: JudgingCore) -> None:
    """Rule on all that is open; a ruling that clears nothing is refused."""
    for case in [case for case in core.state.cases if case.live]:
        core.lines, core.rows = core.lines + 1, core.rows + 1
        at = core.lines * PACE_MS
        act = FtSettleNote(irregularity=case.said.ref, ruling="looked at")
        data = InputLogged(
            role="supervisor", terminal="pit", person="s1", input_id=f"n{core.rows}", as_of=None, act=act
        )
        core.state, _ = step(core.state, LogEntry(core.state.epoch, core.rows, at, START_MS + at, "field", data))


def put_right(core: JudgingCore, setup: Setup) -> None:
    """Act as the floor: rule, inspect, have the decks returned, open others, have them shuffled and loaded."""
    for line in RULED:
        note(core)
        core.advance(line)
    core.advance(f"kp.mode {setup.mode}")
    for device in core.state.devices:
        if not device.on_table:
            core.advance(f"ft.device_installed {device.ident}")
        core.advance(f"ft.inspect {device.ident} ok")
    core.advance("sh.unload")
    full, old = core.state.setup.profile.total, [deck.ident for deck in core.state.decks]
    old = old or [name for name, *_ in setup.decks]
    for deck in old:
        core.advance(f"ft.deck_returned {deck}")
    for deck, colour in NEW[: len(old)]:
        core.advance(f"ft.deck_opened {deck} {colour}")
        core.advance(f"ft.opening {deck} table 0")
        for line in (
            ("sf.start {}", "sf.done {} " + str(full)) if setup.shuffler else ("kp.manual_shuffle {}", "kp.cut dealer")
        ):
            core.advance(line.format(deck))
    core.advance(f"sh.load X {full}")
    note(core)


@pytest.mark.parametrize("game", GAMES.values())
def test_new_cards_and_the_floors_rulings_clear_whatever_a_night_left(game: str) -> None:
    cores, left = Cores(), []
    for index in range(SEQUENCES):
        night = sequence(game, 3, index, wild=True)
        core = cores.opened(replace(night.setup, keyed=None), night.lines[: night.opening])
        for line in night.lines[night.opening :]:
            core.advance(line)
        put_right(core, night.setup)
        left += [(index, reason) for reason in deal_permit(core.state).reasons]
    assert left == []
