"""Examination of the clock, the key files and the metrics endpoint.

The clock must be right because the gaming day, card changes and inspections (13:69E-1.19(g)) are computed from it. The
keys must exist, be complete, and be readable by their owner only. The metrics must be served at the configured
endpoint.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from pitwarden.bus.certificates import certificate_warnings
from pitwarden.config.models import MetricsSection, TableSection
from pitwarden.doctor.findings import DoctorFinding, Level, passed
from pitwarden.metrics.families import INFO
from pitwarden.metrics.server import LocalEndpoint, TlsEndpoint, metrics_endpoint
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import KeyPaths, load_private, load_public, load_signing, public_path, sign_path
from pitwarden.system.clock import Clock
from pitwarden.system.gaming_day import GamingCalendar
from pitwarden_client.events.topics import Half

MOST_ERROR_MS = 1_000
_WHY_CLOCK = "the 24-hour duties and the record's times are reckoned by it; every event says that its time is not sure"


def check_clock(clock: Clock, newest_utc_ms: int | None) -> DoctorFinding:
    """Return a finding about the kernel's clock. `newest_utc_ms` is the time of the log's newest row, or None."""
    now = clock.utc()
    if newest_utc_ms is not None and now.utc_ms < newest_utc_ms:
        behind = (newest_utc_ms - now.utc_ms) // 1_000
        return DoctorFinding(
            "bad", "clock", f"it is {behind} s behind the newest row of the log", _WHY_CLOCK, "timedatectl set-ntp true"
        )
    if not now.synchronised:
        return DoctorFinding(
            "bad", "clock", "it is not synchronised", _WHY_CLOCK, "timedatectl set-ntp true; timedatectl status"
        )
    if now.error_ms > MOST_ERROR_MS:
        return DoctorFinding(
            "warning", "clock", f"it may be wrong by {now.error_ms} ms", _WHY_CLOCK, "timedatectl timesync-status"
        )
    return passed("clock", f"synchronised, wrong by at most {now.error_ms} ms")


def check_gaming_day(table: TableSection, clock: Clock) -> DoctorFinding:
    """Return today's gaming day, for a person who compares it with the house's."""
    calendar = GamingCalendar(table.zone, table.gaming_day)
    today = calendar.day(clock.utc().utc_ms)
    return passed("gaming day", f"{today} since {table.gaming_day} in {table.zone}")


_WHY_KEYS = "the service does not start without its keys, and a key that others can read proves nothing"


def check_keys(files: KeyPaths, config: Path, only: Half | None = None) -> list[DoctorFinding]:
    """Return a finding for each key file, or for those that `only` one half needs. Remedies name `config`."""
    make = f"pitwarden keys {config}, or restore its copy"
    fetch = make if only is None else "copy it from the controller of the other half; a new one would be another key"
    field = _one(files.field, load_signing, make)
    judge = _one(files.judge, load_private, make)
    field_public = _one(public_path(files.field), load_public, fetch)
    judge_public = _one(public_path(files.judge), load_public, fetch)
    commands = _commands(files.judge, f"pitwarden keys {config}" if only is None else fetch)
    return {
        None: [field, judge, field_public, judge_public, commands],
        "field": [field, judge_public, commands],
        "judge": [judge, field_public],
    }[only]


def _commands(judge_key: Path, remedy: str) -> DoctorFinding:
    """Return a finding about the key that verifies commands to devices."""
    path = sign_path(judge_key)
    if path.exists():
        return _one(path, load_public, remedy)
    return DoctorFinding("warning", f"key {path.name}", "is not there: commands to devices are not checked",
                         "whoever has the judge's login at the broker can lock a shoe", remedy)  # fmt: skip


def _one(path: Path, read: Callable[[Path], object], missing: str) -> DoctorFinding:
    subject = f"key {path.name}"
    if not path.exists():
        return DoctorFinding("bad", subject, f"{path} is missing", _WHY_KEYS, missing)
    try:
        read(path)
    except KeyFileError as error:
        return DoctorFinding("bad", subject, str(error), _WHY_KEYS, _remedy(path))
    return passed(subject, "readable by its owner alone" if path.suffix == ".key" else "readable")


def _remedy(path: Path) -> str:
    return f"chmod 600 {path}" if path.stat().st_mode & 0o077 else f"restore {path} from its copy"


# Seconds for one question to the machine, such as the state of its clock.
ASK_S: Final = 3.0
_REQUEST: Final = b"GET /metrics HTTP/1.1\r\n\r\n"
_WHY_METRICS: Final = "nobody is alarmed by what Prometheus cannot read; the table itself is judged all the same"


async def check_metrics(
    metrics: MetricsSection | None, now_ms: int, *, running: bool, only: Half | None = None
) -> list[DoctorFinding]:
    """Return findings about `[metrics]`, for `only` one half.

    Args:
        metrics: Section of the table file, or None.
        now_ms: UTC in ms.
        running: Whether the service publishes that it is online.
        only: Half to examine; None for both.
    """
    place = None if metrics is None else metrics_endpoint(metrics, only)
    if place is None:
        return [passed("metrics", "not asked for")]
    if isinstance(place, LocalEndpoint):
        return [await _local(place, running=running)]
    ends = certificate_warnings({"our certificate": place.cert, "the readers' authority": place.client_ca}, now_ms)
    return [await _guarded(place, running=running), *(_ends(said) for said in ends)]


async def _local(place: LocalEndpoint, *, running: bool) -> DoctorFinding:
    if not running:
        return passed("metrics", f"to be served at {place.path}")
    apart = (place.path.with_name(f"{place.path.name}.{half}") for half in ("field", "judge"))
    path = next((each for each in (place.path, *apart) if each.exists()), place.path)
    try:
        async with asyncio.timeout(ASK_S):
            reader, writer = await asyncio.open_unix_connection(path)
            with closing(writer):
                writer.write(_REQUEST)
                return _reply_finding(str(path), await reader.read())
    except (OSError, TimeoutError) as error:
        said = f"{path} cannot be read: {str(error) or 'no answer in time'}"
        return DoctorFinding(
            "bad", "metrics", said, _WHY_METRICS, f"ls -ld {path.parent}; the unit's RuntimeDirectory= makes it"
        )


async def _guarded(place: TlsEndpoint, *, running: bool) -> DoctorFinding:
    where = f"{place.host}:{place.port}"
    try:
        place.context()
    except OSError as error:
        return DoctorFinding(
            "bad", "metrics", f"{where} cannot be opened: {error}", _WHY_METRICS, "see cert, key and client_ca"
        )
    try:
        if running:
            async with asyncio.timeout(ASK_S):
                _, writer = await asyncio.open_connection(place.host, place.port)
                writer.close()
    except (OSError, TimeoutError) as error:
        said = f"nobody listens at {where}: {str(error) or 'no answer in time'}"
        return DoctorFinding(
            "bad", "metrics", said, _WHY_METRICS, "journalctl -u 'pitwarden-*' PITWARDEN_EVENT=metrics; ss -ltnp"
        )
    return passed("metrics", f"served at {where} to readers with a certificate")


def _ends(said: str) -> DoctorFinding:
    level: Level = "bad" if said.startswith("certificate_ended") else "warning"
    return DoctorFinding(level, "metrics", said, _WHY_METRICS, "renew it; systemctl reload 'pitwarden-*' takes it up")


def _reply_finding(where: str, answer: bytes) -> DoctorFinding:
    if INFO.name.encode() in answer:
        return passed("metrics", f"read at {where}")
    return DoctorFinding(
        "bad", "metrics", f"{where} gives no metrics of ours", _WHY_METRICS, "systemctl restart 'pitwarden-*'"
    )
