"""Examination of the journals: intact, of a known version, with room to grow. They are opened read-only."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.journal.damage import SEEN, damage_marker
from pitwarden.journal.database import SCHEMA_VERSION, WRITTEN_BY, is_newer
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339
from pitwarden_client.events.topics import Half

LOW_BYTES: Final = 64 * 1024 * 1024  # some weeks of one table
SOON_BYTES: Final = 512 * 1024 * 1024
_WHY_ROOM: Final = "a full disk stops the log: no numbers, no acknowledgements to devices, dealing withheld"
_WHY_VERSION: Final = "a downgrade is refused: the service ends with code 78 and is not started again"
_WHY_SIGNED: Final = "somebody without the table's key changed or cut the record"
_WHY_WHOLE: Final = "the journal is the evidence of what happened at the table"


def check_journals(folder: Path, only: Half | None = None) -> Iterator[DoctorFinding]:
    """Yield findings about the journals in `folder`, or about that of `only` one half."""
    if not folder.is_dir():
        yield DoctorFinding(
            "warning", "journals", f"{folder} is not there", "it is made when the service first starts",
            "start the service: systemd makes it for the account of the unit",
        )  # fmt: skip
        return
    yield _room(folder)
    for name in ("field", "judge") if only is None else (only,):
        path = folder / f"{name}.sqlite"
        if path.exists():
            yield from _owner(path, name)
            yield _integrity(path, name)
        for kept in sorted(folder.glob(f"{path.name}.damaged-*[0-9]")):
            yield DoctorFinding(
                "warning", f"{name} journal", f"a damaged one was set aside: {kept}", _WHY_WHOLE,
                f"copy {kept} to the evidence store and tell compliance; then move it away",
            )  # fmt: skip
        for kept in sorted(folder.glob(f"{path.name}.unsigned-*[0-9]")):
            yield DoctorFinding(
                "warning", f"{name} journal", f"one that bore no signature was set aside: {kept}", _WHY_SIGNED,
                f"copy {kept} to the evidence store and tell compliance; then move it away",
            )  # fmt: skip


def _room(folder: Path) -> DoctorFinding:
    free = shutil.disk_usage(folder).free
    said = f"{free // 1_048_576} MiB free in {folder}"
    if free < LOW_BYTES:
        return DoctorFinding(
            "bad", "disk", said, _WHY_ROOM, f"make room: du -xh --max-depth=2 / | sort -h | tail; df -h {folder}"
        )
    if free < SOON_BYTES:
        return DoctorFinding("warning", "disk", said, _WHY_ROOM, f"df -h {folder}")
    return passed("disk", said)


def _owner(path: Path, name: str) -> Iterator[DoctorFinding]:
    """Yield a finding if the journal, or a file that is used with it, is not of the account of the folder."""
    used = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", ".lock"))]
    foreign = [one for one in used if one.exists() and one.stat().st_uid != path.parent.stat().st_uid]
    if foreign:
        yield DoctorFinding(
            "bad", f"{name} journal",
            f"{foreign[0]} belongs to {_account(foreign[0])}, its folder to {_account(path.parent)}",
            "the service's account cannot open it, and the service does not start",
            f"chown --reference={path.parent} {' '.join(map(str, foreign))}",
        )  # fmt: skip


def _account(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:  # no account has this number
        return f"account {path.stat().st_uid}"


def _integrity(path: Path, name: str) -> DoctorFinding:
    subject = f"{name} journal"
    mend = f"cp -a {path}* EVIDENCE/; touch {path}{SEEN}; restart: a journal with that note is set aside and kept"
    seen = damage_marker(path)
    if seen is not None:
        return DoctorFinding("bad", subject, f"{seen} (noted, and not set aside yet)", _WHY_WHOLE, mend)
    try:
        with closing(_reading(path)) as sql:
            said = sql.execute("PRAGMA quick_check(1)").fetchone()[0]
            newer = _newer(sql)
    except sqlite3.Error as error:
        return DoctorFinding("bad", subject, f"{path} cannot be read: {error}", _WHY_WHOLE, mend)
    if said != "ok":
        return DoctorFinding("bad", subject, f"{path}: {said}", _WHY_WHOLE, mend)
    if newer:
        return DoctorFinding("bad", subject, f"{path}: {newer}", _WHY_VERSION, "install that version or a newer one")
    return passed(subject, "whole")


def _newer(sql: sqlite3.Connection) -> str:
    """Return what shows that a newer version has written to the journal; empty when nothing does."""
    layout = sql.execute("PRAGMA user_version").fetchone()[0]
    if layout > SCHEMA_VERSION:
        return f"written with layout {layout}, and this pitwarden knows 1 to {SCHEMA_VERSION}"
    notes = sql.execute("SELECT value FROM meta WHERE name = ?", (WRITTEN_BY,)).fetchall()
    return next((f"pitwarden {last} went on with it, and this is older" for (last,) in notes if is_newer(last)), "")


def newest_utc_ms(folder: Path) -> int | None:
    """Return the time of the newest row of the log, in ms since 1970; None when no row can be read."""
    path = folder / "field.sqlite"
    if not path.exists():
        return None
    try:
        with closing(_reading(path)) as sql:
            row = sql.execute("SELECT body FROM row ORDER BY place DESC LIMIT 1").fetchone()
        return None if row is None else parse_rfc3339(decode(LogEvent, row[0]).time)
    except (sqlite3.Error, BadPayloadError):
        return None


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
