"""What a process has used so far, as Linux counts it."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_WHOLE_PROCESS: Final = 2  # CPUCLOCK_SCHED, in the kernel's numbers for the clocks of processes: clock_getcpuclockid(3)


@dataclass(frozen=True, slots=True)
class Used:
    """Processor seconds, and resident memory in kB."""

    cpu_s: float
    rss_kb: int


def used(pid: int) -> Used:
    """Of process `pid`; OSError when it is gone."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    cpu_s = time.clock_gettime(~pid << 3 | _WHOLE_PROCESS)  # to the nanosecond, where /proc counts in hundredths
    return Used(cpu_s, int(status["VmRSS"].split()[0]))
