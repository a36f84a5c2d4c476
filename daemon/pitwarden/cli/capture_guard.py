"""Guard of secrecy for `capture record`: a card-reading device of an open table must not be recorded."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pitwarden.audit.evidence import AuditError, open_log_evidence
from pitwarden.config.halves import journal_of
from pitwarden.config.models import DeviceSection, TableFile
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged

FOLDER: Final = Path("/etc/pitwarden")
_READS: Final = frozenset({"shoe", "reader"})
_OPEN: Final = "is on table {table}, which is not closed: close the table (ft.table_close), or use another device"


def capture_refusal(family: str, place: str, serial: str, tables: Iterable[TableFile]) -> str | None:
    """Return why the device at `place`, or with `serial`, must not be recorded; None when it may be.

    The family on the command line does not matter for a device that the table file names as a shoe or a reader.
    """
    for table in tables:
        for name, section in table.devices.items():
            reads = not _READS.isdisjoint({family, section.family})
            if reads and _same(section, place, serial) and not table.table.simulated and not table_is_closed(table):
                return f"{name} {_OPEN.format(table=table.table.table)}"
    return None


def _same(section: DeviceSection, place: str, serial: str) -> bool:
    if section.serial == serial or section.port == place:
        return True
    if "://" in place:
        return _address(place) == _address(section.port)
    return Path(place).resolve() == Path(section.port).resolve()


def _address(place: str) -> str:
    """Return a URL without its scheme and without the port of a USB device: one device has several URLs."""
    return place.partition("://")[2].partition("?")[0]


def table_is_closed(table: TableFile) -> bool:
    """Return whether the table's log ends with the table closed, or was never begun."""
    path = journal_of(table, "field")
    if not path.exists():
        return True
    closed = False
    try:
        with open_log_evidence(path) as log:
            for row in log.rows():
                closed = _closed_after(row.body, closed=closed)
    except (AuditError, BadPayloadError):
        return False  # an unreadable log is no evidence of a closed table
    return closed


def _closed_after(body: bytes, *, closed: bool) -> bool:
    """Return whether the table is closed after this row."""
    if b'"ft.table_' not in body:
        return closed
    data = decode(LogEvent, body).data
    if not isinstance(data, InputLogged) or not data.act.act.startswith("ft.table_"):
        return closed
    return data.act.act == "ft.table_close"
