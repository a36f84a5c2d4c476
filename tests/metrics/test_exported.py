"""A night's metrics: every family is there, and what they say is what the log says."""

from functools import cache

from pitwarden.metrics.families import (
    ALL,
    DISK_FREE,
    FAULT,
    GROUP_CLAIMS,
    GROUP_LEASE,
    GROUP_TABLES,
    LINK_DOWNS,
    LOG_LINES_DROPPED,
    STARTED,
    STATE_HEARD,
    WITHHELD,
)
from pitwarden.metrics.meter import half_samples
from pitwarden_client.events.alarms import ALARMS
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import PermitApplied
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.processes.metrics_samples import Samples
from testkit.simulated_service.night import SimulatedNight, SimulatedNightPlan, play

OF_THE_RUN = {STARTED, LOG_LINES_DROPPED, GROUP_TABLES, GROUP_LEASE, GROUP_CLAIMS}


@cache
def night() -> SimulatedNight:
    return play(SimulatedNightPlan(TAB_SHIELDED, "1", 1))


def last() -> tuple[Samples, list[LogEvent]]:
    """Return the metrics as last read, and the rows logged by then."""
    stream = night().observed.stream
    at = max(index for index, seen in enumerate(stream) if seen.what == "metrics")
    rows = {row.tableseq: row for row in (decode(LogEvent, body) for body in night().observed.bodies)}
    return Samples(stream[at].text), [rows[number + 1] for number in range(stream[at + 1].row)]


def test_every_family_is_exported() -> None:
    found, _ = last()
    missing = [family.name for family in ALL if family not in OF_THE_RUN and not found.has(family)]
    assert missing == [LINK_DOWNS.name, FAULT.name, DISK_FREE.name], "no link failed, no fault; the disk is left out"


def test_rows_and_verdicts_are_counted() -> None:
    found, rows = last()
    assert found.of("pitwarden_rows_committed_total", "silent/tab-shielded") >= len(rows) - 1  # it leaves first
    assert found.of("pitwarden_rows_judged_total", "silent/tab-shielded") <= len(rows)
    assert found.of(f"{STATE_HEARD.name}_count", "silent/tab-shielded") <= len(rows)
    assert found.of("pitwarden_device_state", "silent/tab-shielded", "shoe", "online") == 1
    assert found.of("pitwarden_link_up", "silent/tab-shielded", "judge") == 1


def test_the_time_withheld_is_what_the_log_says_was_shown() -> None:
    found, rows = last()
    shown_ms, since = 0, rows[0].logms
    granted = False
    for row in rows:
        shown_ms += 0 if granted else row.logms - since
        since = row.logms
        if isinstance(row.data, PermitApplied):
            granted = row.data.granted
    by_reason = found.values(WITHHELD)
    assert granted
    assert any("inspected" in "".join(labels) for labels in by_reason)
    assert max(by_reason.values()) * 1_000 <= shown_ms
    assert sum(by_reason.values()) * 1_000 >= shown_ms - 1


def test_the_fault_as_a_label_is_its_name_without_the_detail() -> None:
    class NoLink:
        up, address, broker = False, "", BrokerSettings("x")

    faults = ("journal_damaged: the old log is kept as /somewhere/else; 17 rows", "journal_damaged", "acl_denied")
    found = half_samples("field", NoLink(), faults=faults)  # type: ignore[arg-type]  # all that is read of a link
    samples = [one for one in found if one.family is FAULT]
    assert [one.labels for one in samples] == [("field", "acl_denied"), ("field", "journal_damaged")]
    assert {one.labels[1] for one in samples} <= {alarm.code for alarm in ALARMS}
