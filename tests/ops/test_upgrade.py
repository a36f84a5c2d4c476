"""A newer version goes on where an older one stopped and says nothing twice; an older one is refused with a reason."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.journal.database import WRITTEN_BY, claim_journal
from pitwarden.journal.errors import JournalVersionError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import APPLICATION as FIELD
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_store import APPLICATION as JUDGE
from pitwarden.rules import RULES_VERSION
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED
from pitwarden_tools.simulation.halves import SITE, field_half, judge_half
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop
from testkit.brokers.memory_broker import MemoryBroker
from testkit.clocks.waiting import until
from testkit.journals.text_export import restored
from testkit.nights.in_memory_night import EVENING
from testkit.simulated_service.night import SimulatedNightPlan, play
from testkit.simulated_service.substitutes import substituted
from testkit.tables.table_file import small_table

OLDER = sorted((Path(__file__).parents[1] / "captures" / "versions").iterdir())


def bodies(path: Path, table: str) -> list[bytes]:
    with closing(sqlite3.connect(path)) as sql:
        return [body for (body,) in sql.execute(f"SELECT body FROM {table} ORDER BY rowid")]  # noqa: S608  the test's own


def later(folder: Path) -> None:
    """Start the table again, a day later."""
    heard: dict[str, bytes] = {}
    loop = SimulatedLoop()
    with (
        substituted(MemoryBroker(heard.__setitem__), lambda _line: None, "later"),
        asyncio.Runner(loop_factory=lambda: loop) as run,
    ):
        run.run(goes_on(folder, LoopClock(loop, EVENING + 86_400_000), heard))


async def goes_on(folder: Path, clock: LoopClock, heard: dict[str, bytes]) -> None:
    """Both halves start on the journals of `folder` and stop once the newest row is judged."""
    field_journal = await FieldJournal.open(folder / "field.sqlite")
    judge_journal = await JudgeJournal.open(folder / "judge.sqlite")
    field = await field_half(TAB_SHIELDED, clock, field_journal, {})
    judge = await judge_half(TAB_SHIELDED, judge_journal, clock)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(field.run(stop), name="field half")
        group.create_task(judge.run(stop), name="judge half")
        await until(lambda: field.link.up and field.delivery.lag == 0 and judge.publisher.lag == 0, pause=0.1)
        stop.set()
    assert decode(PartStatus, heard[Topics(SITE, TAB_SHIELDED.table).status("judge")]).online is False
    await field_journal.close()
    await judge_journal.close()


@pytest.mark.parametrize("capture", OLDER, ids=lambda capture: capture.name)
def test_a_newer_version_reads_what_an_older_one_wrote(capture: Path, tmp_path: Path) -> None:
    restored(capture, tmp_path)
    rows, outputs = bodies(tmp_path / "field.sqlite", "row"), bodies(tmp_path / "judge.sqlite", "output")
    later(tmp_path)
    now = bodies(tmp_path / "field.sqlite", "row")
    assert now[: len(rows)] == rows
    assert [decode(LogEvent, body).data.kind for body in now[len(rows) :]][:2] == ["epoch.opened", "key.announced"]
    said = bodies(tmp_path / "judge.sqlite", "output")
    assert said[: len(outputs)] == outputs, "what was published is a fact"
    assert all(b"row_unreadable" not in body for body in said)
    events = [decode(OutputEvent, body) for body in said]
    assert [event.outputseq for event in events] == list(range(1, len(said) + 1))
    assert len(bodies(tmp_path / "judge.sqlite", "received")) == len(now)


def test_every_verdict_and_the_status_name_rules_and_profile() -> None:
    topics = Topics(SITE, CB_AUTO.table)
    raw = play(SimulatedNightPlan(CB_AUTO, "1", 1)).observed.raw
    said = [decode(OutputEvent, body) for topic, body in raw if topic in {topics.reveals, topics.irregularities}]
    states = [decode(TableState, body) for topic, body in raw if topic == topics.state]
    [status, _] = [decode(PartStatus, body) for topic, body in raw if topic == topics.status("judge")]
    assert len(said) > 10
    named = {(event.rulesversion, event.profiledigest) for event in said}
    named |= {(state.rules_version, state.profile_digest) for state in states}
    assert named == {(RULES_VERSION, status.profile_digest)}
    assert (status.rules_version, status.version) == (RULES_VERSION, version("pitwarden"))


def newer(path: Path, application: int) -> None:
    """Mark the journal at `path` as one of a layout that this version does not know."""
    with closing(sqlite3.connect(path)) as sql:
        sql.executescript(f"CREATE TABLE row (a); PRAGMA application_id={application}; PRAGMA user_version=99;")


def noted(path: Path, _application: int) -> None:
    """Mark the journal at `path` as continued by a later version."""

    async def note() -> None:
        if path.name == "field.sqlite":
            field = await FieldJournal.open(path)
            await field.set_meta(WRITTEN_BY, "99.1")
            await field.close()
        else:
            judge = await JudgeJournal.open(path)
            await judge.set_meta("harbor/ta01", WRITTEN_BY, "99.1")
            await judge.close()

    asyncio.run(note())


@pytest.mark.parametrize(("half", "application"), [("field", FIELD), ("judge", JUDGE)])
@pytest.mark.parametrize(("change", "said"), [(newer, "layout 99"), (noted, "a downgrade is refused")])
def test_a_downgrade_is_refused_and_not_tried_again(
    half: str, application: int, change: Callable[[Path, int], None], said: str, tmp_path: Path
) -> None:
    file = small_table(tmp_path)
    assert main(["keys", str(file)]) == 0
    path = tmp_path / "journals" / f"{half}.sqlite"
    path.parent.mkdir()
    change(path, application)
    before = path.read_bytes()
    ran = subprocess.run(
        [sys.executable, "-m", "pitwarden.cli", "run", "--config", file, "--only", half],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, path.read_bytes()) == (78, before)
    assert said in ran.stderr
    assert str(path) in ran.stderr
    assert "Traceback" not in ran.stderr


async def test_the_same_and_a_newer_version_go_on_and_are_noted() -> None:
    notes: list[str] = []

    async def note(value: str) -> None:
        notes.append(value)

    for last in (None, "0.0.9", version("pitwarden")):
        await claim_journal("field.sqlite", last, note)
    assert notes == [version("pitwarden")] * 2
    with pytest.raises(JournalVersionError, match=r"pitwarden 0\.10\.0 went on with this journal"):
        await claim_journal("field.sqlite", "0.10.0", note)
