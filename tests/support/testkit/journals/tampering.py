"""Changes to a journal that a person with the disk, and without the signing key, can make."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.envelope import LogEvent

Tampering = Callable[[sqlite3.Connection], object]


def tamper(path: Path, harm: Tampering) -> None:
    with sqlite3.connect(path, isolation_level=None) as sql:
        harm(sql)
    sql.close()


def body(sql: sqlite3.Connection, place: int, table: str = "row") -> bytes:
    query = {"row": "SELECT body FROM row WHERE place = ?", "received": "SELECT body FROM received WHERE place = ?"}
    return bytes(sql.execute(query[table], (place,)).fetchone()[0])


def other(row: bytes, **changes: object) -> bytes:
    return encode(decode(LogEvent, row).model_copy(update=changes))


def change_bytes(sql: sqlite3.Connection) -> None:
    sql.execute("UPDATE row SET body = ? WHERE place = 40", (other(body(sql, 40), logms=1),))


def change_with_its_hash(sql: sqlite3.Connection) -> None:
    changed = other(body(sql, 40), logms=1)
    sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = 40", (changed, digest(changed)))


def remove(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM row WHERE place BETWEEN 40 AND 42")


def swap_bodies(sql: sqlite3.Connection) -> None:
    first, second = (sql.execute("SELECT body, hash FROM row WHERE place = ?", (p,)).fetchone() for p in (40, 41))
    sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = 40", second)
    sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = 41", first)


def move_places(sql: sqlite3.Connection) -> None:
    for old, new in ((40, -1), (41, 40), (-1, 41)):
        sql.execute("UPDATE row SET place = ? WHERE place = ?", (new, old))


def append_to_a_closed_log(sql: sqlite3.Connection) -> None:
    place, epoch, number, held = sql.execute(
        "SELECT place, epoch, number, hash FROM row ORDER BY place DESC LIMIT 1"
    ).fetchone()
    row = decode(LogEvent, body(sql, place))
    added = other(
        body(sql, place), tableseq=number + 1, id=f"{row.epoch}/{number + 1}", prevhash=held, logms=row.logms + 1
    )
    values = (place + 1, epoch, number + 1, digest(added), held, added)
    sql.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?, 't', ?)", values)


def append_to_an_epoch_that_ended(sql: sqlite3.Connection) -> None:
    first = sql.execute("SELECT first_place FROM epoch ORDER BY id DESC LIMIT 1").fetchone()[0]
    sql.execute("UPDATE row SET place = -place - 1 WHERE place >= ?", (first,))
    sql.execute("UPDATE row SET place = -place WHERE place < 0")
    before = first - 1
    epoch, number, held = sql.execute("SELECT epoch, number, hash FROM row WHERE place = ?", (before,)).fetchone()
    row = decode(LogEvent, body(sql, before))
    added = other(body(sql, before), tableseq=number + 1, id=f"{row.epoch}/{number + 1}", prevhash=held)
    values = (first, epoch, number + 1, digest(added), held, added)
    sql.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?, 't', ?)", values)


def cut_tail(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM row WHERE place > (SELECT max(place) - 4 FROM row)")


def cut_tail_and_marks(sql: sqlite3.Connection) -> None:
    cut_tail(sql)
    sql.execute("DELETE FROM checkpoint")
    sql.execute("UPDATE consumer SET place = (SELECT max(place) FROM row)")


def rewrite(sql: sqlite3.Connection) -> None:
    """Change a row of the last epoch and everything that follows from it, as a person who knows the format can."""
    places = [place for (place,) in sql.execute("SELECT place FROM row ORDER BY place DESC LIMIT 4")][::-1]
    changes: dict[str, object] = {"logms": 5_000_000}
    for place in places:
        changed = other(body(sql, place), **changes)
        sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = ?", (changed, digest(changed), place))
        changes = {"prevhash": digest(changed)}


def write_a_closed_epoch_anew(sql: sqlite3.Connection) -> None:
    first = sql.execute("SELECT first_place FROM epoch ORDER BY id DESC LIMIT 1").fetchone()[0]
    changed = other(body(sql, first - 1), logms=5_000_000)
    sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = ?", (changed, digest(changed), first - 1))


def forge_an_opening(sql: sqlite3.Connection) -> None:
    row = decode(LogEvent, body(sql, 1))
    forged = row.data.model_copy(update={"signature": "A" * 86 + "=="})
    changed = other(body(sql, 1), data=forged)
    sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = 1", (changed, digest(changed)))


def forge_a_checkpoint(sql: sqlite3.Connection) -> None:
    sql.execute("UPDATE checkpoint SET number = number - 1")


def forget_the_end(sql: sqlite3.Connection) -> None:
    """Return the judge's journal to its state of a few rows ago."""
    sql.execute("DELETE FROM received WHERE place > (SELECT max(place) - 4 FROM received)")
    epoch, number, held = sql.execute("SELECT epoch, number, hash FROM received ORDER BY place DESC LIMIT 1").fetchone()
    sql.execute("UPDATE position SET epoch = ?, number = ?, hash = ?", (epoch, number, held))


def change_an_output(sql: sqlite3.Connection) -> None:
    sql.execute("UPDATE output SET body = CAST(replace(body, 'a', 'b') AS BLOB) WHERE seq = 5")


def remove_an_output(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM output WHERE seq = 5")


def remove_the_last_outputs(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM output WHERE seq > (SELECT max(seq) - 3 FROM output)")


def cut_received(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM received WHERE place > (SELECT max(place) - 4 FROM received)")


def change_received(sql: sqlite3.Connection) -> None:
    changed = other(body(sql, 40, "received"), logms=1)
    sql.execute("UPDATE received SET body = ?, hash = ? WHERE place = 40", (changed, digest(changed)))
