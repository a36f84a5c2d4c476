"""Recovery of a judge's state at start, from a snapshot or from the oldest stored row.

Invariant: recovery publishes nothing. What was published is only compared with what the rules compute now.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

import structlog

from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.journal.records import ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.judge.outputs import as_published
from pitwarden.judge.table_judge import TableJudge, row_or_placeholder
from pitwarden.rules import RULES_VERSION, SnapshotError, profile_digest, state_from_bytes
from pitwarden.seal.keys import PrivateKey
from pitwarden.seal.sealing import open_snapshot
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import Output
from pitwarden_client.verification.errors import SealUnreadableError

# Rows read from the journal at once.
PAGE_ROWS: Final = 500

_log = structlog.get_logger()


async def recover(
    judge: TableJudge, journal: JudgeRecord, keys: tuple[PrivateKey, ...], on_folded: Callable[[], None] = lambda: None
) -> bool:
    """Bring `judge` to the end of the journal, and call `on_folded` for each row.

    Returns:
        False when the rules now compute another output than was published, which is logged as `rules.diverged`.
    """
    table = judge.identity.key
    last = await journal.last_output(table)
    if last is not None:
        judge.resume_chain(last.seq, last.hash)
    start = await _from_snapshot(judge, journal, keys)
    if start is not None:
        await _add_keys(judge, journal)
    agrees = True
    async for stored, published in _rows(journal, table, start):
        row = row_or_placeholder(stored.at, parse_stored_row(stored.body), judge, simulated=False)
        said = await judge.judge(row)
        on_folded()
        if as_published(said, published) != published:
            agrees = False
            _log.error("rules.diverged", epoch=stored.at.epoch, number=stored.at.number, rules=RULES_VERSION)
    return agrees


def snapshot_context(table: str, snapshot_at: Position, profile: str) -> list[str]:
    """Return what the seal of a snapshot is bound to."""
    return [table, snapshot_at.epoch, str(snapshot_at.number), RULES_VERSION, profile]


def parse_stored_row(body: bytes) -> LogEvent | None:
    """Return the row in `body`; None when it cannot be decoded."""
    try:
        return decode(LogEvent, body)
    except BadPayloadError:
        return None


async def _from_snapshot(judge: TableJudge, journal: JudgeRecord, keys: tuple[PrivateKey, ...]) -> Position | None:
    profile = profile_digest(judge.setup)
    for snapshot in await journal.snapshots(judge.identity.key):
        if (snapshot.rules_version, snapshot.profile_digest) != (RULES_VERSION, profile):
            continue
        if _restored(judge, snapshot, keys, profile):
            return snapshot.at
    return None


def _restored(judge: TableJudge, snapshot: SealedSnapshot, keys: tuple[PrivateKey, ...], profile: str) -> bool:
    try:
        plain = open_snapshot(keys, snapshot_context(judge.identity.key, snapshot.at, profile), snapshot.box)
        judge.state = state_from_bytes(plain, judge.setup)
    except (SealUnreadableError, SnapshotError) as error:
        _log.warning("snapshot not usable", epoch=snapshot.at.epoch, number=snapshot.at.number, reason=str(error))
        return False
    return True


async def _add_keys(judge: TableJudge, journal: JudgeRecord) -> None:
    for body in await journal.key_rows(judge.identity.key):
        row = parse_stored_row(body)
        if row is not None:
            judge.add_key(row)


async def _rows(
    journal: JudgeRecord, table: str, start: Position | None
) -> AsyncIterator[tuple[ReceivedRow, tuple[Output, ...]]]:
    """Yield the stored rows after `start`, each with what was published for it. Both are read in pages."""
    while page := await journal.rows_after(table, start, PAGE_ROWS):
        published: dict[Position, list[StoredOutput]] = {}
        for output in await journal.outputs_of(table, page[0].at, page[-1].at):
            published.setdefault(output.cause, []).append(output)
        for row in page:
            await asyncio.sleep(0)  # the field half of the same process has its turn between two rows
            outputs = published.get(row.at, ())
            yield row, tuple(decode(OutputEvent, output.body).data for output in outputs)
        if len(page) < PAGE_ROWS:
            return
        start = page[-1].at
