"""The campaign in short: a night under faults is right, and each wrong that it looks for would be seen."""

import asyncio
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.device import CommandName, ShoeCard
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity, Reveal
from pitwarden_client.events.table import CommandAccepted
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_tools.campaign.command import COMMAND, closing
from pitwarden_tools.campaign.night import NightResult, PlayedNight, played_out
from pitwarden_tools.campaign.schedule import KINDS, counted, nights
from pitwarden_tools.campaign.stored import Stored, audited
from pitwarden_tools.campaign.verdict import wrongs
from testkit.brokers.mosquitto import mosquitto

SHORT = ("kill_field", "unplug_mid_frame", "rows_again")


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_a_night_under_faults_is_right_and_what_is_wrong_is_seen(tmp_path: Path) -> None:
    [plan] = nights(5, len(SHORT), [kind for kind in KINDS if kind.name in SHORT])
    played = await played_out(plan, mosquitto(), tmp_path / "night")
    assert (played.faults, played.wrong) == (len(SHORT), ())
    assert not list(wrongs(played.table, played.stored))
    assert not await audited(played.table)
    for plant, said in PLANTED:
        assert any(said in wrong for wrong in _after(plant, played)), plant.__name__
    await asyncio.get_running_loop().shutdown_default_executor()  # the campaign starts brokers in threads


def _after(plant: Callable[[PlayedNight], Stored | None], played: PlayedNight) -> list[str]:
    """Return what is found wrong once `plant` has changed the truth, or the content of the journals."""
    table = replace(
        played.table,
        truth=dict(played.table.truth),
        accepted=dict(played.table.accepted),
        heard=dict(played.table.heard),
    )
    changed = plant(replace(played, table=table))
    return list(wrongs(table, changed or played.stored))


def _device_rows(stored: Stored) -> list[LogEvent]:
    return [row for row in stored.rows if row.devicecounter]


def lost_event(played: PlayedNight) -> Stored:
    gone = _device_rows(played.stored)[20]
    return replace(played.stored, rows=tuple(row for row in played.stored.rows if row is not gone))


def doubled_event(played: PlayedNight) -> Stored:
    return replace(played.stored, rows=(*played.stored.rows, _device_rows(played.stored)[20]))


def swapped_events(played: PlayedNight) -> Stored:
    rows = list(played.stored.rows)
    shoe = [place for place, row in enumerate(rows) if row.devicecounter and row.source.endswith("/shoe")]
    rows[shoe[3]], rows[shoe[4]] = rows[shoe[4]], rows[shoe[3]]
    return replace(played.stored, rows=tuple(rows))


def lost_input(played: PlayedNight) -> None:
    played.table.accepted["c-9999"] = "kp.deal"


def hostile_input(played: PlayedNight) -> None:
    played.table.accepted.popitem()


def hostile_order(played: PlayedNight) -> Stored:
    return _with_order(played.stored, "hostile-1", "report_count")


def lock_in_a_round(played: PlayedNight) -> Stored:
    return _with_order(played.stored, "lock-1", "lock")


def _with_order(stored: Stored, ident: str, command: CommandName) -> Stored:
    """Accept a command after the first `kp.boxes`."""
    rows = list(stored.rows)
    begun = next(n for n, r in enumerate(rows) if isinstance(r.data, InputLogged) and r.data.act.act == "kp.boxes")
    at = Position(epoch="e", number=1)
    order = CommandAccepted(device="shoe", request=ident, command=command, as_of=at)
    rows.insert(begun + 1, rows[begun].model_copy(update={"data": order}))
    return replace(stored, rows=tuple(rows))


def another_card(played: PlayedNight) -> None:
    where = next(key for key, said in played.table.truth.items() if isinstance(said, PlainCard))
    card = played.table.truth[where]
    if isinstance(card, PlainCard):
        played.table.truth[where] = replace(card, face=Secret((card.face.value + 1) % 52))


