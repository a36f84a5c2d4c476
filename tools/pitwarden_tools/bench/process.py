"""Resources that a process has used so far, as Linux counts them."""

from dataclasses import dataclass
from pathlib import Path

from pitwarden.system.clock import cpu_seconds


@dataclass(frozen=True, slots=True)
class Used:
    """Processor seconds, and resident memory in kB."""

    cpu_s: float
    rss_kb: int


def used(pid: int) -> Used:
    """Return the resources of process `pid`.

    Raises:
        OSError: It has ended.
    """
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return Used(cpu_seconds(pid), int(status["VmRSS"].split()[0]))
