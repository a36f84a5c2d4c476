"""The meter of one process, which knows what is one for all of its tables."""

from pitwarden.metrics.families import LOG_LINES_DROPPED, STARTED
from pitwarden.metrics.meter import Meter, Reading
from pitwarden.system.clock import SystemClock
from pitwarden.system.logging_setup import LogWriter


def process_meter(writer: LogWriter) -> Meter:
    """A new one; the process starts now."""
    meter = Meter()
    started = SystemClock().utc().utc_ms / 1_000
    meter.watch(lambda: (Reading(STARTED, started), Reading(LOG_LINES_DROPPED, writer.dropped)))
    return meter
