"""Old rows go: signed, never before all have stored them, never a key whose rows stay; the rest still proves."""

from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import verify_journals
from pitwarden.field.log.epochs import CheckpointSigner
from pitwarden.field.log.retention import ConsumerPositions, LogRetention, RetentionPolicy
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.records import InputAnswer
from pitwarden.system.clock import DAY_MS
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.status import ConsumerPosition
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.damage_reports import Damages
from testkit.journals.sealed_rows import SIGNER
from testkit.journals.stored_night import FIELD, JUDGE, NIGHT, PLACE, maintenance, stored_night, whose


async def second_epoch(journal: FieldJournal) -> int:
    return (await journal.epochs())[-1].first_place


async def test_old_rows_go_and_what_is_left_still_proves(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    place, head, first = journal.place, journal.head, await second_epoch(journal)
    await maintenance(journal, FakeClock(utc_ms=NIGHT + 10 * DAY_MS), RetentionPolicy(days=2)).once()
    kept = await journal.rows_after(0, 1_000)
    assert b'"kind":"key.announced"' in kept[0].body  # the key of all that is kept; its opening is in the checkpoint
    assert kept[0].place == first + 1
    assert (journal.place, journal.head) == (place, head)
    await journal.close()
    again = await FieldJournal.open(tmp_path / FIELD)
    assert (again.place, again.head) == (place, head)
    assert again.trimmed is not None
    assert again.trimmed.place == first
    await again.close()
    with open_log_evidence(tmp_path / FIELD) as log, open_judge_evidence(tmp_path / JUDGE) as judge:
        report = verify_journals(whose(), log, judge)
        assert not report.findings
        assert report.rows == len(kept)


async def test_an_answer_goes_with_its_row_and_no_other(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    given: dict[int, InputAnswer] = {}
    for row in await journal.rows_after(0, 1_000):
        said = decode(LogEvent, row.body).data
        if isinstance(said, InputLogged):
            given[row.place] = InputAnswer(said.role, said.terminal, said.input_id, "ab" * 32, row.at)
            await journal.store_answer(given[row.place])
    refused = InputAnswer("dealer", "pad", "late", "ab" * 32, None, "stale")
    await journal.store_answer(refused)
    middle = sorted(given)[len(given) // 2]
    [last] = await journal.rows_after(middle - 1, 1)
    await journal.trim(CheckpointSigner(SIGNER, PLACE).sign(last.place, last.head, "trimmed"))
    gone = {place for place in given if place <= middle}
    assert 0 < len(gone) < len(given)
    for place, answer in [*given.items(), (journal.place + 1, refused)]:
        known = await journal.answer(answer.role, answer.terminal, answer.input_id)
        assert known == (None if place in gone else answer)
    await journal.close()


@pytest.mark.parametrize(
    "why",
    [
        "young",
        "clock not synchronized",
        "not stored by the judge",
        "not stored by the historian",
    ],
)
async def test_no_row_is_trimmed_that_is_young_or_not_stored_by_a_consumer(tmp_path: Path, why: str) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    late = NIGHT + 10 * DAY_MS
    if why == "not stored by the judge":
        await journal.set_position("judge", 0)
    others = ("historian",) if "historian" in why else ()
    days = 400 if why == "young" else 2
    clock = FakeClock(utc_ms=late)
    clock.synchronised = why != "clock not synchronized"
    await maintenance(journal, clock, RetentionPolicy(days), *others).once()
    assert journal.trimmed is None
    if others:
        consumers = ConsumerPositions(journal, others)
        ends = journal.head
        assert ends is not None
        for name, hash_ in (("stranger", ends.hash), ("historian", "f" * 64), ("historian", ends.hash)):
            consumers.on_position(name, ConsumerPosition(at=ends.at, hash=hash_))
        for _ in range(2):  # the stranger's was not even queued
            await consumers.turns._handle(consumers.turns._waiting.popleft())  # noqa: SLF001  one turn at a time
        assert (await journal.positions())["historian"] == journal.place
        await maintenance(journal, FakeClock(utc_ms=late), RetentionPolicy(days=2), *others).once()
        assert journal.trimmed is not None
    await journal.close()


async def test_a_log_that_takes_too_much_room_loses_its_oldest_part_young_or_not(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    small = RetentionPolicy(days=400, most_bytes=10_000)
    await maintenance(journal, FakeClock(utc_ms=NIGHT), small).once()
    first = await second_epoch(journal)
    assert (await journal.rows_after(0, 1))[0].place in {1, first + 1} | {2}
    await journal.close()


async def test_damage_is_reported_once_and_nothing_is_trimmed(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    damages = Damages()
    made = LogRetention(
        journal, FakeClock(utc_ms=NIGHT + 10 * DAY_MS), CheckpointSigner(SIGNER, PLACE),
        retention=RetentionPolicy(days=2),
        consumers=("judge",), faults=damages,
    )  # fmt: skip
    size = (tmp_path / FIELD).stat().st_size
    with (tmp_path / FIELD).open("r+b") as file:
        file.seek(size // 2 // 4_096 * 4_096)
        file.write(b"\xff" * 4_096)
    await made.once()
    await made.once()
    assert len(damages.reasons) == 1
    assert journal.trimmed is None
    await journal.close()
