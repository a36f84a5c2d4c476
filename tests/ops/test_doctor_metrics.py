"""What `pitwarden doctor` says of metrics that nobody can read, now or soon."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from pitwarden.config.models import MetricsSection
from pitwarden.doctor import host
from pitwarden.metrics.families import INFO
from pitwarden.metrics.meter import Meter, Sample
from pitwarden.metrics.server import LocalEndpoint, MetricsServer
from pitwarden.system.clock import SystemClock
from testkit.brokers.site_broker import Site
from testkit.clocks.waiting import until
from testkit.tables.examined_table import only_bad_finding

TLS = Path(__file__).parents[1] / "bus" / "tls"
NOW_MS = SystemClock().utc().utc_ms


async def test_metrics_that_no_client_can_read(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    local = MetricsSection(socket=path)
    assert "to be served" in next(iter(await host.check_metrics(local, NOW_MS, running=False))).what
    assert f"{path} cannot be read" in only_bad_finding(
        await host.check_metrics(local, NOW_MS, running=True), "metrics"
    )
    meter = Meter()
    meter.watch(lambda: [Sample(INFO, 1, ("field", "", "", ""))], "harbor/ta01")
    serving = asyncio.create_task(MetricsServer(LocalEndpoint(path), meter.text).run(), name="metrics")
    await until(path.exists)
    assert (await host.check_metrics(local, NOW_MS, running=True))[0].level == "ok"
    serving.cancel()
    await asyncio.wait({serving})
    guarded = MetricsSection(host="127.0.0.1", port=1, cert=TLS / "gone", key=TLS / "gone", client_ca=TLS / "gone")
    assert "cannot be opened" in only_bad_finding(await host.check_metrics(guarded, NOW_MS, running=False), "metrics")
    cert, key = TLS / "tests-only.crt", TLS / "tests-only.key"
    guarded = MetricsSection(host="127.0.0.1", port=1, cert=cert, key=key, client_ca=cert)
    assert (await host.check_metrics(guarded, NOW_MS, running=False))[0].level == "ok"
    assert "nobody listens at 127.0.0.1:1" in only_bad_finding(
        await host.check_metrics(guarded, NOW_MS, running=True), "metrics"
    )


@pytest.mark.parametrize(("days", "level", "said"), [(2, "warning", "ends within 7 days"), (-2, "bad", "ended on")])
async def test_a_certificate_for_the_metrics_that_ends(tmp_path: Path, days: int, level: str, said: str) -> None:
    site = Site(tmp_path, trustme.CA())
    cert, key = site.certificate("ta01", expires=datetime.now(UTC) + timedelta(days=days))
    guarded = MetricsSection(host="127.0.0.1", port=1, cert=cert, key=key, client_ca=site.ca)
    served, ends = await host.check_metrics(guarded, NOW_MS, running=False)
    assert (served.level, ends.level) == ("ok", level)
    assert f"our certificate ta01.crt {said}" in ends.what
