"""Every exported metric, one row each. No other may be exported, and a test compares the alert rules with this list.

No family has a label or a value that a hidden card could influence. The number of lost bytes of a line is therefore not
exported (the length of a frame depends on the face), and of a measured time only the bucket is.
"""

from dataclasses import dataclass
from typing import Final, Literal

BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the buckets, in seconds.

A commit to disk varies by more than the finest of them, which hides the difference in cost between two cards.
"""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """Metric. `labels` follow `table`, which every family has except those of the process (`of_process`)."""

    name: str
    kind: Literal["gauge", "counter", "histogram"]
    words: str
    labels: tuple[str, ...] = ()
    of_process: bool = False

    @property
    def all_labels(self) -> tuple[str, ...]:
        """Labels in the order in which their values are passed."""
        return self.labels if self.of_process else ("table", *self.labels)

    @property
    def samples(self) -> tuple[str, ...]:
        """Names that a query may use."""
        ends = ("_bucket", "_count", "_sum") if self.kind == "histogram" else ("",)
        return tuple(self.name + end for end in ends)


INFO: Final = MetricFamily(
    "pitwarden_info", "gauge", "1; what runs, by which rules and which profile",
    ("half", "version", "rules_version", "profile_digest"),
)  # fmt: skip
STARTED: Final = MetricFamily(
    "pitwarden_start_time_seconds", "gauge", "UTC of the start of the service", of_process=True
)
LOG_LINES_DROPPED: Final = MetricFamily(
    "pitwarden_log_lines_dropped_total", "counter", "log lines that the reader did not take", of_process=True
)

COMMIT: Final = MetricFamily(
    "pitwarden_event_commit_seconds", "histogram", "from a device's or terminal's word to its row in the journal"
)
STORED: Final = MetricFamily(
    "pitwarden_event_stored_seconds", "histogram", "from a row's commit until the judge has stored it"
)
STATE_HEARD: Final = MetricFamily(
    "pitwarden_verdict_heard_seconds",
    "histogram",
    "from a row's commit until the judge's state as of it is heard at the table",
)
VERDICT: Final = MetricFamily(
    "pitwarden_verdict_seconds", "histogram", "from a row's arrival at the judge until its verdicts are committed"
)

ROWS: Final = MetricFamily("pitwarden_rows_committed_total", "counter", "rows of the log")
JUDGED: Final = MetricFamily("pitwarden_rows_judged_total", "counter", "rows judged")
OUTPUTS: Final = MetricFamily("pitwarden_outputs_total", "counter", "the judge's outputs by kind", ("kind",))
REJECTED: Final = MetricFamily(
    "pitwarden_rejected_total", "counter", "what came over the bus and was refused, by where and why", ("where", "kind")
)
LINE_REJECTED: Final = MetricFamily(
    "pitwarden_line_rejected_total", "counter", "what came from a device and was thrown away", ("device", "kind")
)
QUEUE: Final = MetricFamily("pitwarden_queue_depth", "gauge", "what waits in a queue", ("queue",))
QUEUE_LIMIT: Final = MetricFamily("pitwarden_queue_limit", "gauge", "what the queue holds at most", ("queue",))

DEVICE: Final = MetricFamily(
    "pitwarden_device_state", "gauge", "1 for the state that the device is in", ("device", "state")
)
LINK: Final = MetricFamily("pitwarden_link_up", "gauge", "whether the half is linked to the broker", ("half",))
LINK_ADDRESS: Final = MetricFamily(
    "pitwarden_link_address", "gauge", "1 for the address of the broker at which the half is linked",
    ("half", "address"),
)  # fmt: skip
LINK_DOWNS: Final = MetricFamily(
    "pitwarden_link_downs_total", "counter", "how often the link failed or ended", ("half",)
)
FAULT: Final = MetricFamily("pitwarden_fault", "gauge", "1 while the half's status shows the fault", ("half", "fault"))

GRANTED: Final = MetricFamily(
    "pitwarden_permit_granted", "gauge", "whether the table is shown that dealing is permitted"
)
WITHHELD: Final = MetricFamily(
    "pitwarden_permit_withheld_seconds_total", "counter",
    "how long the table was shown that dealing is withheld, by reason; reasons overlap", ("reason",),
)  # fmt: skip
IRREGULARITIES: Final = MetricFamily("pitwarden_irregularities_open", "gauge", "irregularities that are not cleared")
DUTIES: Final = MetricFamily("pitwarden_duties_overdue", "gauge", "duties that are overdue")

JOURNAL: Final = MetricFamily(
    "pitwarden_journal_bytes", "gauge", "the journal's size with its write-ahead log", ("half",)
)
DISK_FREE: Final = MetricFamily("pitwarden_disk_free_bytes", "gauge", "room on the journal's disk", ("half",))
CLOCK: Final = MetricFamily("pitwarden_clock_synchronised", "gauge", "whether the kernel calls the clock synchronised")
CLOCK_ERROR: Final = MetricFamily("pitwarden_clock_error_seconds", "gauge", "by how much the clock may be wrong")

GROUP_TABLES: Final = MetricFamily(
    "pitwarden_group_tables", "gauge", "tables of this member of a group of judges, by who owns them: own, other, none",
    ("owner",), of_process=True,
)  # fmt: skip
GROUP_LEASE: Final = MetricFamily(
    "pitwarden_group_lease_seconds", "gauge", "for how long this member owns its tables without another renewal",
    of_process=True,
)  # fmt: skip
GROUP_CLAIMS: Final = MetricFamily(
    "pitwarden_group_claims_total", "counter", "tables that this member has claimed", of_process=True
)

ALL: Final = (
    INFO, STARTED, LOG_LINES_DROPPED, COMMIT, STORED, STATE_HEARD, VERDICT, ROWS, JUDGED, OUTPUTS, REJECTED,
    LINE_REJECTED, QUEUE, QUEUE_LIMIT, DEVICE, LINK, LINK_ADDRESS, LINK_DOWNS, FAULT, GRANTED, WITHHELD, IRREGULARITIES,
    DUTIES, JOURNAL, DISK_FREE, CLOCK, CLOCK_ERROR, GROUP_TABLES, GROUP_LEASE, GROUP_CLAIMS,
)  # fmt: skip
