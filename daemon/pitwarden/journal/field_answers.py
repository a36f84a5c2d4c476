"""The first answer to each input, so that a repeated one gets it again."""

import sqlite3
from typing import Final

from pitwarden_client.events.base import Position

from pitwarden.journal.rows import InputAnswer

# A row names its input itself, and that is the answer's key: no answer that stays is looked at.
_FORGET: Final = """
DELETE FROM answer WHERE (role, terminal, input) IN (
  SELECT json_extract(body, '$.data.role'), json_extract(body, '$.data.terminal'), json_extract(body, '$.data.input_id')
  FROM (SELECT CAST(body AS TEXT) AS body FROM row WHERE place <= ? AND instr(body, '"kind":"input"'))
  WHERE json_valid(body))
"""


def remember(sql: sqlite3.Connection, answer: InputAnswer) -> None:
    """Stores an answer; the first one to an id stays."""
    at = (None, None) if answer.at is None else (answer.at.epoch, answer.at.number)
    sql.execute(
        "INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)",
        (answer.role, answer.terminal, answer.input_id, answer.digest, *at, answer.reason),
    )


def answer_to(sql: sqlite3.Connection, role: str, terminal: str, input_id: str) -> InputAnswer | None:
    """The first answer to this input id, if it ever came."""
    found = sql.execute(
        "SELECT digest, epoch, number, reason FROM answer WHERE role = ? AND terminal = ? AND input = ?",
        (role, terminal, input_id),
    ).fetchone()
    if found is None:
        return None
    content, epoch, number, reason = found
    at = None if epoch is None else Position(epoch=epoch, number=number)
    return InputAnswer(role, terminal, input_id, content, at, reason)


def forget(sql: sqlite3.Connection, place: int) -> None:
    """Forgets the answers to the inputs that stand in rows up to `place`: what would repeat one is long stale."""
    sql.execute(_FORGET, (place,))
