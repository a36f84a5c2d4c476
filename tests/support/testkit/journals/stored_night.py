"""Night as both halves leave it on their disks: two epochs, signed, judged, closed; made once and copied.

The fixture `file` is a table file with its keys and these journals; `keeper` is the maintenance that trims them.
"""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pitwarden.audit.chains import AuditScope
from pitwarden.field.log.epochs import CheckpointSigner, FieldKeys, open_epoch
from pitwarden.field.log.retention import LogRetention, RetentionPolicy
from pitwarden.field.log.row_builder import BuiltRow, LogIdentity, PendingRow, Plain
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import NewRow, ReceivedRow, StoredOutput
from pitwarden.judge.persistence import JudgeSigner
from pitwarden.rules import RULES_VERSION
from pitwarden.seal.keys import public_path
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import ClockTick, Head, JudgeAnnounced
from pitwarden_simulators.table.setup import TAB_SHIELDED, SimulatedTableSetup
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.damage_reports import NoDamage
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE, sealed_night, table_judge
from testkit.tables.table_file import small_table

FIELD, JUDGE = "field.sqlite", "judge.sqlite"


def whose(setup: SimulatedTableSetup = TAB_SHIELDED) -> AuditScope:
    return AuditScope(SITE, setup.table, (SIGNER.public,))


def at(event: LogEvent) -> Position:
    return Position(epoch=event.epoch, number=event.tableseq)


def new_row(built: BuiltRow) -> NewRow:
    event = built.event
    return NewRow(at(event), built.stored.hash, event.prevhash, f"t/{event.data.kind}", built.stored.body)


def write_keys(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, secret, public in (
        ("field.key", SIGNER.raw.hex(), SIGNER.public),
        ("judge.key", PRIVATE.raw.hex(), PRIVATE.public),
    ):
        (folder / name).touch(0o600)
        (folder / name).write_text(f"{secret}\n")
        public_path(folder / name).write_text(f"{public}\n")


@cache
def _made(setup: SimulatedTableSetup) -> Path:
    folder = Path(mkdtemp(prefix="stored-night-"))
    with ThreadPoolExecutor(1) as pool:  # the test's own loop may be running in this thread
        pool.submit(lambda: asyncio.run(_write(folder, setup))).result()
    return folder


def stored_night(folder: Path, setup: SimulatedTableSetup = TAB_SHIELDED) -> Path:
    """Return `folder` with new copies of the journals of a night."""
    for name in (FIELD, JUDGE):
        shutil.copy(_made(setup) / name, folder / name)
    return folder


async def _write(folder: Path, setup: SimulatedTableSetup) -> None:
    rows = list(sealed_night(setup))
    place = LogIdentity(SITE, setup.table, simulated=True)
    field = await FieldJournal.open(folder / FIELD)
    await field.begin_signing(CheckpointSigner(SIGNER, place))
    await field.commit([new_row(row) for row in rows])
    clock = FakeClock(utc_ms=1_795_938_800_000)
    opening = await open_epoch(field, place, FieldKeys(SIGNER, (PRIVATE.public_key,)), clock)
    second = [opening.rows.build(pending) for pending in opening.first]
    signer = JudgeSigner((PRIVATE,), SITE, setup.table)
    announced = JudgeAnnounced(
        judge="judge", rules_version=RULES_VERSION, profile_digest="0" * 64, signer=signer.public
    )
    told: list[Plain] = [announced, *(ClockTick() for _ in range(4))]
    for content in told:
        clock.pass_ms(10_000)
        second.append(opening.rows.build(PendingRow("table", content)))
    await field.commit([new_row(row) for row in second])
    rows += second
    judge = await JudgeJournal.open(folder / JUDGE)
    table = table_judge(judge, setup)
    await judge.begin_signing(table.identity.key, signer)
    for row in rows:
        said = table.chain.append(row.event, await table.judge(row.event))
        outputs = [
            StoredOutput(each.event.outputseq, at(row.event), each.event.index, each.hash, "t", each.payload)
            for each in said
        ]
        head = Head(at=at(row.event), hash=row.stored.hash)
        received = [ReceivedRow(at(row.event), digest(row.stored.body), row.stored.body)]
        await judge.store(table.identity.key, received, outputs, head)
        await judge.set_published(table.identity.key, max([0, *(each.event.outputseq for each in said)]))
    last = await judge.last_output(table.identity.key)
    await judge.set_published(table.identity.key, 0 if last is None else last.seq)
    await field.set_position("judge", field.place)
    await field.close()
    await judge.close()


PLACE = LogIdentity(SITE, TAB_SHIELDED.table, simulated=True)
KEY = f"{SITE}/{TAB_SHIELDED.table}"
NIGHT = 1_795_852_800_000


def maintenance(journal: FieldJournal, clock: FakeClock, retention: RetentionPolicy, *consumers: str) -> LogRetention:
    return LogRetention(
        journal, clock, CheckpointSigner(SIGNER, PLACE), retention=retention, consumers=("judge", *consumers),
        faults=NoDamage(),
    )  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a table file with keys and a stored night."""
    (tmp_path / "journals").mkdir()
    stored_night(tmp_path / "journals")
    write_keys(tmp_path / "keys")
    return small_table(tmp_path, site=SITE, table=TAB_SHIELDED.table)
