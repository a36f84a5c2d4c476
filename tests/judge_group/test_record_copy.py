"""A record goes from one judge's journal into the database of a group, and comes out as the same evidence."""

from pathlib import Path

import pytest

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import verify_journals
from pitwarden.journal.errors import JournalOrderError
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.record_copy import export_record, import_record
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.installation.postgresql import PostgresqlServer
from testkit.journals.record_stores import GroupStore
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, KEY, stored_night

VERSIONS = ("1.0", "0.2.0")


async def test_a_record_comes_back_from_the_database_as_it_went_in(
    shared_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    stored_night(tmp_path)
    copies = tmp_path / "copies"
    copies.mkdir()
    session = GroupStore(shared_postgresql).session()
    await session.script(DDL)
    went = await import_record(session, KEY, tmp_path / JUDGE, VERSIONS)
    came = await export_record(session, KEY, copies / JUDGE)
    assert went == came
    assert min(came.rows, came.outputs) > 0
    with open_judge_evidence(tmp_path / JUDGE) as before, open_judge_evidence(copies / JUDGE) as after:
        assert [row.body for row in before.rows(KEY)] == [row.body for row in after.rows(KEY)]
        assert list(before.outputs(KEY)) == list(after.outputs(KEY))
        assert before.signature(KEY) == after.signature(KEY)
        assert before.position(KEY) == after.position(KEY)
    own = AuditScope(SITE, TAB_SHIELDED.table, (SIGNER.public,), (derive_checkpoint_key(PRIVATE).public,))
    with open_log_evidence(tmp_path / FIELD) as log, open_judge_evidence(copies / JUDGE) as judge:
        assert not verify_journals(own, log, judge).findings
    with pytest.raises(JournalOrderError, match="has a record of the table already"):
        await import_record(session, KEY, tmp_path / JUDGE, VERSIONS)
    assert [row["run"] for row in await session.fetch("SELECT run FROM place")] == [""]
    assert await session.fetch("SELECT run FROM member") == []
    await session.close()


async def test_nothing_is_copied_of_a_table_that_is_not_there(
    shared_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    stored_night(tmp_path)
    session = GroupStore(shared_postgresql).session()
    await session.script(DDL)
    with pytest.raises(JournalOrderError, match="no signed record of"):
        await import_record(session, "other/table", tmp_path / JUDGE, VERSIONS)
    with pytest.raises(JournalOrderError, match="no record of"):
        await export_record(session, "other/table", tmp_path / "copy.sqlite")
    assert not (tmp_path / "copy.sqlite").exists()
    await session.close()
