"""Employee numbers become pseudonyms after the house's time, and every chain still proves itself."""

from collections.abc import AsyncIterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pitwarden_client import Item
from pitwarden_client.events.codec import digest
from pitwarden_console.command import main
from pitwarden_console.people.accounts import AccountBook
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pseudonyms import Pseudonyms, pseudonymize
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.chain_check import ChainReport, check_chains
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.projection import rebuild
from pitwarden_console.store.pseudonym_records import pseudonyms_as_recorded
from pitwarden_console.store.schema import account, audit_entry, incident, judge_output, log_row
from testkit.pages.people import FILE, PASSWORD
from testkit.pages.stored_tables import HARBOR, SteppedClock, night_items, sqlite_url, store_night

TABLE = "tab-shielded"
KEY = b"k" * 32
DAY = date(2026, 3, 2)
PEOPLE = ("d1", "f1")


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    return night_items(TABLE, "2", 2, "stray_ten")


@pytest.fixture
async def store(tmp_path: Path, items: tuple[Item, ...]) -> AsyncIterator[HistoryDatabase]:
    """Yield a store with a night, an account of its floorperson, and an audit."""
    await store_night(sqlite_url(tmp_path), TABLE, items)
    async with open_database(sqlite_url(tmp_path)) as database:
        audit = Audit(database, SteppedClock())
        book = AccountBook(database, PasswordChecker())
        await book.add("f17", PASSWORD, name="A. Floor", person="f17", role="floor", now_ms=1)
        await book.close("f17", 2)
        await audit.add("act", person="f17", role="floor", input_id="ab", witness="s02", act={"reason": "f17 saw it"})
        await audit.add("answer", person="f17", role="floor", input_id="ab", input_bytes='{"person":"f17"}')
        yield database


async def bodies(database: HistoryDatabase) -> Sequence[bytes]:
    async with database.reading() as connection:
        found = [(await connection.execute(select(one.c.body))).scalars().all() for one in (log_row, judge_output)]
        return [*found[0], *found[1], *(await connection.execute(select(audit_entry.c.body))).scalars().all()]


async def checked(database: HistoryDatabase) -> Sequence[ChainReport]:
    return await check_chains(database, 1, DAY, DAY)


def later(ms: int = 86_400_000) -> SteppedClock:
    clock = SteppedClock()
    clock.step(ms)
    return clock


async def run(database: HistoryDatabase, clock: SteppedClock | None = None) -> int:
    made = await pseudonymize(database, Pseudonyms(KEY), later().utc, clock or later())
    return made.rows + made.outputs + made.entries


async def persons(database: HistoryDatabase) -> set[str]:
    async with database.reading() as connection:
        found = set((await connection.execute(select(log_row.c.person).distinct())).scalars())
        return {each for each in found if each}


async def test_no_number_is_left_and_every_chain_proves_itself(store: HistoryDatabase) -> None:
    before, numbers = await checked(store), await persons(store)
    assert numbers == {"d1", "f1"}
    assert await run(store) > len(numbers)
    for body in await bodies(store):
        for number in (*numbers, "f17", "s02"):
            assert f'"{number}"'.encode() not in body
            assert f'\\"{number}\\"'.encode() not in body
    assert b"f17 saw it" not in b"".join(await bodies(store))
    after = await checked(store)
    assert [(one.is_intact, one.count, one.head) for one in after] == [
        (one.is_intact, one.count, one.head) for one in before
    ]
    assert all(one.is_intact for one in after)
    assert after[0].pseudonymized > 0
    assert (await Audit(store, later()).check()).broken_at is None
    assert (await pseudonyms_as_recorded(store))[1]
    assert all(each.startswith("ps-") for each in await persons(store))
    async with store.reading() as connection:
        row = (await connection.execute(select(account))).one()
        ended = (await connection.execute(select(incident.c.acknowledged_by, incident.c.ended_by))).all()
    assert (row.person, row.login, row.password) == (row.name, row.name, "")
    assert not {"f1", "d1"} & {each for pair in ended for each in pair}


async def test_who_has_the_key_and_the_numbers_proves_each_original_hash(store: HistoryDatabase) -> None:
    numbers = await persons(store)
    await run(store)
    async with store.reading() as connection:
        rows = [(await connection.execute(select(one))).all() for one in (log_row, judge_output)]
    for row in (*rows[0], *rows[1]):
        assert digest(Pseudonyms(KEY).restore(row.body, {*numbers, *PEOPLE})) == row.hash
    changed = [row for row in rows[0] if row.pseudonymized_hash]
    assert all(digest(Pseudonyms(b"x" * 32).restore(row.body, numbers)) != row.hash for row in changed)


async def test_a_change_under_its_name_is_found(store: HistoryDatabase) -> None:
    await run(store)
    async with store.writing() as connection:
        row = (await connection.execute(select(log_row).where(log_row.c.pseudonymized_hash.is_not(None)))).first()
        assert row is not None
        forged = row.body.replace(b'"simulated":true', b'"simulated":null')
        one = update(log_row).where(log_row.c.id == row.id)
        await connection.execute(one.values(body=forged))
    assert not (await checked(store))[0].is_intact
    async with store.writing() as connection:
        await connection.execute(one.values(pseudonymized_hash=digest(forged)))
    assert not (await pseudonyms_as_recorded(store))[1], "the audit has the hash of what the run made"
    report = (await checked(store))[0]
    assert not report.is_intact, "a hash that fits the forged bytes proves nothing"
    assert "as no entry of the audit records" in report.faults[0]


