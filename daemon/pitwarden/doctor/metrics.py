"""The metrics: served where the table file says, to whom it says."""

import asyncio
from contextlib import closing
from typing import Final

from pitwarden_client.events.topics import Half

from pitwarden.bus.certificates import warnings_of
from pitwarden.config.models import Metrics
from pitwarden.doctor.finding import Finding, Level, ok
from pitwarden.metrics.families import INFO
from pitwarden.metrics.server import Guarded, Local, place_of

ASK_S: Final = 3.0
_REQUEST: Final = b"GET /metrics HTTP/1.1\r\n\r\n"
_WHY: Final = "nobody is alarmed by what Prometheus cannot read; the table itself is judged all the same"


async def look(metrics: Metrics | None, now_ms: int, *, running: bool, only: Half | None = None) -> list[Finding]:
    """Findings about `[metrics]`, of `only` one half; `now_ms`: UTC; `running`: the service says that it is online."""
    place = None if metrics is None else place_of(metrics, only)
    if place is None:
        return [ok("metrics", "not asked for")]
    if isinstance(place, Local):
        return [await _local(place, running=running)]
    ends = warnings_of({"our certificate": place.cert, "the readers' authority": place.client_ca}, now_ms)
    return [await _guarded(place, running=running), *(_ends(said) for said in ends)]


async def _local(place: Local, *, running: bool) -> Finding:
    if not running:
        return ok("metrics", f"to be served at {place.path}")
    apart = (place.path.with_name(f"{place.path.name}.{half}") for half in ("field", "judge"))
    path = next((each for each in (place.path, *apart) if each.exists()), place.path)
    try:
        async with asyncio.timeout(ASK_S):
            reader, writer = await asyncio.open_unix_connection(path)
            with closing(writer):
                writer.write(_REQUEST)
                return _said(str(path), await reader.read())
    except (OSError, TimeoutError) as error:
        said = f"{path} cannot be read: {str(error) or 'no answer in time'}"
        return Finding("bad", "metrics", said, _WHY, f"ls -ld {path.parent}; the unit's RuntimeDirectory= makes it")


async def _guarded(place: Guarded, *, running: bool) -> Finding:
    where = f"{place.host}:{place.port}"
    try:
        place.context()
    except OSError as error:
        return Finding("bad", "metrics", f"{where} cannot be opened: {error}", _WHY, "see cert, key and client_ca")
    try:
        if running:
            async with asyncio.timeout(ASK_S):
                _, writer = await asyncio.open_connection(place.host, place.port)
                writer.close()
    except (OSError, TimeoutError) as error:
        said = f"nobody listens at {where}: {str(error) or 'no answer in time'}"
        return Finding("bad", "metrics", said, _WHY, "journalctl -u 'pitwarden-*' PITWARDEN_EVENT=metrics; ss -ltnp")
    return ok("metrics", f"served at {where} to readers with a certificate")


def _ends(said: str) -> Finding:
    level: Level = "bad" if said.startswith("certificate_ended") else "warning"
    return Finding(level, "metrics", said, _WHY, "renew it; systemctl reload 'pitwarden-*' takes it up")


def _said(where: str, answer: bytes) -> Finding:
    if INFO.name.encode() in answer:
        return ok("metrics", f"read at {where}")
    return Finding("bad", "metrics", f"{where} gives no metrics of ours", _WHY, "systemctl restart 'pitwarden-*'")