def broken_seal(played: PlayedNight) -> Stored:
    rows = list(played.stored.rows)
    one, other = [place for place, row in enumerate(rows) if isinstance(row.data, ShoeCard)][:2]
    rows[one] = rows[one].model_copy(update={"data": rows[other].data})
    return replace(played.stored, rows=tuple(rows))


def false_reveal(played: PlayedNight) -> Stored:
    outputs = list(played.stored.outputs)
    place = next(place for place, output in enumerate(outputs) if isinstance(output.data, Reveal))
    told = outputs[place].data
    face = "2C" if isinstance(told, Reveal) and told.face != "2C" else "3C"
    outputs[place] = outputs[place].model_copy(update={"data": told.model_copy(update={"face": face})})
    return replace(played.stored, outputs=tuple(outputs))


def invented_verdict(played: PlayedNight) -> Stored:
    case = Irregularity(
        ref="i1", catalogue="TAB-36", clauses=(), verdicts=("VOID",), basis="text", status="open", actor="dealer",
        clears="", sentence="",
    )  # fmt: skip
    last = played.stored.outputs[-1]
    said = last.model_copy(update={"data": case})
    return replace(played.stored, outputs=(*played.stored.outputs, said))


def verdict_on_no_row(played: PlayedNight) -> Stored:
    stored = invented_verdict(played)
    said = stored.outputs[-1].model_copy(update={"tableseq": 10**9})
    return replace(stored, outputs=(*stored.outputs[:-1], said))


def foreign_verdict(played: PlayedNight) -> None:
    topics = played.table.topics
    body = next(payload for topic, payload in played.table.heard if topic == topics.reveals)
    said = decode(OutputEvent, body)
    played.table.heard[topics.reveals, encode(said.model_copy(update={"logms": 1}))] = None


def leaked_face(played: PlayedNight) -> None:
    topics = played.table.topics
    played.table.heard[topics.irregularities.replace("irregularities", "status/x"), b'{"face":"AS"}'] = None


PLANTED: list[tuple[Callable[[PlayedNight], Stored | None], str]] = [
    (lost_event, "lost: event"),
    (doubled_event, "counted twice: event"),
    (swapped_events, "another order"),
    (lost_input, "lost: the accepted input"),
    (hostile_input, "an input nobody heard of"),
    (hostile_order, "obeyed a hostile command"),
    (lock_in_a_round, "locks a shoe in a round"),
    (another_card, "another card than the device sensed"),
    (broken_seal, "does not open"),
    (false_reveal, "is not what was drawn"),
    (invented_verdict, "a verdict is invented"),
    (verdict_on_no_row, "was judged, and is not in the log"),
    (foreign_verdict, "never committed"),
    (leaked_face, "leaked"),
]


def test_the_same_seed_plans_the_same_faults_and_every_kind_comes() -> None:
    once, again = (list(nights(3, 200)) for _ in range(2))
    assert once == again
    assert once != list(nights(4, 200))
    kinds = counted(once)
    assert len(kinds) == len(KINDS) >= 20
    assert max(kinds.values()) - min(kinds.values()) <= 1
    assert sum(kinds.values()) == 200


def test_the_closing_table_says_which_night_to_play_again() -> None:
    [plan] = nights(3, 5)
    good = NightResult(plan, 5, 10, 10, 10, 1, ())
    assert closing([good], 3)[-1].startswith("0 events lost")
    assert "--seed 3 --night 1" in closing([replace(good, wrong=("lost",))], 3)[-1]


def test_what_cannot_be_played_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    COMMAND.add(parser)
    assert COMMAND.run(parser.parse_args(["--kinds", "none-such"])) == 2
    assert COMMAND.run(parser.parse_args(["--faults", "1", "--mosquitto", "/nowhere/mosquitto"])) == 2
    said = capsys.readouterr().err.splitlines()
    assert "no fault is chosen" in said[0]
    assert "Install mosquitto" in said[1]
