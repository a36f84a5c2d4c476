"""The first answer to each input, so that a repeated one gets it again."""

import sqlite3

from pitwarden.events.base import Position
from pitwarden.journal.rows import InputAnswer


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
