"""Proof over everything that was published and stored: no verdict lost, none with two bodies, nothing out of order."""

import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from pitwarden.cli.table_file import external_checks, read_table_file
from pitwarden.journal.errors import JournalError
from pitwarden.journal.records import OutputHead, SealedSnapshot
from pitwarden.judge.recovery import recover
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.postgresql import DatabaseSession
from pitwarden.seal.keys import key_paths
from pitwarden.service.build import build_table_judge
from pitwarden_client.events.codec import decode, digest
from pitwarden_client.events.envelope import GENESIS, OutputEvent
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.fields import Fields, FieldSide


@dataclass(slots=True)
class Proof:
    """Numbers of compared rows and verdicts, and of differences of each kind."""

    rows: int = 0
    verdicts: int = 0
    published: int = 0
    replayed: int = 0
    """Verdicts that a lost broker node did not deliver, and that came when they were requested."""
    terms: int = 0
    differences: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, count: int) -> None:
        """Count differences of a kind."""
        if count:
            self.differences[kind] = self.differences.get(kind, 0) + count


class _FromOldest(GroupRecord):
    """Record that is folded from its oldest row, whatever snapshots and positions it has."""

    async def snapshots(self, table: str) -> list[SealedSnapshot]:  # noqa: ARG002  the interface's
        return []

    async def last_output(self, table: str) -> OutputHead | None:  # noqa: ARG002  the interface's
        return None


async def prove(session: DatabaseSession, played: Fields, files: Path, keys: Path) -> Proof:
    """Compare what was sent, published and stored, and fold every table from its first row."""
    proof = Proof()
    for name, side in played.tables.items():
        await _compare(proof, session, name, side)
        agrees = await _fold(session, files / f"{name}.toml", keys, f"{SITE}/{name}")
        proof.add("tables whose verdicts another fold contradicts", not agrees)
    proof.add("terms with two committed owners", len(await session.fetch(_TWO_OWNERS)))
    return proof


AUDIT: Final = """
CREATE TABLE committed (record text, term bigint, program text, PRIMARY KEY (record, term, program));
CREATE FUNCTION note_committed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO pitwarden.committed SELECT DISTINCT record, term, current_setting('application_name') FROM stored
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_committed AFTER INSERT ON received REFERENCING NEW TABLE AS stored
  FOR EACH STATEMENT EXECUTE FUNCTION note_committed();
"""
"""Statements that let the database note which process committed rows of a table under which term."""
_TWO_OWNERS: Final = "SELECT record, term FROM committed GROUP BY record, term HAVING count(*) > 1"


async def _compare(proof: Proof, session: DatabaseSession, name: str, side: FieldSide) -> None:
    record = f"{SITE}/{name}"
    rows = await session.fetch("SELECT hash, term FROM received WHERE record = $1 ORDER BY ord", record)
    outputs = await session.fetch("SELECT seq, hash, body FROM output WHERE record = $1 ORDER BY seq", record)
    kept = {row["seq"]: row["hash"] for row in outputs}
    said = side.verdicts
    terms = [row["term"] for row in rows]
    proof.rows += len(side.rows)
    proof.verdicts += len(kept)
    proof.published += side.published
    proof.terms += len(set(terms))
    proof.add(
        "rows not stored, or in another order", [row["hash"] for row in rows] != [r.stored.hash for r in side.rows]
    )
    proof.add("numbers with two bodies", sum(len(bodies) > 1 for bodies in said.values()))
    proof.add("numbers never published", sum(number not in said for number in kept))
    proof.add("published, and not as stored", sum(bodies != {kept.get(n)} for n, bodies in said.items()))
    proof.add("numbers out of sequence", list(kept) != list(range(1, len(kept) + 1)))
    proof.add("rows committed out of the order of terms", sum(a > b for a, b in pairwise(terms)))
    before = GENESIS
    for row in outputs:
        event = decode(OutputEvent, row["body"])
        proof.add("broken chains", event.prevhash != before or digest(row["body"]) != row["hash"])
        before = row["hash"]  # as the next output must name it


async def _fold(session: DatabaseSession, path: Path, keys: Path, record: str) -> bool:
    """Return whether the rules compute, from the first row on, what was published."""
    file = read_table_file(path, external_checks())
    if file is None:
        raise TakeoverError(f"{path} is no table file any more")
    book = ClaimBook(time.monotonic)
    book.claims[record] = TableClaim(record, record, "proof", 0)
    store = _FromOldest(session, session, book, ("", ""))
    try:
        return await recover(build_table_judge(file, key_paths(keys), store), store, ())
    except JournalError:
        return False