async def test_a_row_that_no_run_changed_is_found(store: HistoryDatabase) -> None:
    await run(store)
    async with store.writing() as connection:
        row = (await connection.execute(select(log_row).where(log_row.c.pseudonymized_hash.is_(None)))).first()
        assert row is not None
        one = update(log_row).where(log_row.c.id == row.id)
        await connection.execute(one.values(body=row.body + b" ", pseudonymized_hash=digest(row.body + b" ")))
    assert not (await pseudonyms_as_recorded(store))[1]
    assert "as no entry of the audit records" in (await checked(store))[0].faults[0]


async def test_an_entry_of_the_audit_that_no_run_changed_is_found(store: HistoryDatabase) -> None:
    audit = Audit(store, later())
    async with store.writing() as connection:
        row = (await connection.execute(select(audit_entry).where(audit_entry.c.kind == "act"))).one()
        forged = row.body.replace(b"f17", b"f18")
        one = update(audit_entry).where(audit_entry.c.id == row.id)
        await connection.execute(one.values(body=forged, pseudonymized_hash=digest(forged)))
    assert (await audit.check()).broken_at == row.id


async def test_a_record_of_pseudonyms_that_was_changed_confirms_nothing(store: HistoryDatabase) -> None:
    await run(store)
    assert all(one.is_intact for one in await checked(store))
    async with store.writing() as connection:
        entries = select(audit_entry).where(audit_entry.c.kind == "pseudonymized")
        row = (await connection.execute(entries.order_by(audit_entry.c.id))).first()
        assert row is not None
        one = update(audit_entry).where(audit_entry.c.id == row.id)
        await connection.execute(one.values(body=row.body + b" "))
    assert not (await checked(store))[0].is_intact


async def test_a_run_goes_on_where_the_one_before_ended(store: HistoryDatabase) -> None:
    await run(store)
    async with store.writing() as connection:
        row = (await connection.execute(select(log_row).where(log_row.c.person.is_not(None)))).first()
        assert row is not None
        body = Pseudonyms(KEY).restore(row.body, PEOPLE)
        one = update(log_row).where(log_row.c.id == row.id)
        await connection.execute(one.values(body=body, pseudonymized_hash=None))
    assert await run(store) == 0, "what was examined is not read again"
    made = await pseudonymize(store, Pseudonyms(KEY), later().utc, later(), complete=True)
    assert made.rows == 1, "the command examines everything"


async def test_rows_that_were_too_young_have_their_turn_although_older_ones_follow(store: HistoryDatabase) -> None:
    async with store.reading() as connection:
        times = (await connection.execute(select(log_row.c.at_ms).order_by(log_row.c.id))).scalars().all()
    young = times[len(times) // 2]
    async with store.writing() as connection:
        last = select(log_row.c.id).order_by(log_row.c.id.desc()).limit(1)
        late = update(log_row).where(log_row.c.id == (await connection.execute(last)).scalar_one())
        await connection.execute(late.values(at_ms=times[0] - 1))
    first = await pseudonymize(store, Pseudonyms(KEY), young, later())
    second = await pseudonymize(store, Pseudonyms(KEY), later().utc, later())
    assert min(first.rows, second.rows) > 0
    assert not await persons(store) & set(PEOPLE)
    assert all(one.is_intact for one in await checked(store))


async def test_a_second_run_changes_nothing_and_a_rebuild_agrees(store: HistoryDatabase) -> None:
    await run(store)
    first = await bodies(store)
    assert await run(store) == 0
    assert await bodies(store) == first
    async with store.reading() as connection:
        before = (await connection.execute(select(incident).order_by(incident.c.ref))).mappings().all()
    await rebuild(store, load_priorities(), HARBOR)
    async with store.reading() as connection:
        after = (await connection.execute(select(incident).order_by(incident.c.ref))).mappings().all()
    assert [{**each, "id": 0} for each in after] == [{**each, "id": 0} for each in before]


async def test_what_is_younger_keeps_its_numbers(store: HistoryDatabase) -> None:
    made = await pseudonymize(store, Pseudonyms(KEY), 1, later())
    assert (made.rows, made.outputs, made.entries, made.accounts) == (0, 0, 0, 0)
    assert "f1" in await persons(store)


def test_the_command_needs_a_time_and_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "console.toml"
    text = FILE.format(site="silent", host="127.0.0.1")
    file.write_text(text)
    assert main(["pseudonymize", "--config", str(file)]) == 1
    assert "sets no time for employee numbers" in capsys.readouterr().err
    file.write_text(text + '[retention]\nperson_days = 400\nkey_file = "pseudonym.key"\n')
    assert main(["check-config", "--config", str(file)]) == 78
    assert "pseudonym.key cannot be read: No such file" in capsys.readouterr().err
    (tmp_path / "pseudonym.key").touch(0o600)
    (tmp_path / "pseudonym.key").write_bytes(b"short")
    assert main(["pseudonymize", "--config", str(file)]) == 78
    assert "has 5 bytes, and not 32 to 1,024" in capsys.readouterr().err
    (tmp_path / "pseudonym.key").write_bytes(KEY)
    (tmp_path / "pseudonym.key").chmod(0o644)
    assert main(["pseudonymize", "--config", str(file)]) == 78
    assert "pseudonym.key: holds secrets and can be read by others: chmod 0640" in capsys.readouterr().err
    (tmp_path / "pseudonym.key").chmod(0o640)
    assert main(["pseudonymize", "--config", str(file)]) == 0
    assert "0 rows, 0 outputs, 0 audit entries, 0 accounts" in capsys.readouterr().out
