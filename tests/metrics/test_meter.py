"""What is measured is read in Prometheus' own format, by its own parser; a time tells its bucket and no more."""

import pytest

from pitwarden.metrics.families import ALL, BOUNDS_S, COMMIT, DEVICE, LOG_LINES_DROPPED, REJECTED, ROWS
from pitwarden.metrics.meter import Meter, Sample, TableMeter
from testkit.processes.metrics_samples import Samples


def test_counters_and_readings_bear_their_table() -> None:
    meter = Meter()
    for name in ("harbor/ta01", "harbor/ta02"):
        table = TableMeter(meter, name)
        table.count(ROWS, by=3)
        table.count(REJECTED, "input", "stale")
        table.watch(lambda: [Sample(DEVICE, 1, ("shoe", "online"))])
    meter.watch(lambda: [Sample(LOG_LINES_DROPPED, 5)])
    found = Samples(meter.text().decode())
    assert found.of("pitwarden_rows_committed_total", "harbor/ta02") == 3
    assert found.of("pitwarden_rejected_total", "harbor/ta01", "input", "stale") == 1
    assert found.of("pitwarden_device_state", "harbor/ta02", "shoe", "online") == 1
    assert found.of("pitwarden_log_lines_dropped_total") == 5


def test_a_table_that_is_not_served_any_more_leaves_nothing_behind() -> None:
    meter = Meter()
    meter.count(LOG_LINES_DROPPED, by=5)
    for name in ("harbor/ta01", "harbor/ta02"):
        table = TableMeter(meter, name)
        table.count(ROWS, by=3)
        table.observe_ms(COMMIT, 30)
        table.watch(lambda: [Sample(DEVICE, 1, ("shoe", "online"))])
    meter.remove("harbor/ta01")
    text = meter.text().decode()
    assert "harbor/ta01" not in text
    assert Samples(text).of("pitwarden_rows_committed_total", "harbor/ta02") == 3
    assert Samples(text).of("pitwarden_log_lines_dropped_total") == 5


@pytest.mark.parametrize(("one", "other"), [(1, 5), (6, 10), (101, 250), (40_000, 90_000)])
def test_two_times_of_one_bucket_look_alike(one: int, other: int) -> None:
    texts = []
    for milliseconds in (one, other):
        meter = Meter()
        TableMeter(meter, "harbor/ta01").observe_ms(COMMIT, milliseconds)
        texts.append(meter.text())
    assert texts[0] == texts[1]


def test_a_time_falls_in_its_bucket() -> None:
    meter = Meter()
    TableMeter(meter, "harbor/ta01").observe_ms(COMMIT, 30)
    found = Samples(meter.text().decode())
    below = [
        bound for bound in BOUNDS_S if found.of("pitwarden_event_commit_seconds_bucket", "harbor/ta01", str(bound)) == 0
    ]
    assert below == [0.005, 0.01, 0.025]
    assert found.of("pitwarden_event_commit_seconds_sum", "harbor/ta01") == 0.05


def test_every_family_is_named_once_and_explained() -> None:
    assert len({family.name for family in ALL}) == len(ALL)
    for family in ALL:
        assert family.name.startswith("pitwarden_")
        assert family.words
        assert family.name.endswith("_total") == (family.kind == "counter")
